"""Opening pictures and videos as BGR arrays, whatever they were saved by.

Written rules of this module:
- every picture that can be opened ends in one H×W×3 uint8 array, upright as its EXIF tag says; every other
  one in a `PictureError` of one sentence;
- the size is looked at before pixels are decoded: a picture larger than `LARGEST_PIXELS` is read at a
  reduced size when its format can do that (JPEG), otherwise refused;
- of an animated picture the first frame is read.
Does not belong here: cameras, what is in the picture.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from referee.errors import PictureError

PICTURES = (".jpg", ".jpeg", ".png", ".webp")
VIDEOS = (".mp4", ".avi", ".mkv", ".mov", ".webm", ".m4v")
LARGEST_PIXELS = 60_000_000
SMALLEST_SIDE = 16
_FORMATS = ("JPEG", "PNG", "WEBP")

# Pillow's own limit refuses large pictures before their size can be asked; ours is lower and says why.
Image.MAX_IMAGE_PIXELS = None


def open_picture(path: Path) -> NDArray[np.uint8]:
    """The picture in a file, H×W×3, BGR; raises `PictureError`."""
    try:
        with warnings.catch_warnings():
            # Pillow warns of large and of slightly broken pictures; both are judged here.
            warnings.simplefilter("ignore")
            with Image.open(path, formats=_FORMATS) as opened:
                return _pixels(opened, path)
    except FileNotFoundError as error:
        raise PictureError(f"{path}: there is no such picture") from error
    except IsADirectoryError as error:
        raise PictureError(f"{path}: is a folder, expected a picture") from error
    except PictureError:
        raise
    except (OSError, ValueError, SyntaxError, EOFError, MemoryError, Image.DecompressionBombError) as error:
        # Pillow's decoders raise SyntaxError and ValueError for broken files too.
        raise PictureError(f"{path}: cannot be opened, expected a whole JPEG, PNG or WebP picture") from error


def _pixels(opened: Image.Image, path: Path) -> NDArray[np.uint8]:
    width, height = opened.size
    if width * height > LARGEST_PIXELS:
        if opened.format == "JPEG":
            # A JPEG can be decoded at an eighth to a half of its size without the whole in memory.
            part = next((p for p in (2, 4, 8) if width * height <= p * p * LARGEST_PIXELS), 8)
            opened.draft("RGB", (width // part, height // part))
        if opened.size[0] * opened.size[1] > LARGEST_PIXELS:
            raise PictureError(
                f"{path}: is {width}×{height} pixels, expected at most {LARGEST_PIXELS // 1_000_000} million"
            )
    deep = opened.mode.startswith("I") or opened.mode == "F"
    upright = ImageOps.exif_transpose(opened)
    if deep:
        values = np.asarray(upright, np.float32)
        grey = np.clip(values / max(1.0, 257.0 if values.max() > 255 else 1.0), 0, 255).astype(np.uint8)
        return np.ascontiguousarray(np.repeat(grey[:, :, None], 3, 2))
    if upright.mode in ("RGBA", "LA", "PA") or "transparency" in upright.info:
        layered = upright.convert("RGBA")
        paper = Image.new("RGBA", layered.size, (255, 255, 255, 255))
        upright = Image.alpha_composite(paper, layered)
    rgb = np.asarray(upright.convert("RGB"), np.uint8)
    return np.ascontiguousarray(rgb[:, :, ::-1])


def is_video(path: Path) -> bool:
    """Whether a file's name says that it is a video."""
    return path.suffix.lower() in VIDEOS


def video_frames(path: Path) -> Iterator[tuple[int, NDArray[np.uint8]]]:
    """Every frame of a video with its number, from 0; raises `PictureError` when it has none."""
    if not path.is_file():
        raise PictureError(f"{path}: there is no such video")
    capture = cv2.VideoCapture(str(path))
    number = 0
    try:
        while True:
            read, frame = capture.read()
            if not read:
                break
            yield number, np.asarray(frame, np.uint8)
            number += 1
    finally:
        capture.release()
    if number == 0:
        raise PictureError(f"{path}: cannot be opened, expected a video")


def find_pictures(paths: list[Path]) -> list[Path]:
    """The pictures and videos named, and those in the folders named (by name; not in folders within)."""
    result: list[Path] = []
    for path in paths:
        if path.is_dir():
            inside = [p for p in path.iterdir() if p.suffix.lower() in (*PICTURES, *VIDEOS) and p.is_file()]
            if not inside:
                raise PictureError(f"{path}: there is no picture or video in this folder")
            result.extend(sorted(inside))
        else:
            result.append(path)
    return result
