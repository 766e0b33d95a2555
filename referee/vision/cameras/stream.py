"""A stream of this very machine whose pictures say when they were taken.

Camera servers that pass on what a V4L2 driver says (mjpg-streamer and those built like it) head each JPEG of their
`multipart/x-mixed-replace` stream with `X-Timestamp`, in seconds. On this machine that is the driver's own stamp, as
good as if the camera were opened here. From anywhere else it is another machine's clock: such a stream is taken by
arrival.

Belongs here: reading such a stream, and telling it from others. Does not belong here: streams without stamps
(`devices`), which clock a stamp is on (`stamps`), processes and patience (`live`).
"""

from __future__ import annotations

import http.client
from collections import deque
from contextlib import suppress
from urllib.parse import urlsplit

import cv2
import numpy as np

from referee.errors import HardwareError
from referee.vision.cameras.devices import Device, OpencvDevice, Shot, Wanted, as_wanted
from referee.vision.cameras.stamps import from_readout, monotonic_us, on_monotonic

THIS_MACHINE = ("127.0.0.1", "localhost", "::1")
SILENT_S = 5.0
LONGEST_LINE = 4_096
MOST_LINES = 100
LARGEST_PART = 32_000_000
MOST_UNREADABLE = 30  # pictures in a row
# What the network has stored up is no driver's queue: a reader that was held up takes the next picture that is as new
# as they come, and those before it are dropped. Frame periods behind the usual lateness, over so many pictures.
BEHIND_PERIODS, USUAL_OVER = 4, 60
_KIND = "multipart/x-mixed-replace"


class NoStamps(Exception):  # noqa: N818 - no error: such a stream is read another way
    """The stream does not say when its pictures were taken."""


class StampedStream:
    """MJPEG over HTTP from this machine, with the driver's stamps."""

    def __init__(self, address: str, wanted: Wanted) -> None:
        """Open it and read the first head; raises `NoStamps` or `HardwareError`."""
        self._address, self._wanted = address, wanted
        place = urlsplit(address)
        self._connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=SILENT_S)
        try:
            query = f"?{place.query}" if place.query else ""
            self._connection.request("GET", (place.path or "/") + query)
            self._response = self._connection.getresponse()
            if self._response.status != http.client.OK or self._response.headers.get_content_type() != _KIND:
                raise NoStamps
            self._head: dict[str, str] | None = self._read_head()
            _stamp_us(self._head)
            self._ages_us: deque[int] = deque(maxlen=USUAL_OVER)
        except (OSError, http.client.HTTPException) as error:
            self.close()
            raise HardwareError(
                f"camera {address}: cannot be opened (is it plugged in, and not in use elsewhere?)"
            ) from error
        except BaseException:
            self.close()
            raise

    @property
    def fps(self) -> float:
        return self._wanted.rate

    def read(self) -> Shot:
        period_us = round(1e6 / self.fps)
        for _ in range(MOST_UNREADABLE):
            packed, first_row_us = self._newest(period_us)
            picture = cv2.imdecode(np.frombuffer(packed, np.uint8), cv2.IMREAD_COLOR) if packed else None
            if picture is not None:
                shot = as_wanted(np.asarray(picture, np.uint8), self._wanted, self._address)
                return Shot(shot, from_readout(first_row_us, None, period_us))
        raise HardwareError(f"camera {self._address}: its pictures cannot be read")

    def _newest(self, period_us: int) -> tuple[bytes, int]:
        """The next picture that is not far behind, and its time; raises `HardwareError` when there will be none."""
        while True:
            try:
                head = self._head if self._head is not None else self._read_head()
                self._head = None
                packed = self._read_part(head)
                first_row_us = on_monotonic(_stamp_us(head))
            except (OSError, http.client.HTTPException, NoStamps) as error:
                raise self._no_more() from error
            if first_row_us is None:
                raise self._no_more()
            age_us = monotonic_us() - first_row_us
            self._ages_us.append(age_us)
            if age_us <= min(self._ages_us) + BEHIND_PERIODS * period_us:
                return packed, first_row_us

    def close(self) -> None:
        with suppress(OSError):
            self._connection.close()

    def _no_more(self) -> HardwareError:
        return HardwareError(f"camera {self._address}: gives no more pictures (was it unplugged?)")

    def _read_head(self) -> dict[str, str]:
        """The next part's head, by names in small letters; what stands before its boundary is passed over."""
        head: dict[str, str] = {}
        for _ in range(MOST_LINES):
            line = self._response.readline(LONGEST_LINE)
            if not line:
                raise http.client.IncompleteRead(b"")
            text = line.decode("latin-1").strip()
            if not text:
                if head:
                    return head
                continue
            name, colon, value = text.partition(":")
            if colon and not text.startswith("--"):
                head[name.strip().lower()] = value.strip()
        raise http.client.IncompleteRead(b"")

    def _read_part(self, head: dict[str, str]) -> bytes:
        length = head.get("content-length", "")
        if not length.isascii() or not length.isdigit() or int(length) > LARGEST_PART:
            raise NoStamps
        packed = self._response.read(int(length))
        if len(packed) < int(length):
            raise http.client.IncompleteRead(packed)
        return packed


def open_stream(address: str, wanted: Wanted) -> Device:
    """A stream by its address: by its stamps where it has them and they are this machine's, else by arrival.

    Raises `HardwareError`.
    """
    place = urlsplit(address)
    if place.scheme == "http" and place.hostname in THIS_MACHINE and place.username is None:
        with suppress(NoStamps):
            return StampedStream(address, wanted)
    return OpencvDevice(address, wanted)


def _stamp_us(head: dict[str, str]) -> int:
    """The head's time in microseconds; raises `NoStamps` when there is none on a clock of this machine's."""
    seconds, dot, rest = head.get("x-timestamp", "").partition(".")
    if not (seconds + rest).isascii() or not seconds.isdigit() or (dot and not rest.isdigit()):
        raise NoStamps
    stamp_us = int(seconds[:12]) * 1_000_000 + int(rest[:6].ljust(6, "0"))
    if on_monotonic(stamp_us) is None:
        raise NoStamps
    return stamp_us
