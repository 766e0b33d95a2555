"""Engines in their child: real ones where they are installed, and children that hang, die or talk nonsense."""

from __future__ import annotations

import sys
import time
from array import array

import pytest

from referee.announce.speech.engines import ENGINES, engine_version
from referee.announce.speech.voice import Sound, Voice
from referee.errors import HardwareError, InputError

READY = "import sys; print('{\"ready\": true}', flush=True); sys.stdin.readline(); "


def child(program: str) -> list[str]:
    return [sys.executable, "-c", program]


def loudness(sound: Sound) -> float:
    samples = array("h", sound.pcm)
    return float((sum(value * value for value in samples) / len(samples)) ** 0.5)


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    if engine_version(name) is None:
        pytest.skip(f"the engine {name} is not installed")
    return name


@pytest.mark.parametrize(
    ("language", "text"), [("en", "Ana wins against Bilal."), ("fr", "Élise l'emporte sur Chloé.")]
)
def test_a_sentence_becomes_sound_of_the_length_of_speech(engine: str, language: str, text: str) -> None:
    with Voice(engine, language) as voice:
        sound = voice.render(text)
        longer = voice.render(f"{text} {text}")
    assert 0.3 < sound.seconds < 5
    assert loudness(sound) > 1_000
    assert longer.seconds > 1.5 * sound.seconds


def test_faster_speech_is_shorter(engine: str) -> None:
    with Voice(engine, speed=1.0) as usual, Voice(engine, speed=1.6) as fast:
        text = "Bilal picks up thirteen cards and flips the next one."
        assert fast.render(text).seconds < 0.85 * usual.render(text).seconds


def test_markup_and_signs_do_not_stop_an_engine(engine: str) -> None:
    with Voice(engine) as voice:
        for text in ("<b>", "&amp;", "\\", '"', "...", "1/0", "Ana <speed level='1'> wins"):
            voice.render(text)
        assert voice.render("Ana wins.").seconds > 0.1


def test_an_engine_that_hangs_is_ended_and_the_next_call_starts_another() -> None:
    voice = Voice("tone", limit_s=0.3, command=child(READY + "import time; time.sleep(60)"))
    with voice:
        for _ in range(2):
            begun_s = time.monotonic()
            with pytest.raises(HardwareError, match=r"took over 0\.3 s"):
                voice.render("Ana wins.")
            assert time.monotonic() - begun_s < 10


def test_an_engine_that_hangs_in_the_middle_of_a_sound_is_ended() -> None:
    program = READY + 'print(\'{"rate_hz": 16000, "bytes": 4000}\', flush=True); import time; time.sleep(60)'
    with Voice("tone", limit_s=0.3, command=child(program)) as voice, pytest.raises(HardwareError, match="took over"):
        voice.render("Ana wins.")


def test_an_engine_that_dies_is_one_sentence() -> None:
    with Voice("tone", command=child(READY)) as voice, pytest.raises(HardwareError, match="ended while"):
        voice.render("Ana wins.")


def test_an_engine_that_does_not_start_is_one_sentence() -> None:
    with Voice("tone", command=child("raise SystemExit(1)")) as voice, pytest.raises(HardwareError, match="not start"):
        voice.render("Ana wins.")


def test_an_engine_whose_package_is_gone_says_so() -> None:
    program = 'print(\'{"error": "the engine tone cannot be used"}\')'
    with Voice("tone", command=child(program)) as voice, pytest.raises(HardwareError, match="cannot be used"):
        voice.render("Ana wins.")


@pytest.mark.parametrize("size", [-1, 10**12])
def test_a_size_that_cannot_be_is_refused(size: int) -> None:
    program = READY + f'print(\'{{"rate_hz": 16000, "bytes": {size}}}\', flush=True); sys.stdin.readline()'
    with Voice("tone", command=child(program)) as voice, pytest.raises(HardwareError, match="bytes"):
        voice.render("Ana wins.")


def test_an_engine_nobody_knows_is_refused() -> None:
    with pytest.raises(InputError, match="expected auto, nanotts, espeak, tone"):
        Voice("gramophone")


def test_without_any_package_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.announce.speech.engines.PACKAGES", {})
    with pytest.raises(HardwareError, match=r"referee\[speech\]"):
        Voice("auto")


def test_a_voice_an_engine_does_not_have_is_one_sentence() -> None:
    if engine_version("espeak") is None:
        pytest.skip("the engine espeak is not installed")
    with Voice("espeak", name="klingonese") as voice, pytest.raises(HardwareError, match="no voice klingonese"):
        voice.render("Ana wins.")
