"""Reading traces: everything sound is read, everything else is refused in one sentence."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from referee.errors import TraceError
from referee.totem.trace import load_trace


def sound(scans: int = 20) -> dict[str, Any]:
    return {
        "t_us": np.arange(1, scans + 1, dtype=np.int64) * 1000,
        "counts": np.full((scans, 8), 900, np.int32),
        "tilt_deg": np.zeros(scans, np.float32),
        "rings": np.array(4),
        "sectors": np.array(2),
        "ring_mm": np.array([15.0, 45.0, 75.0, 105.0]),
        "boot_id": np.array(7),
    }


def with_seats(scans: int = 20) -> dict[str, Any]:
    return sound(scans) | {
        "seat_names": np.array(["Ana", "Chloé"]),
        "seat_index": (np.arange(scans) % 2).astype(np.int8),
        "seat_delta": np.zeros((scans, 8), np.int16),
    }


def saved(path: Path, arrays: dict[str, Any]) -> Path:
    np.savez_compressed(path, **arrays)
    return path


def test_a_sound_trace_is_read_as_it_was_written(tmp_path: Path) -> None:
    trace = load_trace(saved(tmp_path / "a.npz", with_seats()))
    assert trace.counts.shape == (20, 8)
    assert trace.layout.height_mm == 120.0
    assert trace.seats is not None
    assert trace.seats.names == ("Ana", "Chloé")
    assert trace.yaw_deg is None


def test_the_optional_turn_of_the_totem_is_read(tmp_path: Path) -> None:
    trace = load_trace(saved(tmp_path / "a.npz", sound() | {"yaw_deg": np.full(20, 30.0, np.float32)}))
    assert trace.yaw_deg is not None
    assert trace.yaw_deg[0] == 30.0


def test_arrays_in_fortran_order_are_read_the_same(tmp_path: Path) -> None:
    arrays = sound()
    arrays["counts"] = np.asfortranarray(np.arange(160, dtype=np.int32).reshape(20, 8))
    assert (load_trace(saved(tmp_path / "a.npz", arrays)).counts == arrays["counts"]).all()


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"t_us": None}, "t_us"),
        ({"boot_id": None}, "boot_id"),
        ({"t_us": np.arange(20, 0, -1, dtype=np.int64)}, "backwards"),
        ({"t_us": np.zeros(20, np.int64)}, "stands still"),
        ({"t_us": np.arange(20, dtype=np.float64)}, "t_us"),
        ({"t_us": np.zeros((20, 1), np.int64)}, "dimension"),
        ({"t_us": np.arange(20, dtype=np.int64) + 2**62}, "2^60"),
        ({"counts": np.zeros((20, 7), np.int32)}, "shape"),
        ({"counts": np.zeros((20, 8), np.complex128)}, "counts"),
        ({"counts": np.full((20, 8), 2**40, np.int64)}, "2^30"),
        ({"counts": np.array([[None] * 8] * 20)}, "pickle"),
        ({"tilt_deg": np.full(20, np.nan, np.float32)}, "finite"),
        ({"tilt_deg": np.full(20, np.inf, np.float32)}, "finite"),
        ({"tilt_deg": np.zeros(19, np.float32)}, "shape"),
        ({"rings": np.array(0)}, "rings"),
        ({"rings": np.array([4, 4])}, "rings"),
        ({"rings": np.array(4.0)}, "rings"),
        ({"rings": np.array(10**6)}, "rings"),
        ({"rings": np.array(1000), "sectors": np.array(1000)}, "electrodes"),
        ({"ring_mm": np.array([15.0, 45.0, 40.0, 105.0])}, "rise"),
        ({"ring_mm": np.array([15.0, np.nan, 75.0, 105.0])}, "finite"),
        ({"height_mm": np.array(20.0)}, "height_mm"),
        ({"yaw_deg": np.zeros(3, np.float32)}, "yaw_deg"),
        ({"seat_names": np.array(["Ana", "Bo"])}, "seat_index"),
    ],
)
def test_a_broken_array_is_refused_by_name(tmp_path: Path, change: dict[str, Any], word: str) -> None:
    arrays = {k: v for k, v in (sound() | change).items() if v is not None}
    with pytest.raises(TraceError, match=word.replace("^", r"\^")) as caught:
        load_trace(saved(tmp_path / "a.npz", arrays))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"seat_index": np.full(20, 2, np.int8)}, "seat_index"),
        ({"seat_index": np.full(20, -2, np.int8)}, "seat_index"),
        ({"seat_names": np.array(["Ana", "Ana"])}, "twice"),
        ({"seat_names": np.array([1, 2])}, "names"),
        ({"seat_delta": np.zeros((20, 7), np.int16)}, "shape"),
        ({"seat_delta": np.full((20, 8), 10**6, np.int32)}, "16 bits"),
    ],
)
def test_broken_seat_arrays_are_refused(tmp_path: Path, change: dict[str, Any], word: str) -> None:
    with pytest.raises(TraceError, match=word):
        load_trace(saved(tmp_path / "a.npz", with_seats() | change))


def test_a_trace_without_a_scan_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="no scan"):
        load_trace(saved(tmp_path / "a.npz", sound(0)))


@pytest.mark.parametrize("content", [b"", b"PK", b"not a trace", b"\x93NUMPY\x01\x00"])
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.npz"
    path.write_bytes(content)
    with pytest.raises(TraceError, match="npz"):
        load_trace(path)


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="no such file"):
        load_trace(tmp_path / "none.npz")
    with pytest.raises(TraceError, match="not a file"):
        load_trace(tmp_path)


def npy(header: str, data: bytes = b"") -> bytes:
    text = header.encode() + b" " * (118 - len(header)) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data


def archive_with(path: Path, member: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in sound().items():
            buffer = io.BytesIO()
            np.save(buffer, array)
            archive.writestr(f"{name}.npy", member if name == "counts" else buffer.getvalue())
    return path


@pytest.mark.parametrize(
    "header",
    [
        "{'descr': '<i4', 'fortran_order': False, 'shape': (52083334, 48), }",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (99999999999999999999, 8), }",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (-1, 8), }",
        "{'descr': '|O', 'fortran_order': False, 'shape': (20, 8), }",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (20, 8)",
        "__import__('os').getcwd()",
    ],
)
def test_a_header_that_promises_what_is_not_there_is_refused_before_anything_is_allocated(
    tmp_path: Path, header: str
) -> None:
    with pytest.raises(TraceError, match="counts"):
        load_trace(archive_with(tmp_path / "a.npz", npy(header, b"\x00" * 640)))


def test_an_array_said_to_be_larger_than_is_read_is_refused_by_its_size_alone(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.npz", sound())
    data = bytearray(path.read_bytes())
    at = data.rfind(b"PK\x01\x02", 0, data.rfind(b"counts.npy"))
    data[at + 24 : at + 28] = struct.pack("<I", 0xF0000000)
    path.write_bytes(bytes(data))
    with pytest.raises(TraceError, match="more than"):
        load_trace(path)


def test_an_array_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.npz", sound())
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "a") as archive:
        archive.writestr("t_us.npy", b"x")
    with pytest.raises(TraceError, match="twice"):
        load_trace(path)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_damaged_file_raises_anything_but_a_trace_error(tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "damaged.npz"
    whole = bytearray(saved(tmp_path / "sound.npz", with_seats()).read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(whole)))
    path.write_bytes(bytes(whole[: cut if data.draw(st.booleans()) else len(whole)]))
    try:
        trace = load_trace(path)
    except TraceError:
        return
    assert len(trace.t_us) == len(trace.counts)
