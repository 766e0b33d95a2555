"""Videos and folders of pictures as sources."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.errors import PictureError
from referee.health import Freshness
from referee.sim.camera_devices import number_in, numbered_picture
from referee.vision.camera import Frame, FrameSource
from referee.vision.cameras.recorded import PictureFolder, VideoFile
from tests.vision.cameras.contract import SourceContract

FRAMES = 12
WIDTH, HEIGHT = 240, 32


def write_video(path: Path, frames: int = FRAMES, fps: float = 25.0) -> Path:
    """A video whose frames carry their numbers."""
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), fps, (WIDTH, HEIGHT))
    for number in range(frames):
        writer.write(numbered_picture(number, WIDTH, HEIGHT))
    writer.release()
    return path


def write_folder(path: Path, frames: int = FRAMES) -> Path:
    """A folder of pictures that carry their numbers, which are not padded with zeros."""
    path.mkdir()
    for number in range(frames):
        cv2.imwrite(str(path / f"frame-{number}.png"), numbered_picture(number, WIDTH, HEIGHT))
    return path


def write_times(path: Path, times: list[int]) -> Path:
    """A file of frame times."""
    path.write_text("".join(f"{t_us}\n" for t_us in times))
    return path


def uneven(frames: int = FRAMES) -> list[int]:
    """Times no steady rate gives."""
    return [1000 + 33_000 * i + 700 * (i % 3) for i in range(frames)]


class TestVideo(SourceContract):
    @pytest.fixture
    def source(self, tmp_path: Path) -> Iterator[FrameSource]:
        source = VideoFile(write_video(tmp_path / "table.avi"))
        yield source
        source.close()


class TestVideoWithTimes(SourceContract):
    @pytest.fixture
    def source(self, tmp_path: Path) -> Iterator[FrameSource]:
        source = VideoFile(write_video(tmp_path / "table.avi"), times=write_times(tmp_path / "t.txt", uneven()))
        yield source
        source.close()


class TestFolder(SourceContract):
    @pytest.fixture
    def source(self, tmp_path: Path) -> Iterator[FrameSource]:
        source = PictureFolder(write_folder(tmp_path / "frames"), fps=25.0)
        yield source
        source.close()


@pytest.mark.parametrize("kind", ["video", "folder"])
def test_every_frame_is_given_in_order_with_its_own_time(kind: str, tmp_path: Path) -> None:
    times = write_times(tmp_path / "t.txt", uneven())
    source: FrameSource
    if kind == "video":
        source = VideoFile(write_video(tmp_path / "table.avi"), times=times)
    else:
        source = PictureFolder(write_folder(tmp_path / "frames"), times=times)
    frames = list(source.frames())
    assert [frame.number for frame in frames] == list(range(FRAMES))
    assert [frame.t_us for frame in frames] == uneven()
    # A written video is lossy; its numbers are drawn large enough to survive that.
    assert [number_in(np.asarray((frame.picture > 127) * 255, np.uint8)) for frame in frames] == list(range(FRAMES))
    assert source.ended
    assert source.health().problem == "the recording is over"
    assert source.health().freshness is Freshness.LOST
    assert source.health().dropped == 0


def test_without_times_a_frame_stands_at_its_number_over_the_rate(tmp_path: Path) -> None:
    source = VideoFile(write_video(tmp_path / "table.avi", fps=25.0), fps=30.0)
    assert [frame.t_us for frame in source.frames()] == [40_000 * i for i in range(FRAMES)]


def test_a_folder_without_times_and_rate_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match=r"frames: has no frame rate, expected a file of frame times or a rate"):
        PictureFolder(write_folder(tmp_path / "frames"))


def test_the_rate_of_a_folder_with_times_is_that_of_its_times(tmp_path: Path) -> None:
    times = write_times(tmp_path / "t.txt", [50_000 * i for i in range(FRAMES)])
    assert PictureFolder(write_folder(tmp_path / "frames"), times=times).fps == 20.0


@pytest.mark.parametrize(("count", "said"), [(FRAMES - 1, "11 times"), (FRAMES + 3, "15 times"), (1, "1 times")])
def test_times_that_are_too_few_or_too_many_are_refused_before_the_first_frame(
    count: int, said: str, tmp_path: Path
) -> None:
    times = write_times(tmp_path / "t.txt", uneven(count))
    with pytest.raises(PictureError, match=rf"t\.txt: has {said}, but .*table\.avi has 12 frames$"):
        VideoFile(write_video(tmp_path / "table.avi"), times=times)
    with pytest.raises(PictureError, match=rf"t\.txt: has {said}, but .*frames has 12 frames$"):
        PictureFolder(write_folder(tmp_path / "frames"), times=times)


def test_a_video_that_is_not_there_is_no_video_or_is_a_folder_says_so(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match=r"none\.mp4: there is no such video"):
        VideoFile(tmp_path / "none.mp4")
    (tmp_path / "text.mp4").write_text("hello")
    with pytest.raises(PictureError, match=r"text\.mp4: cannot be opened, expected a whole video"):
        VideoFile(tmp_path / "text.mp4")
    (tmp_path / "empty.mp4").touch()
    with pytest.raises(PictureError, match=r"empty\.mp4: cannot be opened"):
        VideoFile(tmp_path / "empty.mp4")
    with pytest.raises(PictureError, match="is no file"):
        VideoFile(tmp_path)


def cut_short(video: Path, part: float) -> None:
    """Cut the end off the pictures of a video but keep the index that says how many there were."""
    whole = video.read_bytes()
    first, last = whole.index(b"movi"), whole.rindex(b"idx1")
    keep = first + int((last - first) * part)
    video.write_bytes(whole[:keep] + bytes(last - keep) + whole[last:])


def test_a_video_that_breaks_off_gives_its_frames_and_then_says_so(tmp_path: Path) -> None:
    video = write_video(tmp_path / "table.avi", frames=60)
    cut_short(video, 0.5)
    source = VideoFile(video)
    given: list[Frame] = []
    with pytest.raises(PictureError, match=r"table\.avi: breaks off after \d+ of 60 frames$"):
        given.extend(source.frames())
    assert 20 <= len(given) <= 40
    assert source.ended
    assert source.poll(0) is None
    assert "breaks off" in str(source.health().problem)


def test_a_damaged_video_prints_nothing_of_its_decoder(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    video = write_video(tmp_path / "table.avi", frames=30)
    cut_short(video, 0.3)
    with pytest.raises(PictureError):
        list(VideoFile(video).frames())
    (tmp_path / "text.mp4").write_bytes(b"\0\0\0\x18ftypmp42" + b"x" * 500)
    with pytest.raises(PictureError):
        VideoFile(tmp_path / "text.mp4")
    assert capfd.readouterr().err == ""


def test_a_folder_without_pictures_says_so(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    with pytest.raises(PictureError, match="there is no picture in this folder"):
        PictureFolder(tmp_path, fps=30)
    with pytest.raises(PictureError, match="cannot be read, expected a folder"):
        PictureFolder(tmp_path / "none", fps=30)


def test_a_picture_of_another_size_ends_the_folder_in_one_sentence(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "frames", 3)
    cv2.imwrite(str(folder / "frame-2.png"), np.zeros((40, 40, 3), np.uint8))
    source = PictureFolder(folder, fps=30)
    given: list[Frame] = []
    with pytest.raises(PictureError, match=r"frame-2\.png: is 40×40 pixels, expected 240×32"):
        given.extend(source.frames())
    assert [frame.number for frame in given] == [0, 1]


def test_a_broken_picture_ends_the_folder_in_one_sentence(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "frames", 3)
    (folder / "frame-1.png").write_bytes(b"no picture")
    with pytest.raises(PictureError, match=r"frame-1\.png: cannot be opened"):
        list(PictureFolder(folder, fps=30).frames())
