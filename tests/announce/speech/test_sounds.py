"""Phrases kept by what was said by whom."""

from __future__ import annotations

import os
import wave
from array import array
from pathlib import Path

import pytest

from referee.announce.speech.engines import Tone
from referee.announce.speech.sounds import Sounds, trimmed
from referee.announce.speech.voice import Sound
from referee.errors import HardwareError


class Counting:
    """A renderer in this process that counts, fails for one phrase, and says nothing to another."""

    engine, version, name, speed = "tone", "1", "tone", 1.0

    def __init__(self) -> None:
        self.asked: list[str] = []

    def render(self, text: str) -> Sound:
        self.asked.append(text)
        if text == "hang":
            raise HardwareError("took too long")
        pcm = bytes(3200) if text == "silence" else bytes(3200) + Tone().speak(text, "tone", 1.0) + bytes(16_000)
        return Sound(16_000, pcm)


@pytest.fixture
def voice() -> Counting:
    return Counting()


def test_a_phrase_is_rendered_once_and_kept_for_the_next_game(tmp_path: Path, voice: Counting) -> None:
    sounds = Sounds(tmp_path, voice)
    assert not sounds.kept("Ana wins.")
    first = sounds.get("Ana wins.")
    assert sounds.kept("Ana wins.")
    assert sounds.get("Ana wins.") == first
    assert Sounds(tmp_path, voice).get("Ana wins.") == first
    assert voice.asked == ["Ana wins."]


def test_what_changes_the_sound_changes_the_name_it_is_kept_under(tmp_path: Path) -> None:
    keys = {Sounds(tmp_path, Counting()).key(phrase) for phrase in ("Ana", "Bo")}
    for change in ({"engine": "espeak"}, {"version": "2"}, {"name": "fr"}, {"speed": 1.2}):
        other = Counting()
        for key, value in change.items():
            setattr(other, key, value)
        keys.add(Sounds(tmp_path, other).key("Ana"))
    assert len(keys) == 6


def test_a_kept_phrase_is_a_wav_file_anybody_can_play(tmp_path: Path, voice: Counting) -> None:
    sounds = Sounds(tmp_path, voice)
    sound = sounds.get("Ana wins.")
    with wave.open(str(sounds.path("Ana wins.")), "rb") as file:
        assert (file.getnchannels(), file.getsampwidth(), file.getframerate()) == (1, 2, 16_000)
        assert file.readframes(file.getnframes()) == sound.pcm


@pytest.mark.parametrize("torn", [b"", b"RIFF", b"nonsense that is no sound"])
def test_a_torn_file_is_rendered_anew(tmp_path: Path, voice: Counting, torn: bytes) -> None:
    path = Sounds(tmp_path, voice).path("Ana wins.")
    path.write_bytes(torn)
    assert Sounds(tmp_path, voice).get("Ana wins.").pcm
    assert path.stat().st_size > 1_000
    assert [entry for entry in tmp_path.iterdir() if entry.suffix != ".wav"] == []


def test_silence_around_a_phrase_is_cut_away() -> None:
    tone = Tone().speak("Ana", "tone", 1.0)
    loud = array("h", tone)
    cut = array("h", trimmed(Sound(16_000, bytes(3_200) + tone + bytes(16_000))).pcm)
    begin = next(n for n, value in enumerate(cut) if abs(value) > 330)
    assert begin <= 0.006 * 16_000
    assert len(cut) <= len(loud) + 0.07 * 16_000
    assert max(cut) == max(loud)


def test_a_phrase_without_sound_is_kept_as_empty(tmp_path: Path, voice: Counting) -> None:
    assert Sounds(tmp_path, voice).get("silence").pcm == b""
    assert Sounds(tmp_path, voice).get("silence").pcm == b""
    assert voice.asked == ["silence"]


def test_a_phrase_that_failed_is_not_tried_again(tmp_path: Path, voice: Counting) -> None:
    sounds = Sounds(tmp_path, voice)
    for _ in range(3):
        with pytest.raises(HardwareError, match="too long"):
            sounds.get("hang")
    assert voice.asked == ["hang"]


def test_a_folder_that_cannot_be_written_to_costs_rendering_and_nothing_else(tmp_path: Path, voice: Counting) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    sounds = Sounds(blocked / "cache", voice)
    assert sounds.get("Ana wins.").pcm
    assert sounds.get("Ana wins.").pcm
    assert voice.asked == ["Ana wins."]


def test_the_oldest_phrases_are_forgotten_when_there_are_too_many(tmp_path: Path, voice: Counting) -> None:
    sounds = Sounds(tmp_path, voice)
    for age, phrase in enumerate(("Ana wins.", "Bo wins.", "Eva wins.")):
        sounds.get(phrase)
        os.utime(sounds.path(phrase), (1_000 + age, 1_000 + age))
    size = sounds.path("Ana wins.").stat().st_size
    later = Sounds(tmp_path, voice, most_bytes=2 * size + size // 2)
    assert [later.kept(phrase) for phrase in ("Ana wins.", "Bo wins.", "Eva wins.")] == [False, True, True]
