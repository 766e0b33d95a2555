"""A totem trace: the `.npz` file of readings, read strictly.

Belongs here: the file format ("Totem trace"), every check that keeps a broken file from going further, and
the
frozen value the rest of the room works on. Does not belong here: what the readings mean.

Rules of reading: nothing is unpickled; no array is allocated before its header, its size inside the
archive and
the limits agree; every refusal is a `TraceError` of one sentence that names the file and the array.
"""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from referee.errors import TraceError

# About an hour of 48 electrodes at 1,000 scans a second; more is refused before anything is allocated.
MOST_BYTES = 1 << 30
MOST_ELECTRODES = 1024
MOST_PLAYERS = 16
REQUIRED = ("t_us", "counts", "tilt_deg", "rings", "sectors", "ring_mm", "boot_id")
SEAT_ARRAYS = ("seat_names", "seat_index", "seat_delta")
OPTIONAL = ("yaw_deg", "seated", "diameter_mm", "height_mm", *SEAT_ARRAYS)


@dataclass(frozen=True)
class Layout:
    """The electrodes of one totem: index = ring * sectors + sector, ring 0 lowest, sector 0 centred
    on 0 deg.
    """

    rings: int
    sectors: int
    ring_mm: NDArray[np.float64]
    height_mm: float

    @property
    def electrodes(self) -> int:
        """How many electrodes there are."""
        return self.rings * self.sectors

    @property
    def pitch_mm(self) -> float:
        """Typical distance between two rings, mm."""
        return float(np.median(np.diff(self.ring_mm))) if self.rings > 1 else self.height_mm


@dataclass(frozen=True)
class SeatReadings:
    """What the seat pads add: names (P), which seat was driven in each scan (N, -1 none), counts
    moved (N, E).
    """

    names: tuple[str, ...]
    index: NDArray[np.int8]
    delta: NDArray[np.int16]


@dataclass(frozen=True)
class Trace:
    """A totem trace: `t_us` (N) ends of scans, `counts` (N, E), `tilt_deg` (N), optional `yaw_deg` (N).

    `seated` (N), where it is recorded, says whether the base feels the totem in its keyed place.
    """

    t_us: NDArray[np.int64]
    counts: NDArray[np.int32]
    tilt_deg: NDArray[np.float32]
    layout: Layout
    boot_id: int
    yaw_deg: NDArray[np.float32] | None = None
    seats: SeatReadings | None = None
    seated: NDArray[np.bool_] | None = None


def load_trace(path: Path) -> Trace:
    """Read a trace; raises `TraceError` with one sentence for anything that is not a sound trace."""
    try:
        if not path.exists():
            raise TraceError(f"{path}: there is no such file")
        if not path.is_file():
            raise TraceError(f"{path}: is not a file; a totem trace is an .npz file")
        with zipfile.ZipFile(path) as archive:
            arrays = _read_members(path, archive)
    except TraceError:
        raise
    except OSError as error:
        raise TraceError(f"{path}: cannot be read: {error.strerror or error}") from error
    except Exception as error:
        # A damaged archive makes zipfile raise half a dozen kinds, none of which says more than this.
        raise TraceError(f"{path}: is not an .npz archive (a totem trace is one)") from error
    return trace_of(path, arrays)


def _read_members(path: Path, archive: zipfile.ZipFile) -> dict[str, NDArray[Any]]:
    """All known arrays of the archive, headers checked before anything is allocated."""
    infos: dict[str, zipfile.ZipInfo] = {}
    for info in archive.infolist():
        name = info.filename.removesuffix(".npy")
        if name in infos:
            raise TraceError(f"{path}: holds the array {name!r} twice")
        infos[name] = info
    for name in REQUIRED:
        if name not in infos:
            raise TraceError(f"{path}: the array {name!r} is missing")
    wanted = [name for name in (*REQUIRED, *OPTIONAL) if name in infos]
    total = sum(infos[name].file_size for name in wanted)
    if total > MOST_BYTES:
        raise TraceError(f"{path}: {total} bytes of readings are more than the {MOST_BYTES} that are read")
    return {name: _read_array(path, archive, infos[name], name) for name in wanted}


def _read_array(path: Path, archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> NDArray[Any]:
    try:
        with archive.open(info) as handle:
            shape, fortran, kind = _read_header(handle)
            if kind.hasobject:
                raise TraceError(f"{path}: {name} holds Python objects (a pickle); numbers were expected")
            cells = 1
            for side in shape:
                cells *= side
            if handle.tell() + cells * kind.itemsize != info.file_size:
                raise TraceError(
                    f"{path}: {name} says it holds {cells} values of {kind.itemsize} bytes, "
                    f"but {info.file_size} bytes are there"
                )
            data = handle.read()
            if len(data) != cells * kind.itemsize:
                raise TraceError(f"{path}: {name} is cut short")
            array = np.frombuffer(data, kind)
            return array.reshape(shape[::-1]).T if fortran else array.reshape(shape)
    except TraceError:
        raise
    except Exception as error:
        # numpy reads the header with Python's tokenizer, whose complaints are of many kinds.
        raise TraceError(f"{path}: the array {name!r} is damaged") from error


def _read_header(handle: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = npy.read_magic(handle)
    readers: dict[tuple[int, int], Callable[..., Any]] = {
        (1, 0): npy.read_array_header_1_0,
        (2, 0): npy.read_array_header_2_0,
    }
    if version not in readers:
        raise ValueError("unknown version of the .npy format")
    shape, fortran, kind = readers[version](handle, max_header_size=10_000)
    if any(side < 0 for side in shape):
        raise ValueError("negative shape")
    return shape, fortran, kind


def trace_of(path: Path, arrays: dict[str, NDArray[Any]]) -> Trace:
    """The trace of arrays as a file or a simulation holds them, checked; raises `TraceError` naming
    `path`.
    """

    def refuse(text: str) -> TraceError:
        return TraceError(f"{path}: {text}")

    def whole(name: str, low: int, high: int) -> int:
        array = arrays[name]
        if array.size != 1 or array.dtype.kind not in "iu":
            raise refuse(f"{name} must be one whole number")
        value = int(array.reshape(()))
        if not low <= value <= high:
            raise refuse(f"{name} is {value}; {low} to {high} was expected")
        return value

    def numbers(name: str, kinds: str, shape: tuple[int, ...]) -> NDArray[Any]:
        array = arrays[name]
        if array.dtype.kind not in kinds:
            raise refuse(f"{name} has values of type {array.dtype}; numbers were expected")
        if array.shape != shape:
            raise refuse(f"{name} has the shape {array.shape}; {shape} was expected")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise refuse(f"{name} holds a value that is not a finite number")
        return array

    rings, sectors = whole("rings", 1, MOST_ELECTRODES), whole("sectors", 1, MOST_ELECTRODES)
    electrodes = rings * sectors
    if electrodes > MOST_ELECTRODES:
        raise refuse(f"{rings} rings of {sectors} sectors are more than {MOST_ELECTRODES} electrodes")
    boot_id = whole("boot_id", -(2**63), 2**64 - 1)
    scans = arrays["t_us"].shape[0] if arrays["t_us"].ndim == 1 else -1
    if scans < 0:
        raise refuse("t_us must have one dimension")
    if scans == 0:
        raise refuse("t_us holds no scan at all; at least one was expected")
    t_us = numbers("t_us", "i", (scans,)).astype(np.int64)
    if np.abs(t_us.astype(np.float64)).max() > 2**60:
        raise refuse("t_us holds a time beyond 2^60 microseconds")
    steps = np.diff(t_us)
    if (steps <= 0).any():
        raise refuse(f"t_us runs backwards or stands still at scan {int(np.argmax(steps <= 0)) + 1}")
    counts = numbers("counts", "iu", (scans, electrodes))
    if counts.size and (counts.max() > 2**30 or counts.min() < -(2**30)):
        raise refuse("counts holds a reading beyond 2^30")
    tilt = numbers("tilt_deg", "fiu", (scans,))
    ring_mm = numbers("ring_mm", "fiu", (rings,)).astype(np.float64)
    if (np.diff(ring_mm) <= 0).any() or ring_mm[0] < 0 or ring_mm[-1] > 1000:
        raise refuse("ring_mm must rise from ring to ring, between 0 and 1000 mm")
    half = (ring_mm[1] - ring_mm[0]) / 2 if rings > 1 else ring_mm[0]
    height = float(ring_mm[-1] + half) or 120.0
    if "height_mm" in arrays:
        height = float(numbers("height_mm", "fiu", arrays["height_mm"].shape).ravel()[:1].sum())
        if not ring_mm[-1] <= height <= 2000:
            raise refuse(f"height_mm is {height:g}, less than the highest ring or more than 2000")
    if "diameter_mm" in arrays:
        numbers("diameter_mm", "fiu", arrays["diameter_mm"].shape)
    yaw = numbers("yaw_deg", "fiu", (scans,)).astype(np.float32) if "yaw_deg" in arrays else None
    return Trace(
        t_us,
        counts.astype(np.int32),
        np.clip(tilt, -360, 360).astype(np.float32),
        Layout(rings, sectors, ring_mm, height),
        boot_id,
        yaw,
        _seat_readings(path, arrays, numbers, scans, electrodes),
        numbers("seated", "biu", (scans,)).astype(bool) if "seated" in arrays else None,
    )


def _seat_readings(
    path: Path,
    arrays: dict[str, NDArray[Any]],
    numbers: Callable[[str, str, tuple[int, ...]], NDArray[Any]],
    scans: int,
    electrodes: int,
) -> SeatReadings | None:
    present = [name for name in SEAT_ARRAYS if name in arrays]
    if not present:
        return None
    if len(present) < len(SEAT_ARRAYS):
        missing = next(name for name in SEAT_ARRAYS if name not in arrays)
        raise TraceError(f"{path}: {present[0]} is there but {missing} is not; seat pads need both")
    names = arrays["seat_names"]
    if names.dtype.kind != "U" or names.ndim != 1 or not 1 <= names.size <= MOST_PLAYERS:
        raise TraceError(f"{path}: seat_names must be a list of 1 to {MOST_PLAYERS} names")
    texts = tuple(str(name) for name in names)
    if len(set(texts)) != len(texts):
        raise TraceError(f"{path}: seat_names holds a name twice")
    index = numbers("seat_index", "iu", (scans,))
    if index.size and (index.min() < -1 or index.max() >= len(texts)):
        raise TraceError(f"{path}: seat_index must lie between -1 and {len(texts) - 1}")
    delta = numbers("seat_delta", "iu", (scans, electrodes))
    if delta.size and (delta.max() > 32767 or delta.min() < -32768):
        raise TraceError(f"{path}: seat_delta holds a value that 16 bits cannot hold")
    return SeatReadings(texts, index.astype(np.int8), delta.astype(np.int16))
