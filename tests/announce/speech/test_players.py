"""Where sound goes: one contract for speaker and files, then what each has of its own."""

from __future__ import annotations

import json
import sys
import time
import wave
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from referee.announce.outputs import monotonic_us
from referee.announce.speech.engines import Tone
from referee.announce.speech.players import Files, Player, Speaker
from referee.announce.speech.voice import Sound
from referee.errors import HardwareError, InputError

TONE = Sound(16_000, Tone().speak("Ana", "tone", 1.0))
LONG = Sound(16_000, bytes(32_000 * 20))


def reader(path: Path) -> list[str]:
    """A player that keeps what it is given, as a loudspeaker would sound it."""
    return [sys.executable, "-c", f"import sys; open({str(path)!r}, 'wb').write(sys.stdin.buffer.read())"]


def wait_until(condition: Callable[[], bool]) -> bool:
    end_s = time.monotonic() + 20
    while not condition() and time.monotonic() < end_s:
        time.sleep(0.005)
    return condition()


@pytest.fixture(params=["speaker", "files", "files, paced"])
def player(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Player]:
    made: Player
    if request.param == "speaker":
        made = Speaker(reader(tmp_path / "heard"))
    else:
        made = Files(tmp_path / "said", monotonic_us, paced="paced" in request.param)
    yield made
    made.close()


def test_an_utterance_is_played_to_its_end(player: Player) -> None:
    player.begin("Ana", [0], TONE.rate_hz)
    player.write(TONE)
    player.write(TONE)
    player.end()
    assert wait_until(lambda: not player.playing())


def test_utterances_follow_each_other(player: Player) -> None:
    for place in range(3):
        player.begin("Ana", [place], TONE.rate_hz)
        player.write(TONE)
        player.end()
        assert wait_until(lambda: not player.playing())


def test_a_cut_ends_the_sound_at_once_and_is_no_error(player: Player) -> None:
    player.begin("a long speech", [0], LONG.rate_hz)
    player.cut()
    player.write(LONG)
    player.end()
    assert wait_until(lambda: not player.playing())


def test_a_cut_without_anything_to_cut_is_nothing(player: Player) -> None:
    player.cut()
    player.begin("Ana", [0], TONE.rate_hz)
    player.write(TONE)
    player.end()
    assert wait_until(lambda: not player.playing())


def test_closing_twice_is_as_good_as_once(player: Player) -> None:
    player.begin("Ana", [0], TONE.rate_hz)
    player.close()
    player.close()


def test_the_speaker_hands_on_every_sample(tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    speaker = Speaker(reader(heard))
    speaker.begin("Ana", [0], LONG.rate_hz)
    speaker.write(LONG)
    speaker.write(TONE)
    speaker.end()
    assert wait_until(lambda: not speaker.playing())
    assert heard.read_bytes() == LONG.pcm + TONE.pcm
    speaker.close()


def test_the_speaker_tells_its_program_the_rate() -> None:
    program = "import sys; sys.stdin.buffer.read(); sys.exit(f'rate {sys.argv[1]}')"
    speaker = Speaker([sys.executable, "-c", program, "{rate_hz}"])
    speaker.begin("Ana", [0], 22_050)
    speaker.end()
    with pytest.raises(HardwareError, match="rate 22050"):
        wait_until(lambda: not speaker.playing())
    speaker.close()


def test_a_program_that_fails_is_told_in_its_last_words(tmp_path: Path) -> None:
    speaker = Speaker([sys.executable, "-c", "import sys; print('no card'); sys.exit('audio open error')"])
    speaker.begin("Ana", [0], LONG.rate_hz)
    with pytest.raises(HardwareError, match=r"no sound.*audio open error"):
        speaker.write(LONG)
    speaker.close()


def test_a_program_that_is_not_there_is_one_sentence() -> None:
    with pytest.raises(HardwareError, match="no-such-player cannot be started"):
        Speaker(["no-such-player"]).begin("Ana", [0], 16_000)


def test_without_any_player_it_says_what_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(HardwareError, match="neither aplay"):
        Speaker().begin("Ana", [0], 16_000)


def test_a_program_that_takes_no_sound_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.announce.speech.players._OVERTIME_S", 0.2)
    speaker = Speaker([sys.executable, "-c", "import time; time.sleep(60)"])
    speaker.begin("Ana", [0], 16_000)
    short_but_large = Sound(16_000_000, bytes(1_000_000))
    with pytest.raises(HardwareError, match="takes none"):
        speaker.write(short_but_large)
    speaker.close()


def test_a_program_that_does_not_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.announce.speech.players._OVERTIME_S", 0.2)
    speaker = Speaker([sys.executable, "-c", "import time; time.sleep(60)"])
    speaker.begin("Ana", [0], 16_000)
    speaker.write(TONE)
    speaker.end()
    with pytest.raises(HardwareError, match="come to an end"):
        wait_until(lambda: not speaker.playing())
    speaker.close()


def test_files_hold_what_would_have_been_heard_and_when(tmp_path: Path) -> None:
    times = iter([5_000, 9_000])
    files = Files(tmp_path, lambda: next(times), paced=False)
    for text, place in (("Ana wins.", 3), ("Bo wins.", 4)):
        files.begin(text, [place], TONE.rate_hz)
        files.write(TONE)
        files.end()
        assert not files.playing()
    lines = [json.loads(line) for line in (tmp_path / "said.jsonl").read_text("utf-8").splitlines()]
    assert [(line["t_us"], line["text"], line["places"], line["cut"]) for line in lines] == [
        (5_000, "Ana wins.", [3], False),
        (9_000, "Bo wins.", [4], False),
    ]
    for line in lines:
        with wave.open(str(tmp_path / line["wav"]), "rb") as file:
            assert file.readframes(file.getnframes()) == TONE.pcm


def test_files_of_another_game_are_not_overwritten(tmp_path: Path) -> None:
    first = Files(tmp_path, monotonic_us)
    first.begin("Ana", [0], TONE.rate_hz)
    first.write(TONE)
    first.close()
    with pytest.raises(InputError, match="is there already"):
        Files(tmp_path, monotonic_us)
    assert (tmp_path / "00001.wav").exists()
    Files(tmp_path, monotonic_us, force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["said.jsonl"]


def test_a_folder_that_cannot_be_made_is_wrong_input(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(InputError, match="cannot be written to"):
        Files(tmp_path / "file" / "said", monotonic_us)
