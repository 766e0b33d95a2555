"""The one door: order, secrets, a caller that never waits, outputs that break."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.announce.announcer import MOST_WAITING, Announcer, open_outputs
from referee.announce.console import Console
from referee.announce.lamps import PinNumbers
from referee.announce.outputs import Health, Notice, Output, Status
from referee.announce.settings import AnnounceSettings
from referee.gpio import pin_factory
from referee.words import Expected
from tests.announce.samples import PLAYERS, HandClock, arrow, duel, ruling, triple, wait_until, won
from tests.rules import golden

OFF = AnnounceSettings(engine="off")
FLIP = Expected(waiting_for="flip", may_flip=["Ana"], may_take=[], asked=None)


class Odd:
    """An output that does what a test wants when it is handed something."""

    name = "odd"

    def __init__(self, does: Callable[[], None] = lambda: None) -> None:
        self.health = Health()
        self.statuses: list[Status] = []
        self.places: list[int] = []
        self._does = does

    def ruled(self, notice: Notice) -> None:
        self.places.append(notice.place)
        self._does()

    def overturned(self, places: frozenset[int]) -> None:
        self.places = [place for place in self.places if place not in places]

    def status(self, status: Status) -> None:
        self.statuses.append(status)

    def close(self, wait_s: float) -> None: ...


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def announce(told: list[str]) -> Iterator[Callable[..., tuple[Announcer, list[str]]]]:
    made: list[Announcer] = []

    def make(
        *outputs: Output, settings: AnnounceSettings = OFF, game: str = "jungle-speed"
    ) -> tuple[Announcer, list[str]]:
        lines: list[str] = []
        console = Console(game, "en", lines.append)
        announcer = Announcer(settings, PLAYERS, game, outputs=[*outputs, console], tell=told.append)
        made.append(announcer)
        return announcer, lines

    yield make
    for announcer in made:
        announcer.close(5.0)


Make = Callable[..., tuple[Announcer, list[str]]]


def test_rulings_come_out_in_order_and_once(announce: Make) -> None:
    announcer, lines = announce()
    for place, winner in ((0, "Ana"), (1, "Chloé"), (0, "Ana"), (1, "Driss")):
        announcer.ruled(place, won(winner))
    announcer.close()
    assert [line.split()[1] for line in lines] == ["Ana", "Chloé"]


def test_a_duel_comes_out_only_where_the_table_wants_it(announce: Make) -> None:
    for how, expected in (("after", 1), ("at-once", 3)):
        announcer, lines = announce(settings=AnnounceSettings(engine="off", duel=how))
        for place, given in enumerate((duel(), triple(), won())):
            announcer.ruled(place, given)
        announcer.close()
        assert len(lines) == expected


@pytest.mark.parametrize("name", golden.GAMES)
def test_of_a_whole_game_exactly_the_public_rulings_come_out(announce: Make, name: str) -> None:
    kept = golden.read(name)
    seen = Odd()
    announcer, _ = announce(seen, game=kept.header["game"])
    public = []
    for place, given in enumerate(kept.rulings):
        announcer.ruled(place, given)
        if given["public"]:
            public.append(place)
        if place % 500 == 499:
            assert wait_until(lambda: len(seen.places) == len(public))
    announcer.close()
    assert seen.places == public


def test_what_is_overturned_before_it_comes_does_not_come_out(announce: Make) -> None:
    announcer, lines = announce()
    announcer.overturned([3])
    announcer.ruled(3, won())
    announcer.ruled(4, arrow())
    announcer.close()
    assert len(lines) == 1


def test_a_caller_does_not_wait_for_an_output_that_hangs(announce: Make, told: list[str]) -> None:
    go_on = threading.Event()
    hanging = Odd(lambda: go_on.wait(60) and None)
    announcer, _ = announce(hanging)

    def session() -> None:
        for place in range(MOST_WAITING + 51):
            announcer.ruled(place, won())
            announcer.status(FLIP, {"turn": "Ana"})

    caller = threading.Thread(target=session)
    announcer.ruled(5_000, won())
    assert wait_until(lambda: hanging.places == [5_000])
    caller.start()
    caller.join(30)
    try:
        assert not caller.is_alive()
        assert announcer.health["announcer"] == "the announcer was too far behind: 51 messages were let go"
    finally:
        go_on.set()


def test_an_output_that_breaks_is_named_and_the_others_go_on(announce: Make, told: list[str]) -> None:
    def bug() -> None:
        raise KeyError("bug")

    broken = Odd(bug)
    announcer, lines = announce(broken)
    for place in range(3):
        announcer.ruled(place, won())
    announcer.close()
    assert len(lines) == 3
    assert broken.places == [0]
    assert announcer.health == {"odd": "odd has stopped: KeyError('bug')"}
    assert told == ["odd has stopped: KeyError('bug')"]


def test_what_is_wrong_is_told_once(announce: Make, told: list[str]) -> None:
    ill = Odd()
    announcer, _ = announce(ill)
    ill.health.ill("the lamp is out")
    for place in range(5):
        announcer.ruled(place, won())
    announcer.close()
    assert told == ["the lamp is out"]
    assert announcer.health == {"odd": "the lamp is out"}
    ill.health.well()
    assert announcer.health == {}


def test_a_status_is_handed_on_only_when_it_changes(announce: Make) -> None:
    seen = Odd()
    announcer, _ = announce(seen)
    for turn in ("Ana", "Ana", "Bilal", "Bilal", "Bilal"):
        announcer.status(FLIP, {"turn": turn}, {"camera": "fresh"})
        assert wait_until(lambda turn=turn: bool(seen.statuses) and seen.statuses[-1].turn == turn)  # type: ignore[misc]
    announcer.close()
    assert [status.turn for status in seen.statuses] == ["Ana", "Bilal"]


def test_a_game_is_spoken_into_a_folder(tmp_path: Path) -> None:
    settings = AnnounceSettings(
        language="fr", engine="tone", say_into=tmp_path / "said", cache=tmp_path / "cache", speed=2.0
    )
    with Announcer(settings, PLAYERS, "jungle-speed") as announcer:
        announcer.ruled(0, duel())
        announcer.ruled(1, won())
        announcer.ruled(2, ruling("colour-mode", on=True))
    lines = [json.loads(line) for line in (tmp_path / "said" / "said.jsonl").read_text("utf-8").splitlines()]
    assert [line["text"] for line in lines] == [
        "Ana l'emporte sur Bilal. Bilal ramasse 3 cartes.",
        "Ce sont les couleurs qui comptent.",
    ]


def test_presses_come_through_the_door(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    clock = HandClock()
    settings = AnnounceSettings(engine="off", pins=PinNumbers(seat_buttons={"Ana": 9}))
    with Announcer(settings, PLAYERS, "jungle-speed", now_us=clock.now_us) as announcer:
        pin_factory().pin(9).drive_low()
        clock.move(0.1)
        assert [(press.name, press.active) for press in announcer.presses()] == [("Ana", True)]
    pin_factory().reset()


def test_settings_say_which_outputs_there_are(tmp_path: Path) -> None:
    assert open_outputs(OFF, PLAYERS, "speed") == []
    assert open_outputs(AnnounceSettings(pins=PinNumbers(lamp=4)).dry(None), PLAYERS, "speed") == []
    dry = open_outputs(AnnounceSettings(engine="tone", cache=tmp_path).dry(tmp_path / "said"), PLAYERS, "speed")
    names = [output.name for output in dry]
    for output in dry:
        output.close(0.0)
    assert names == ["speech"]


def test_a_warning_that_is_no_ruling_is_said_and_has_no_place_among_them(
    announce: Callable[..., tuple[Announcer, list[str]]],
) -> None:
    odd, lines = Odd(), []
    announcer, _ = announce(odd, Console("jungle-bluff", "fr", lines.append), game="jungle-bluff")
    announcer.warned("force-moved", {"player": "Ana"}, 5)
    announcer.warned("not-the-forces", {}, 6)
    assert wait_until(lambda: odd.places == [-1, -2])
    assert wait_until(lambda: len(lines) == 2)
    assert "La force d'Ana a bougé." in lines[0]
