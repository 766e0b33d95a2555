"""One contract for every output, whole or broken: nothing raises, nothing is asked twice, the end is an end."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from referee.announce.console import Console
from referee.announce.lamps import Lamps, PinNumbers
from referee.announce.mqtt import Broker, Mqtt
from referee.announce.outputs import Notice, Output, Status, monotonic_us, status_of
from referee.announce.speech.output import Speech
from referee.announce.speech.players import Files, Speaker
from referee.announce.speech.voice import Voice
from referee.gpio import pin_factory
from referee.words import Expected
from tests.announce.samples import PLAYERS, arrow, ruling, wait_until, won

PINS = PinNumbers(lamp=5, buzzer=6, seat_lamps={"Ana": 7, "Bilal": 8}, seat_buttons={"Ana": 9})


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def speech(folder: Path, player: Speaker | Files, engine: str = "tone") -> Speech:
    voice = partial(Voice, engine)
    return Speech("jungle-speed", PLAYERS, "en", player, voice, folder / "cache", now_us=monotonic_us)


def closed_stream(line: str) -> None:
    raise ValueError("I/O operation on closed file")


MAKERS: dict[str, tuple[Callable[[Path], Output], str]] = {
    "speech into files": (lambda folder: speech(folder, Files(folder / "said", monotonic_us, paced=False)), ""),
    "speech without a player": (lambda folder: speech(folder, Speaker(["no-such-player"])), "no-such-player"),
    "speech with a player that fails": (
        lambda folder: speech(folder, Speaker([sys.executable, "-c", "raise SystemExit('no card')"])),
        "no card",
    ),
    "lamps": (lambda folder: Lamps(PINS, monotonic_us), ""),
    "lamps on a pin used twice": (lambda folder: Lamps(PinNumbers(lamp=5, buzzer=5), monotonic_us), "no lamps"),
    "console": (lambda folder: Console("jungle-speed", "fr", [].append), ""),
    "console on a closed stream": (lambda folder: Console("jungle-speed", "fr", closed_stream), "takes no more"),
    "mqtt without a broker": (
        lambda folder: Mqtt(Broker("127.0.0.1", free_port()), "jungle-speed", "en"),
        "does not answer",
    ),
    "mqtt without its password file": (
        lambda folder: Mqtt(
            Broker("127.0.0.1", free_port(), username="ana", password_file=folder / "none"), "jungle-speed", "en"
        ),
        "nothing is published",
    ),
}


@pytest.fixture(params=MAKERS)
def made(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Output, str]]:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    make, sentence = MAKERS[request.param]
    output = make(tmp_path)
    yield output, sentence
    output.close(0.0)
    pin_factory().reset()


def test_an_output_takes_a_whole_game_and_says_how_it_is(made: tuple[Output, str]) -> None:
    output, sentence = made
    output.status(Status(turn="Ana", counts={"pot": 3}, sources={"camera": "fresh"}))
    for place in range(0, 30, 3):
        output.ruled(Notice(place, arrow()))
        output.ruled(Notice(place + 1, won()))
        output.ruled(Notice(place + 2, ruling("a kind from the future")))
        output.overturned(frozenset({place, place + 1}))
    output.overturned(frozenset())
    output.overturned(frozenset({7_000}))
    output.status(Status(over=True))
    assert wait_until(lambda: sentence in output.health.sentence)
    output.close(20.0)
    assert output.name in ("speech", "lamps", "console", "mqtt")


def test_closing_twice_is_as_good_as_once(made: tuple[Output, str]) -> None:
    output, _ = made
    output.ruled(Notice(0, won()))
    output.close(5.0)
    output.close(5.0)


def test_a_status_tells_nobody_that_the_totem_may_be_taken() -> None:
    quiet = Expected(waiting_for="flip", may_flip=["Ana"], may_take=[], asked=None)
    duel = Expected(waiting_for="flip", may_flip=["Ana"], may_take=["Ana", "Bilal"], asked=None)
    nobody_can_flip = Expected(waiting_for="take", may_flip=[], may_take=["Ana", "Bilal"], asked=None)
    nothing = Expected(waiting_for="nothing", may_flip=[], may_take=[], asked=None)
    assert status_of(quiet, {"turn": "Ana"}, {}) == status_of(duel, {"turn": "Ana"}, {})
    assert status_of(nobody_can_flip, {}, {}) == status_of(nothing, {}, {})


def test_a_status_passes_on_no_count_that_it_does_not_know() -> None:
    nothing = Expected(waiting_for="nothing", may_flip=[], may_take=[], asked=None)
    summary = {"pot": 4, "forces": {"Ana": "7"}, "turn": "Bilal", "over": True}
    assert status_of(nothing, summary, {"totem": "lost"}) == Status(
        turn="Bilal", over=True, counts={"pot": 4}, sources={"totem": "lost"}
    )
