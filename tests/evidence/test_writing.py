"""One stretch of time as files."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import cv2
import numpy as np
import pytest

from referee.evidence.crops import Crop
from referee.evidence.showing import clip_frame, frame_times, read_sheet
from referee.evidence.windows import CardShown, Mark, Wanted
from referee.evidence.writing import Stretch, write_stretch
from referee.totem.curves import read_curves
from referee.totem.trace import load_trace
from tests.evidence.table import STEP_US, batch, kept, of_kind, picture, sheet_of

MARK = Mark(20 * STEP_US + 3_000, "contact", "Ana", 4)
WANTED = Wanted(0, 40 * STEP_US, (2,), (MARK,), (CardShown(9, 3, "Ana", "face_up", "?", ("a/red", "b/red")),))


def stretch() -> Stretch:
    crop = Crop(9, 5 * STEP_US, cv2.imencode(".jpg", picture(5))[1].tobytes())
    return Stretch(WANTED, [kept(number) for number in range(41)], [batch(0, 41 * STEP_US)], {9: crop})


def test_every_file_is_what_its_item_says_and_nothing_else_is_left(tmp_path: Path) -> None:
    items = write_stretch(tmp_path, stretch())
    assert sorted(item.kind for item in items) == ["clip", "counts", "crop", "frame", "sheet"]
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(item.name for item in items)
    for item in items:
        content = (tmp_path / item.name).read_bytes()
        assert (len(content), hashlib.sha256(content).hexdigest()) == (item.bytes, item.sha256)
        assert item.name.startswith(item.id)


def test_a_clip_is_webm_and_gives_back_every_frame_with_its_true_time(tmp_path: Path) -> None:
    items = write_stretch(tmp_path, stretch())
    sheet = sheet_of(tmp_path, items)
    clip = tmp_path / of_kind(items, "clip")[0].name
    assert clip.suffix == ".webm"
    assert frame_times(sheet) == [number * STEP_US for number in range(41)]
    for number in (0, 17, 40):
        jpeg, t_us = clip_frame(clip, sheet, number)
        shown = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
        assert t_us == number * STEP_US
        assert abs(float(shown[60, 80].mean()) - (60 + number)) < 4


def test_the_frame_nearest_to_a_contact_is_kept_exactly_as_it_was_held(tmp_path: Path) -> None:
    items = write_stretch(tmp_path, stretch())
    (frame,) = of_kind(items, "frame")
    assert (tmp_path / frame.name).read_bytes() == kept(20).jpeg
    assert sheet_of(tmp_path, items)["frames"][0]["marks"] == [0]


def test_counts_are_a_trace_and_plot_as_plain_numbers(tmp_path: Path) -> None:
    items = write_stretch(tmp_path, stretch())
    path = tmp_path / of_kind(items, "counts")[0].name
    assert int(load_trace(path).t_us[-1]) <= WANTED.to_us
    rings = read_curves(path)["rings"]
    assert max(rings[1]["level"]) > 50 > max(rings[3]["level"])


def test_a_totem_that_started_anew_gives_a_trace_for_each_start(tmp_path: Path) -> None:
    wanted = Wanted(0, 900_000, (0,))
    items = write_stretch(tmp_path, Stretch(wanted, [], [batch(0, 400_000), batch(500_000, 900_000, boot_id=8)], {}))
    assert [load_trace(tmp_path / item.name).boot_id for item in of_kind(items, "counts")] == [7, 8]


def test_a_card_is_shown_with_both_its_candidates(tmp_path: Path) -> None:
    (crop,) = sheet_of(tmp_path, write_stretch(tmp_path, stretch()))["crops"]
    assert crop["candidates"] == ["a/red", "b/red"]
    assert crop["t_us"] == 5 * STEP_US


def test_a_sheet_that_is_none_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(ValueError, match="is no sheet"):
        read_sheet(tmp_path / "a.json")


def test_a_stretch_of_which_nothing_is_left_writes_nothing(tmp_path: Path) -> None:
    assert write_stretch(tmp_path, Stretch(WANTED, [], [], dict(stretch().crops))) == []
    assert list(tmp_path.iterdir()) == []


def test_nothing_of_a_library_is_printed_while_a_clip_is_written(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write_stretch(tmp_path, stretch())
    assert capfd.readouterr() == ("", "")


FULL = """
    import subprocess, sys
    from pathlib import Path
    from referee.evidence import files
    from referee.evidence.writing import write_stretch
    from tests.evidence.test_writing import stretch
    disk = Path(sys.argv[1])
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={sys.argv[2]}", "none", str(disk)], check=True)
    files.RESERVE_BYTES = 0
    try:
        write_stretch(disk / "game", stretch())
    except OSError as error:
        print("said:", error)
    print("left:", len(list((disk / "game").iterdir())))
"""


def _may_mount() -> bool:
    if shutil.which("unshare") is None:
        return False
    try_it = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]
    return subprocess.run(try_it, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("room", ["16k", "40k"])
def test_a_disk_that_is_really_full_leaves_nothing_half_written(tmp_path: Path, room: str) -> None:
    if not _may_mount():
        pytest.skip("this system lets nobody mount a small disk")
    command = ["unshare", "-rm", sys.executable, "-c", textwrap.dedent(FULL), str(tmp_path), room]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2], check=True)
    assert "said:" in done.stdout
    assert "left: 0" in done.stdout
