"""The capture process: opens a device, puts its pictures into the ring, rings the bell.

Written rules of this module:
- it may hang or die at any moment; whoever started it watches and starts another;
- it ends with its parent, however that ended: its end of the line closes;
- whatever goes wrong is left as a sentence in the ring, never as a traceback on the terminal.
Does not belong here: patience, table time (`live`).
"""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection

import cv2

from referee.vision.cameras.devices import Device
from referee.vision.cameras.quiet import quiet_opencv
from referee.vision.cameras.ring import Ring, RingPlace

MakeDevice = Callable[[], Device]
"""Opens the device; goes to the capture process, so it must survive pickling."""

FAILED = 1
_LET_GO_S = 2.0  # how long a device may take to let go before it is left as it is


def run(make_device: MakeDevice, place: RingPlace, line: Connection) -> None:
    """Capture until the line closes; the target of the capture process."""
    # Ctrl-C reaches the whole group of processes; the parent ends its child by closing the line.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.set_blocking(line.fileno(), False)
    stopping = threading.Event()
    threading.Thread(target=_watch, args=(line, stopping), daemon=True).start()
    ring = Ring.join(place)
    try:
        cv2.setNumThreads(1)
        with quiet_opencv():
            _capture(make_device, ring, line, stopping)
    except Exception as error:
        # The wall of the process: a driver may raise anything, and the parent can only read a sentence.
        ring.say(problem=str(error) or type(error).__name__)
        os._exit(FAILED)


def _capture(make_device: MakeDevice, ring: Ring, line: Connection, stopping: threading.Event) -> None:
    device = make_device()
    try:
        ring.say(fps=device.fps)
        number = 0
        while not stopping.is_set():
            ring.put(number, device.read())
            number += 1
            with suppress(BlockingIOError):  # a reader who does not listen finds the picture all the same
                os.write(line.fileno(), b".")
    except (BrokenPipeError, ConnectionResetError):
        pass  # the parent is gone
    finally:
        device.close()


def _watch(line: Connection, stopping: threading.Event) -> None:
    """Wait for the parent to close its end, then see that this process ends."""
    select.select([line], [], [])
    stopping.set()
    threading.Event().wait(_LET_GO_S)
    os._exit(0)
