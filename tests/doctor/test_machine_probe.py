"""Disk, heat and power, read from files as a Pi's kernel writes them."""

from __future__ import annotations

import ctypes
import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.doctor.judges.machine import judge
from referee.doctor.plan import Plan
from referee.doctor.probes.machine import celsius, probe, throttled, time_writes, under_voltage


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """The files of a Raspberry Pi that is cool and well fed."""
    write(tmp_path / "sys/class/thermal/thermal_zone0/temp", "51121\n")
    write(tmp_path / "sys/devices/platform/soc/soc:firmware/get_throttled", "0\n")
    write(tmp_path / "sys/class/hwmon/hwmon1/name", "rpi_volt\n")
    write(tmp_path / "sys/class/hwmon/hwmon1/in0_lcrit_alarm", "0\n")
    return tmp_path


def verdicts(root: Path) -> dict[str, str]:
    return {found.probe: found.verdict for found in judge(probe(Plan(folder=str(root), root=str(root))))}


def test_a_board_that_is_well_is_green(board: Path) -> None:
    found = verdicts(board)
    assert (found["board.heat"], found["board.speed"], found["board.volt"]) == ("ok", "ok", "ok")
    assert found["disk.sync"] in ("ok", "slow")


def test_a_hot_processor_is_told(board: Path) -> None:
    write(board / "sys/class/thermal/thermal_zone1/temp", "84000\n")
    assert celsius(board) == 84.0
    assert verdicts(board)["board.heat"] == "hot"


def test_throttling_and_low_voltage_are_told_now_and_before(board: Path) -> None:
    write(board / "sys/devices/platform/soc/soc:firmware/get_throttled", "50005\n")
    assert throttled(board, asks=False) == 0x50005
    found = verdicts(board)
    assert (found["board.speed"], found["board.volt"]) == ("now", "now")
    write(board / "sys/devices/platform/soc/soc:firmware/get_throttled", "50000\n")
    found = verdicts(board)
    assert (found["board.speed"], found["board.volt"]) == ("before", "before")


def test_the_kernels_own_alarm_of_low_voltage_counts(board: Path) -> None:
    write(board / "sys/class/hwmon/hwmon1/in0_lcrit_alarm", "1\n")
    assert under_voltage(board) is True
    assert verdicts(board)["board.volt"] == "now"


def test_files_that_hold_nonsense_are_not_known(board: Path) -> None:
    write(board / "sys/class/thermal/thermal_zone0/temp", "warm\n")
    write(board / "sys/devices/platform/soc/soc:firmware/get_throttled", "no\n")
    assert celsius(board) is None
    assert throttled(board, asks=False) is None


def test_a_machine_that_tells_nothing_is_no_fault(tmp_path: Path) -> None:
    found = verdicts(tmp_path)
    assert {found[name] for name in ("board.heat", "board.speed", "board.volt")} == {"unknown"}


def test_nothing_is_left_behind_by_timing_the_disk(tmp_path: Path) -> None:
    times, number = time_writes(tmp_path)
    assert number is None
    assert len(times) == 12
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_broken(tmp_path: Path) -> None:
    assert time_writes(tmp_path / "nowhere") == ([], errno.ENOENT)


@contextmanager
def mounted(at: Path, options: str, read_only: bool = False) -> Iterator[None]:
    """A small file system of its own in memory; skips where the kernel does not allow one."""
    library = ctypes.CDLL(None, use_errno=True)
    flags = 1 if read_only else 0  # MS_RDONLY
    if library.mount(b"tmpfs", os.fsencode(at), b"tmpfs", flags, options.encode()) != 0:
        pytest.skip(f"no file system can be mounted here ({os.strerror(ctypes.get_errno())})")
    try:
        yield
    finally:
        library.umount2(os.fsencode(at), 2)  # MNT_DETACH


def test_a_full_disk_is_told(tmp_path: Path) -> None:
    with mounted(tmp_path, "size=4k"):
        (tmp_path / "full").write_bytes(bytes(4096))
        found = verdicts(tmp_path)
    assert (found["disk.sync"], found["disk.space"]) == ("full", "none")


def test_a_read_only_disk_is_told(tmp_path: Path) -> None:
    with mounted(tmp_path, "size=1m", read_only=True):
        assert verdicts(tmp_path)["disk.sync"] == "readonly"
