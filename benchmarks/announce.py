"""How fast the referee speaks, and whether what it says is speech: `python benchmarks/announce.py [--listen]`.

Four measurements in one run:
- rendering, a phrase at a time, for each installed engine and language, beside what the cache costs;
- the silence an engine puts before the first sound, as it is given and as it is kept;
- how long a call of `Announcer.ruled` keeps its caller;
- from `ruled` to the first sample at ALSA, for phrases that are rendered: the whole path with a real `aplay`, whose
  device writes into a pipe instead of a sound card (what the card itself adds is not in it), with the machine idle
  and with rendering ahead going on. Without `aplay`, `cat` stands in and the figure says so.

`--listen` has a recogniser (PocketSphinx, English, `pip install pocketsphinx`) choose what it heard among all the
sentences of one kind; without it, only length and loudness are looked at.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from referee.announce.announcer import Announcer
from referee.announce.settings import USUAL_SPEED, AnnounceSettings
from referee.announce.speech.ahead import phrases_ahead
from referee.announce.speech.engines import PACKAGES, engine_version
from referee.announce.speech.sounds import Sounds, trimmed
from referee.announce.speech.spoken import said_names
from referee.announce.speech.voice import Sound, Voice

PLAYERS = ("Ana", "Bilal", "Chloé", "Driss")
LISTENERS = ("Mary", "Peter", "John", "Susan", "David")  # names the recogniser's dictionary has
QUIET = 0.01 * 32_768


def row(**figures: object) -> None:
    print(json.dumps(figures, ensure_ascii=False), flush=True)


def milliseconds(seconds: Sequence[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    return {
        "n": len(ordered),
        "p50_ms": round(1e3 * statistics.median(ordered), 2),
        "p95_ms": round(1e3 * ordered[int(0.95 * (len(ordered) - 1))], 2),
        "max_ms": round(1e3 * ordered[-1], 2),
    }


def samples(sound: Sound) -> np.ndarray:
    return np.frombuffer(sound.pcm, "<i2").astype(np.float64)


def lead_s(sound: Sound) -> float:
    loud = np.flatnonzero(np.abs(samples(sound)) > QUIET)
    return float(loud[0]) / sound.rate_hz if len(loud) else 0.0


def rendering(engine: str, language: str, phrases: Sequence[str], cache: Path) -> None:
    times, given, kept, lengths, loudness = [], [], [], [], []
    with Voice(engine, language, speed=USUAL_SPEED) as voice:
        begun_s = time.perf_counter()
        voice.render("one")
        start_s = time.perf_counter() - begun_s
        for phrase in phrases:
            begun_s = time.perf_counter()
            sound = voice.render(phrase)
            times.append(time.perf_counter() - begun_s)
            short = trimmed(sound)
            given.append(lead_s(sound))
            kept.append(lead_s(short))
            lengths.append(short.seconds)
            loudness.append(float(np.sqrt(np.mean(samples(short) ** 2))) if short.pcm else 0.0)
        sounds = Sounds(cache, voice)
        for phrase in phrases:
            sounds.get(phrase)
        again = Sounds(cache, voice)
        from_cache = []
        for phrase in phrases:
            begun_s = time.perf_counter()
            again.get(phrase)
            from_cache.append(time.perf_counter() - begun_s)
    row(
        what="rendering",
        engine=engine,
        language=language,
        engine_start_ms=round(1e3 * start_s, 1),
        **milliseconds(times),
        from_cache_p50_ms=milliseconds(from_cache)["p50_ms"],
        phrase_s=round(statistics.mean(lengths), 2),
        shortest_s=round(min(lengths), 2),
        longest_s=round(max(lengths), 2),
        quietest_rms=round(min(loudness)),
        lead_as_given_ms=round(1e3 * statistics.mean(given), 1),
        lead_as_kept_ms=round(1e3 * statistics.mean(kept), 1),
    )


@contextmanager
def pipe_for_sound(folder: Path) -> Iterator[tuple[tuple[str, ...], int]]:
    """A player's command and the end of the pipe its sound comes out of."""
    pipe = folder / "sound"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)  # for writing too: the end of one player is not the end
    if shutil.which("aplay"):
        settings = folder / "asound.conf"
        settings.write_text(
            f'pcm.pipe {{ type file slave.pcm null file "{pipe}" format "raw" }}\npcm.null {{ type null }}\n'
            "ctl.null { type null }\n"
        )
        os.environ["ALSA_CONFIG_PATH"] = str(settings)
        command = ("aplay", "-D", "pipe", "-q", "-t", "raw", "-f", "S16_LE", "-c", "1", "-r", "{rate_hz}", "-")
    else:
        command = ("sh", "-c", f"exec cat > {pipe}")
    try:
        yield command, reading
    finally:
        os.close(reading)


def first_sounds(engine: str, folder: Path, count: int, ahead: bool) -> None:
    folder.mkdir()
    won = {
        "t_us": 0,
        "ruling": "won",
        "winner": "Ana",
        "losers": ["Bilal"],
        "picks_up": {"Bilal": 3},
        "next": "Bilal",
        "clauses": [],
        "public": True,
    }
    calls, sounds = [], []
    with pipe_for_sound(folder) as (command, reading):
        cache = folder / "cache"
        if not ahead:  # rendered before, by an earlier game
            with Voice(engine, "en", speed=USUAL_SPEED) as voice:
                for phrase in ("Ana wins against Bilal.", "Bilal picks up 3 cards."):
                    Sounds(cache, voice).get(phrase)
        settings = AnnounceSettings(engine=engine, cache=cache, player=command)
        announcer = Announcer(settings, PLAYERS if not ahead else [f"Player {n}" for n in range(8)], "jungle-speed")
        if not ahead:
            while announcer._outputs[0].ahead:  # type: ignore[attr-defined]
                time.sleep(0.05)
        for place in range(count):
            begun_s = time.perf_counter()
            announcer.ruled(place, won)
            calls.append(time.perf_counter() - begun_s)
            select.select([reading], [], [], 5.0)
            sounds.append(time.perf_counter() - begun_s)
            announcer.overturned([place])  # cut it, so that the next may begin
            drain(reading, announcer)
        left = announcer._outputs[0].ahead  # type: ignore[attr-defined]
        announcer.close(0.0)
        row(
            what="from ruled to the first sample",
            player=command[0],
            engine=engine,
            while_rendering_ahead=ahead,
            phrases_left=left,
            first_ms=round(1e3 * sounds[0], 1),
            over_60_ms=sum(one > 0.060 for one in sounds),
            **milliseconds(sounds),
        )
        row(what="a call of ruled", **milliseconds(calls), health=announcer.health)


def drain(reading: int, announcer: Announcer) -> None:
    """Take what is still in the pipe, until nothing is being said."""
    speech = announcer._outputs[0]
    quiet = 0
    while quiet < 5:
        if select.select([reading], [], [], 0.02)[0] and os.read(reading, 1 << 20):
            quiet = 0
        else:
            quiet = quiet + 1 if speech.current is None else 0  # type: ignore[attr-defined]
            time.sleep(0.005)


def heard(engine: str, cache: Path, speed: float) -> None:
    """A recogniser's choice among all sentences of one kind, for each of them."""
    try:
        from pocketsphinx import Decoder
    except ImportError:
        row(what="listening", engine=engine, recogniser=None)
        return
    names = "|".join(name.lower() for name in LISTENERS)
    numbers = [
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
    ]
    kinds = {
        "who wins against whom": (
            f"({names}) wins against ({names})",
            [
                (f"{a} wins against {b}.", f"{a} wins against {b}".lower())
                for a in LISTENERS
                for b in LISTENERS
                if a != b
            ],
        ),
        "who picks up how many": (
            f"({names}) picks up ({'|'.join(numbers)}) cards",
            [
                (f"{a} picks up {count} cards.", f"{a} picks up {word} cards".lower())
                for a in LISTENERS
                for count, word in enumerate(numbers, 2)
            ],
        ),
    }
    with Voice(engine, "en", speed=speed) as voice:
        library = Sounds(cache, voice)
        for kind, (grammar, sentences) in kinds.items():
            decoder = Decoder(samprate=16_000, lm=None, loglevel="FATAL")
            decoder.add_jsgf_string("said", f"#JSGF V1.0; grammar said; public <said> = {grammar};")
            decoder.activate_search("said")
            wrong = []
            for text, expected in sentences:
                sound = library.get(text)
                signal = samples(sound)
                count = round(len(signal) * 16_000 / sound.rate_hz)
                at_16k = np.interp(np.arange(count) * sound.rate_hz / 16_000, np.arange(len(signal)), signal)
                silence = np.zeros(3_200)
                decoder.start_utt()
                whole = np.concatenate([silence, at_16k, silence]).astype("<i2")
                decoder.process_raw(whole.tobytes(), full_utt=True)
                decoder.end_utt()
                guess = decoder.hyp()
                if guess is None or guess.hypstr != expected:
                    wrong.append([expected, None if guess is None else guess.hypstr])
            share = f"{len(sentences) - len(wrong)}/{len(sentences)}"
            row(what="listening", engine=engine, speed=speed, kind=kind, heard_right=share, some_wrong=wrong[:5])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--listen", action="store_true", help="have a recogniser listen, where one is installed")
    parser.add_argument("--count", type=int, default=40, help="announcements to time (default %(default)s)")
    arguments = parser.parse_args()
    engines = [name for name in PACKAGES if engine_version(name) is not None]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for engine in engines:
            for language in ("en", "fr"):
                wanted = phrases_ahead("jungle-speed", PLAYERS, language, said_names(PLAYERS, language, {}))
                rendering(engine, language, wanted, folder / "cache")
            if arguments.listen:
                for speed in (1.0, USUAL_SPEED, 1.4):
                    heard(engine, folder / "cache", speed)
        for engine in engines:
            first_sounds(engine, folder / f"{engine}-idle", arguments.count, ahead=False)
            first_sounds(engine, folder / f"{engine}-ahead", arguments.count // 4, ahead=True)
    assert threading.active_count() == 1, "a thread was left behind"


if __name__ == "__main__":
    main()
