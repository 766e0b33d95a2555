"""Looks at the disk, and at what the board's kernel and firmware say of heat and power."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from referee.doctor.judges.machine import MachineFacts
from referee.doctor.plan import Plan

WRITES = 12
LINE = b'{"t_us":0,"event":"end"}\n' * 8  # about as long as an event with its ruling
VCGENCMD_S = 3.0
# Raspberry Pi kernels: the firmware's bits as hexadecimal text.
THROTTLED = "sys/devices/platform/soc/soc:firmware/get_throttled"


def probe(plan: Plan) -> MachineFacts:
    """The disk of the plan's folder and the board under its root."""
    root, folder = Path(plan.root), Path(plan.folder)
    sync_ms, number = time_writes(folder)
    return MachineFacts(
        sync_ms, number, free_mb(folder), celsius(root), throttled(root, asks=plan.root == "/"), under_voltage(root)
    )


def time_writes(folder: Path) -> tuple[list[float], int | None]:
    """How long synced lines take in a folder (ms), and the error's number where they cannot be written."""
    times: list[float] = []
    try:
        with tempfile.NamedTemporaryFile(prefix=".referee-doctor-", dir=folder, buffering=0) as file:
            for _ in range(WRITES):
                start_s = time.perf_counter()
                file.write(LINE)
                os.fsync(file.fileno())
                times.append((time.perf_counter() - start_s) * 1000)
    except OSError as error:
        return times, error.errno or errno.EIO
    return times, None


def free_mb(folder: Path) -> float | None:
    """What is free for this user on the folder's disk."""
    try:
        return shutil.disk_usage(folder).free / 1e6
    except OSError:
        return None


def celsius(root: Path) -> float | None:
    """The hottest thermal zone of the kernel."""
    found = [_number(path) for path in root.glob("sys/class/thermal/thermal_zone*/temp")]
    # Zones that are not there or not read yet say 0 or less.
    known = [value / 1000 for value in found if value is not None and value > 0]
    return max(known, default=None)


def throttled(root: Path, *, asks: bool) -> int | None:
    """The firmware's bits: from the kernel's file, else (`asks`) from `vcgencmd`."""
    text = _text(root / THROTTLED)
    if text is None and asks and shutil.which("vcgencmd") is not None:
        try:
            done = subprocess.run(
                ["vcgencmd", "get_throttled"], capture_output=True, text=True, timeout=VCGENCMD_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return None
        text = done.stdout.partition("=")[2]
    try:
        return None if text is None else int(text, 16)
    except ValueError:
        return None


def under_voltage(root: Path) -> bool | None:
    """The alarm of the kernel's `rpi_volt` sensor."""
    for folder in root.glob("sys/class/hwmon/hwmon*"):
        if _text(folder / "name") == "rpi_volt":
            value = _number(folder / "in0_lcrit_alarm")
            return None if value is None else bool(value)
    return None


def _text(path: Path) -> str | None:
    try:
        return path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        return None


def _number(path: Path) -> int | None:
    text = _text(path)
    try:
        return None if text is None else int(text)
    except ValueError:
        return None
