"""Which source a profile or the command line means."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import cv2
import pytest

from referee.errors import HardwareError, PictureError, ProfileError
from referee.sim.camera_devices import numbered_picture
from referee.vision.camera import CameraSettings, camera_settings, is_live, open_camera
from referee.vision.cameras.live import LiveCamera
from referee.vision.cameras.recorded import PictureFolder, VideoFile
from tests.vision.cameras.contract import until
from tests.vision.cameras.test_recorded import write_folder, write_video


def now() -> int:
    return 0


def test_a_profile_says_all_there_is_to_say() -> None:
    said = {"source": 2, "width": 1280, "height": 720, "fps": 30, "offset_us": -1500, "latency_us": 70_000, "more": 1}
    assert camera_settings(said, "p.toml") == CameraSettings("2", 1280, 720, 30.0, -1500, 70_000)


def test_the_command_line_goes_before_the_profile() -> None:
    assert camera_settings({"source": "picamera2"}, "p.toml", "table.mp4").source == "table.mp4"
    assert camera_settings({}, "p.toml", "0").source == "0"


@pytest.mark.parametrize(
    ("camera", "said"),
    [
        ({}, "camera.source: expected picamera2, a device"),
        ({"source": ""}, "camera.source: expected"),
        ({"source": True}, "camera.source: expected"),
        ({"source": "0", "fps": "fast"}, "camera.fps: expected a number"),
        ({"source": "0", "fps": 0}, "camera.fps: expected a number from 0.1 to 1000, found 0"),
        ({"source": "0", "width": True}, "camera.width: expected a number"),
        ({"source": "0", "height": -5}, "camera.height: expected a number from 1"),
        ({"source": "0", "offset_us": float("nan")}, "camera.offset_us: expected a number"),
        ({"source": "0", "latency_us": 1e12}, "camera.latency_us: expected a number from 0"),
    ],
)
def test_a_camera_table_that_is_wrong_is_named(camera: dict[str, Any], said: str) -> None:
    with pytest.raises(ProfileError) as caught:
        camera_settings(camera, "p.toml")
    assert str(caught.value).startswith("p.toml: ")
    assert said in str(caught.value)


@pytest.mark.parametrize("source", ["picamera2", "0", "12", "/dev/video0", "/dev/v4l/by-id/usb-cam", "rtsp://cam/1"])
def test_cameras_are_told_from_recordings(source: str) -> None:
    assert is_live(source)
    assert not is_live(source.strip("/") + ".mp4") or "://" in source


def test_files_and_folders_are_recordings(tmp_path: Path) -> None:
    video = open_camera(CameraSettings(str(write_video(tmp_path / "table.avi"))), now)
    assert isinstance(video, VideoFile)
    video.close()
    folder = open_camera(CameraSettings(str(write_folder(tmp_path / "frames")), fps=30.0), now)
    assert isinstance(folder, PictureFolder)
    with pytest.raises(PictureError, match="there is no such video"):
        open_camera(CameraSettings(str(tmp_path / "none")), now)


def test_times_do_not_go_with_a_live_camera(tmp_path: Path) -> None:
    with pytest.raises(PictureError, match="frame times are for a recording, and 0 is a live camera"):
        open_camera(CameraSettings("0"), now, tmp_path / "t.txt")


def test_picamera2_where_it_is_not_installed_says_how_to_get_it() -> None:
    if importlib.util.find_spec("picamera2") is not None:
        pytest.skip("picamera2 is installed here")
    with pytest.raises(HardwareError, match="sudo apt install python3-picamera2"):
        open_camera(CameraSettings("picamera2"), now)


def test_a_device_that_does_not_exist_is_lost_and_says_so(capfd: pytest.CaptureFixture[str]) -> None:
    source = open_camera(CameraSettings("/dev/video987"), now)
    assert isinstance(source, LiveCamera)
    try:
        assert until(lambda: source.poll(0.02) is None and "cannot be opened" in str(source.health().problem))
    finally:
        source.close()
    assert capfd.readouterr().err == ""


def test_a_stream_that_breaks_is_lost_and_opened_again(tmp_path: Path) -> None:
    video = tmp_path / "stream.avi"
    writer = cv2.VideoWriter(str(video), cv2.VideoWriter.fourcc(*"MJPG"), 25.0, (240, 32))
    for number in range(40):
        writer.write(numbered_picture(number, 240, 32))
    writer.release()
    source = open_camera(CameraSettings(f"file://{video}"), lambda: 0)
    try:
        assert until(lambda: source.poll(0.02) is not None)
        assert source.health().clock_error_us > 35_000
        assert until(lambda: source.poll(0.02) is None and "gives no more pictures" in str(source.health().problem))
    finally:
        source.close()
