"""Enrolment: from photographs, and guided at a desk with a camera."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.card_finder import find_plain
from calibration.deck import CardInHand, enrol_guided, enrol_photos, photo_id
from calibration.desk import Desk
from referee.cli import main
from referee.deck.collect import plan_for
from referee.deck.folder import load_deck, picture, resolve_deck
from referee.deck.looks import at_size, look_of
from referee.deck.near import distance
from referee.deck.write import NewCard
from referee.errors import DeckError
from tests.calibration.tables import Picture, photograph

RUSH = resolve_deck("builtin:totem-rush")
PLAN = plan_for("mine", "jungle-speed")


def photo_of(card_id: str, rng: np.random.Generator, **how: float) -> Picture:
    turn = float(rng.uniform(0, 360))
    return photograph(picture(RUSH.card(card_id)), RUSH.card_mm, rng, turn_deg=turn, **how)[0]  # type: ignore[arg-type]


def apart(pixels: Picture, card_id: str) -> float:
    """How far a picture is from a card of Totem Rush."""
    maps = [look_of("", side, RUSH.card_mm, "symbol").map for side in (pixels, picture(RUSH.card(card_id)))]
    return distance(at_size(maps[0], 80), at_size(maps[1], 80))


def decoded(card: NewCard) -> Picture:
    return np.asarray(cv2.imdecode(np.frombuffer(card.picture, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def save(folder: Path, photos: dict[str, Picture]) -> Path:
    folder.mkdir()
    for name, photo in photos.items():
        cv2.imwrite(str(folder / name), photo, [cv2.IMWRITE_JPEG_QUALITY, 92])
    return folder


@pytest.mark.parametrize(
    ("stem", "card_id"),
    [
        ("knot+green-1", "knot/green"),
        ("knot+green", "knot/green"),
        ("loops-5+blue", "loops-5/blue"),
        ("loops-5+blue-12", "loops-5/blue"),
        ("10S-2", "10S"),
        ("1star-1", "1*"),
    ],
)
def test_a_photograph_is_named_after_its_card_and_look(stem: str, card_id: str) -> None:
    assert photo_id(stem) == card_id


def test_cards_are_enrolled_from_several_looks_each(tmp_path: Path) -> None:
    rng = np.random.default_rng(21)
    ids = ("wheel-round/blue", "wheel-eight/yellow", "arrow/out")
    photos = {f"{card_id.replace('/', '+')}-{i}.jpg": photo_of(card_id, rng) for card_id in ids for i in range(1, 4)}
    enrolled = enrol_photos(save(tmp_path / "p", photos), PLAN, find_plain)
    assert {(card.id, card.count) for card in enrolled.cards} == {("arrow/out", 3), (ids[0], 1), (ids[1], 1)}
    assert enrolled.refused == ()
    for card in enrolled.cards:
        own = apart(decoded(card), card.id)
        twin = {"wheel-round/blue": "wheel-eight/blue", "wheel-eight/yellow": "wheel-round/yellow"}.get(
            card.id, "arrow/in"
        )
        assert own < 0.5 * apart(decoded(card), twin)


def test_a_speck_of_glare_in_one_look_is_gone_from_the_merged_picture(tmp_path: Path) -> None:
    rng = np.random.default_rng(22)
    looks = [photo_of("nest-2/blue", rng, glare_mm=mm) for mm in (7.0, 0.0, 0.0)]
    hand = CardInHand("nest-2/blue", PLAN)
    assert [hand.add(look, find_plain) for look in looks] == [None, None, None]
    assert apart(decoded(hand.finished()), "nest-2/blue") < apart(hand.looks[0], "nest-2/blue")


def test_poor_looks_are_refused_and_said_why(tmp_path: Path) -> None:
    rng = np.random.default_rng(23)
    photos = {
        "seeds+red-1.jpg": photo_of("seeds/red", rng, blur_px=4.0),
        "seeds+red-2.jpg": photo_of("seeds/red", rng),
        "seeds+red-3.jpg": photo_of("moon-wide/red", rng),
        "nest-3+red-1.jpg": photo_of("nest-3/red", rng, glare_mm=25.0),
    }
    enrolled = enrol_photos(save(tmp_path / "p", photos), PLAN, find_plain)
    assert [card.id for card in enrolled.cards] == ["seeds/red"]
    assert enrolled.missing == ("nest-3/red",)
    said = dict(enrolled.refused)
    assert said["seeds+red-1.jpg"].startswith("blurred")
    assert "another card" in said["seeds+red-3.jpg"]
    assert said["nest-3+red-1.jpg"].startswith("glare")


def test_one_damaged_photograph_does_not_stop_a_whole_box(tmp_path: Path) -> None:
    rng = np.random.default_rng(31)
    folder = save(tmp_path / "p", {"seeds+red-1.jpg": photo_of("seeds/red", rng)})
    (folder / "seeds+red-2.jpg").write_text("no photograph")
    (folder / "nest-2+red-1.jpg").write_bytes(b"")
    enrolled = enrol_photos(folder, PLAN, find_plain)
    assert [card.id for card in enrolled.cards] == ["seeds/red"]
    assert enrolled.missing == ("nest-2/red",)
    assert [name for name, _ in enrolled.refused] == ["nest-2+red-1.jpg", "seeds+red-2.jpg"]
    assert all("not a picture" in why for _, why in enrolled.refused)


def test_photographs_that_cannot_be_used_at_all_are_wrong_input(tmp_path: Path) -> None:
    rng = np.random.default_rng(24)
    with pytest.raises(DeckError, match="no such folder"):
        enrol_photos(tmp_path / "nowhere", PLAN, find_plain)
    with pytest.raises(DeckError, match="no photograph in this folder"):
        enrol_photos(tmp_path, PLAN, find_plain)
    with pytest.raises(DeckError, match="'IMG_0001' is no card"):
        enrol_photos(save(tmp_path / "a", {"IMG_0001.jpg": photo_of("seeds/red", rng)}), PLAN, find_plain)
    with pytest.raises(DeckError, match=r"no photograph can be used; seeds\+red\.jpg: blurred"):
        enrol_photos(save(tmp_path / "b", {"seeds+red.jpg": photo_of("seeds/red", rng, blur_px=5)}), PLAN, find_plain)


class Table:
    """Somebody at the desk who gives these answers while the camera shows these pictures."""

    def __init__(self, answers: Iterable[str], pictures: Iterable[Picture]) -> None:
        self.answers, self.pictures = iter(answers), iter(pictures)
        self.said: list[str] = []
        self.kept: list[list[str]] = []

    def desk(self) -> Desk:
        return Desk(lambda: next(self.pictures), lambda _question: next(self.answers, None), self.said.append)

    def keep(self, cards: Sequence[NewCard]) -> None:
        self.kept.append([card.id for card in cards])


def test_a_guided_session_asks_again_until_the_looks_are_good() -> None:
    rng = np.random.default_rng(25)
    pictures = [
        photo_of("seeds/red", rng, blur_px=4.0),
        photo_of("seeds/red", rng),
        photo_of("seeds/red", rng),
    ]
    table = Table(["", "", ""], pictures)
    enrolled = enrol_guided(PLAN, ["seeds/red"], 2, table.desk(), find_plain, table.keep)
    assert [card.id for card in enrolled.cards] == ["seeds/red"]
    assert table.said[0].startswith("no: blurred")
    assert table.said[1:] == ["good.", "good.", "seeds/red is kept (2 looks)."]
    assert table.kept == [["seeds/red"]]


def test_a_card_can_be_skipped_and_a_session_left_and_nothing_kept_is_lost() -> None:
    rng = np.random.default_rng(26)
    table = Table(["s", "", "q"], [photo_of("seeds/red", rng)])
    ids = ["nest-2/red", "seeds/red", "moon-wide/red"]
    enrolled = enrol_guided(PLAN, ids, 1, table.desk(), find_plain, table.keep)
    assert table.kept == [["seeds/red"]]
    assert enrolled.missing == ("nest-2/red", "moon-wide/red")


def test_the_same_card_laid_twice_is_noticed() -> None:
    rng = np.random.default_rng(27)
    again = photo_of("seeds/red", rng)
    table = Table(["", "", "n"], [again, again])
    enrolled = enrol_guided(PLAN, ["seeds/red", "nest-2/red"], 1, table.desk(), find_plain, table.keep)
    assert [card.id for card in enrolled.cards] == ["seeds/red"]
    assert enrolled.missing == ("nest-2/red",)


def test_ids_are_asked_for_where_a_game_has_no_fixed_ones() -> None:
    rng = np.random.default_rng(28)
    table = Table(["10S", "seeds/red", "", "seeds/red", ""], [photo_of("seeds/red", rng)])
    enrolled = enrol_guided(PLAN, None, 1, table.desk(), find_plain, table.keep)
    assert [card.id for card in enrolled.cards] == ["seeds/red"]
    assert "'10S' is no card of jungle-speed" in table.said[0]
    assert "already" in table.said[-1]


def test_the_command_makes_a_deck_from_photographs_and_says_no_when_a_card_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = np.random.default_rng(29)
    photos = {
        "seeds+red.jpg": photo_of("seeds/red", rng),
        "nest-2+red.jpg": photo_of("nest-2/red", rng, blur_px=5),
    }
    folder = save(tmp_path / "p", photos)
    words = ["deck", "enrol", "--photos", str(folder), "--game", "jungle-speed", "--out", str(tmp_path / "d")]
    assert main([*words, "--json"]) == 1
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row.get("refused") for row in rows] == ["nest-2+red.jpg", "nest-2/red", None]
    assert rows[-1]["different"] == 1
    assert main(words) == 2
    (folder / "nest-2+red.jpg").unlink()
    assert main([*words, "--force"]) == 0
    assert [card.id for card in load_deck(tmp_path / "d").cards] == ["seeds/red"]


def a_video(path: Path, pictures: Iterable[Picture], frames_each: int) -> None:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 30, (1280, 960))
    assert writer.isOpened()
    for shown in pictures:
        for _ in range(frames_each):
            writer.write(shown)
    writer.release()


def test_the_command_enrols_from_a_camera(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(30)
    # A recording stands in for the camera: five stale frames and a fresh one for each look.
    a_video(tmp_path / "camera.avi", [photo_of("seeds/red", rng), photo_of("nest-2/red", rng)], 6)
    (tmp_path / "ids.txt").write_text("seeds/red\nnest-2/red\n")
    monkeypatch.setattr("sys.stdin", io.StringIO("\n\n"))
    words = ["deck", "enrol", "--camera", str(tmp_path / "camera.avi"), "--ids", str(tmp_path / "ids.txt")]
    words += ["--game", "jungle-speed", "--out", str(tmp_path / "d"), "--looks", "1"]
    assert main(words) == 0
    captured = capsys.readouterr()
    assert "2 different cards" in captured.out
    assert "seeds/red, look 1 of 1" in captured.err
    deck = load_deck(tmp_path / "d")
    assert [card.id for card in deck.cards] == ["seeds/red", "nest-2/red"]
    assert apart(picture(deck.card("nest-2/red")), "nest-2/red") < 0.03


def test_a_camera_that_is_not_there_is_said_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "deck",
        "enrol",
        "--camera",
        str(tmp_path / "none"),
        "--game",
        "dobro",
        "--out",
        str(tmp_path / "d"),
    ]
    assert main(words) == 2
    assert "cannot be opened" in capsys.readouterr().err
    assert not (tmp_path / "d").exists()


@pytest.mark.parametrize("text", ["", "10S\n", "seeds/red\nseeds/red\n"])
def test_a_list_of_ids_that_cannot_be_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    (tmp_path / "ids.txt").write_text(text)
    words = ["deck", "enrol", "--camera", "0", "--ids", str(tmp_path / "ids.txt"), "--game", "jungle-speed"]
    assert main([*words, "--out", str(tmp_path / "d")]) == 2
    assert "ids.txt" in capsys.readouterr().err
