"""Each fact on the list has its line, with the right light and a remedy in both languages."""

from __future__ import annotations

import errno
import string
from dataclasses import replace

import pytest

from referee.doctor.finding import LANGUAGES, Finding, Light, catalogue, worst
from referee.doctor.judges import camera, machine, others, software, totem
from referee.doctor.judges.camera import CameraFacts
from referee.doctor.judges.machine import MachineFacts
from referee.doctor.judges.others import GamesFacts, PinFacts, SoundFacts
from referee.doctor.judges.software import SoftwareFacts
from referee.doctor.judges.totem import TotemFacts

SOFTWARE = SoftwareFacts((3, 12, 1), {"numpy": "2.1"}, opencv_packages=("opencv-python-headless",), opencv="4.12.0")
CAMERA = CameraFacts(
    "live",
    "/dev/video0",
    wanted_width=1280,
    wanted_height=720,
    width=1280,
    height=720,
    frames=90,
    span_frames=90,
    span_us=3_000_000,
    age_ms=40.0,
    exposure_ms=8.0,
    clock_error_ms=16.7,
    mean=120.0,
    burnt=0.001,
    flicker=0.004,
    markers_seen=4,
    residual_mm=0.3,
    deck_cards=80,
    card_px=90.0,
    needs_px=50,
)
TOTEM = TotemFacts(
    "live",
    protocol=1,
    firmware=(0, 1, 0),
    shipped=(0, 1, 0),
    build="B",
    boot_id="0000002a",
    rings=6,
    sectors=4,
    seconds=3.0,
    scans=3000,
    period_us=1000,
    clock_error_us=60.0,
    faulty=(),
)
MACHINE = MachineFacts((4.0, 5.0), None, 20_000.0, 52.0, 0, False)

CASES = [
    (software.judge(SOFTWARE), {"python.version": "ok", "python.packages": "ok", "python.opencv": "ok"}),
    (software.judge(replace(SOFTWARE, python=(3, 10, 9))), {"python.version": "old"}),
    (software.judge(replace(SOFTWARE, missing=("orjson",))), {"python.packages": "missing"}),
    (software.judge(replace(SOFTWARE, opencv="4.8.1")), {"python.opencv": "untested"}),
    (software.judge(replace(SOFTWARE, opencv="6.0.0")), {"python.opencv": "untested"}),
    (
        software.judge(replace(SOFTWARE, opencv=None, opencv_problem="libGL.so.1: not found")),
        {"python.opencv": "broken"},
    ),
    (
        software.judge(replace(SOFTWARE, opencv_packages=("opencv-python", "opencv-python-headless"))),
        {"python.opencv": "both"},
    ),
    (camera.judge(CameraFacts("none")), {"camera.there": "none"}),
    (camera.judge(CameraFacts("recording")), {"camera.there": "recording"}),
    (camera.judge(replace(CAMERA, group="video")), {"camera.there": "rights"}),
    (camera.judge(replace(CAMERA, frames=0, width=0, problem="camera 0: silent")), {"camera.there": "silent"}),
    (camera.judge(replace(CAMERA, frames=0, width=640, height=480)), {"camera.there": "size"}),
    (
        camera.judge(CAMERA),
        {
            "camera.there": "ok",
            "camera.rate": "ok",
            "camera.drops": "ok",
            "camera.age": "ok",
            "camera.exposure": "ok",
            "camera.clock": "ok",
            "light.level": "ok",
            "light.glare": "ok",
            "light.flicker": "ok",
            "table.markers": "ok",
            "table.deck": "ok",
            "table.cards": "ok",
        },
    ),
    (camera.judge(replace(CAMERA, span_frames=75)), {"camera.rate": "low"}),
    (camera.judge(replace(CAMERA, span_frames=30)), {"camera.rate": "bad"}),
    (camera.judge(replace(CAMERA, span_frames=27, wanted_fps=9.0)), {"camera.rate": "bad"}),
    (camera.judge(replace(CAMERA, dropped=5)), {"camera.drops": "some"}),
    (camera.judge(replace(CAMERA, age_ms=2500.0)), {"camera.age": "stalled"}),
    (camera.judge(replace(CAMERA, exposure_ms=25.0)), {"camera.exposure": "long"}),
    (camera.judge(replace(CAMERA, exposure_ms=None)), {"camera.exposure": "unknown"}),
    (camera.judge(replace(CAMERA, clock_error_ms=52.0)), {"camera.clock": "coarse"}),
    (camera.judge(replace(CAMERA, mean=40.0)), {"light.level": "dark"}),
    (camera.judge(replace(CAMERA, mean=3.0)), {"light.level": "black"}),
    (camera.judge(replace(CAMERA, burnt=0.06)), {"light.glare": "some"}),
    (camera.judge(replace(CAMERA, flicker=0.05)), {"light.flicker": "some"}),
    (camera.judge(replace(CAMERA, markers_seen=3)), {"table.markers": "some"}),
    (camera.judge(replace(CAMERA, markers_seen=0)), {"table.markers": "none"}),
    (camera.judge(replace(CAMERA, markers_seen=0, measured=True)), {"table.markers": "measured"}),
    (camera.judge(replace(CAMERA, measured=True, off_mm=7.0)), {"table.markers": "moved"}),
    (camera.judge(replace(CAMERA, card_px=55.0)), {"table.cards": "tight"}),
    (camera.judge(replace(CAMERA, card_px=40.0)), {"table.cards": "small"}),
    (camera.judge(replace(CAMERA, deck_problem="no such deck")), {"table.deck": "broken"}),
    (totem.judge(TotemFacts("plain")), {"totem.there": "plain"}),
    (totem.judge(TotemFacts("recording")), {"totem.there": "recording"}),
    *(
        (totem.judge(TotemFacts("live", trouble, "dialout", "it says so")), {"totem.there": trouble})
        for trouble in ("missing", "rights", "busy", "silent")
    ),
    (totem.judge(TotemFacts("live", other_protocol="protocol 0: expected 1")), {"totem.protocol": "other"}),
    (
        totem.judge(TOTEM),
        {
            "totem.there": "ok",
            "totem.protocol": "ok",
            "totem.firmware": "ok",
            "totem.pads": "ok",
            "totem.rate": "ok",
            "totem.lost": "ok",
            "totem.clock": "ok",
        },
    ),
    (totem.judge(replace(TOTEM, firmware=(0, 0, 9))), {"totem.firmware": "other"}),
    (totem.judge(replace(TOTEM, faulty=("3 low", "7 joined"))), {"totem.pads": "faulty"}),
    (totem.judge(replace(TOTEM, faulty=None)), {"totem.pads": "unasked"}),
    (totem.judge(replace(TOTEM, starts=3)), {"totem.start": "restarted"}),
    (totem.judge(replace(TOTEM, scans=2000)), {"totem.rate": "low"}),
    (totem.judge(replace(TOTEM, lost=4)), {"totem.lost": "some"}),
    (totem.judge(replace(TOTEM, lost=400)), {"totem.lost": "many"}),
    (totem.judge(replace(TOTEM, clock_error_us=4000.0)), {"totem.clock": "poor"}),
    (
        machine.judge(MACHINE),
        {"disk.sync": "ok", "disk.space": "ok", "board.heat": "ok", "board.speed": "ok", "board.volt": "ok"},
    ),
    (machine.judge(replace(MACHINE, sync_ms=(80.0, 90.0))), {"disk.sync": "slow"}),
    (machine.judge(replace(MACHINE, write_errno=errno.EROFS)), {"disk.sync": "readonly"}),
    (machine.judge(replace(MACHINE, write_errno=errno.ENOSPC)), {"disk.sync": "full"}),
    (machine.judge(replace(MACHINE, write_errno=errno.EACCES)), {"disk.sync": "broken"}),
    (machine.judge(replace(MACHINE, free_mb=400.0)), {"disk.space": "low"}),
    (machine.judge(replace(MACHINE, free_mb=12.0)), {"disk.space": "none"}),
    (machine.judge(replace(MACHINE, celsius=74.0)), {"board.heat": "warm"}),
    (machine.judge(replace(MACHINE, celsius=83.0)), {"board.heat": "hot"}),
    (machine.judge(replace(MACHINE, throttled=0x4)), {"board.speed": "now", "board.volt": "ok"}),
    (machine.judge(replace(MACHINE, throttled=0x40000)), {"board.speed": "before", "board.volt": "ok"}),
    (machine.judge(replace(MACHINE, throttled=0x1)), {"board.speed": "ok", "board.volt": "now"}),
    (machine.judge(replace(MACHINE, throttled=0x10000)), {"board.speed": "ok", "board.volt": "before"}),
    (machine.judge(replace(MACHINE, under_voltage=True)), {"board.volt": "now"}),
    (
        machine.judge(MachineFacts((4.0,))),
        {"board.heat": "unknown", "board.speed": "unknown", "board.volt": "unknown"},
    ),
    (others.judge_pins(PinFacts(False)), {"pins.factory": "unused"}),
    (others.judge_pins(PinFacts(True, "LGPIOFactory")), {"pins.factory": "ok"}),
    (others.judge_pins(PinFacts(True, "MockFactory", mock=True)), {"pins.factory": "mock"}),
    (others.judge_pins(PinFacts(True, problem="no access")), {"pins.factory": "broken"}),
    (others.judge_sound(SoundFacts("aplay", 2, engine="nanotts")), {"sound.speaker": "ok", "sound.voice": "ok"}),
    (others.judge_sound(SoundFacts("aplay", 0)), {"sound.speaker": "none", "sound.voice": "none"}),
    (others.judge_sound(SoundFacts(problem="aplay is not installed")), {"sound.speaker": "none"}),
    (others.judge_games(GamesFacts()), {"games.folder": "none"}),
    (others.judge_games(GamesFacts(True, readable=False)), {"games.folder": "missing"}),
    (others.judge_games(GamesFacts(True, True, 4, 1)), {"games.folder": "ok"}),
    (others.judge_games(GamesFacts(True, True, 4, 1, torn=1)), {"games.folder": "torn"}),
    (others.judge_games(GamesFacts(True, True, 4, 1, torn=1, bad=2)), {"games.folder": "unreadable"}),
    (others.judge_games(GamesFacts(True, True, 4, 1, breaks=3)), {"games.folder": "broken"}),
]


@pytest.mark.parametrize(("found", "expected"), CASES)
def test_facts_lead_to_their_verdicts(found: list[Finding], expected: dict[str, str]) -> None:
    verdicts = {finding.probe: finding.verdict for finding in found}
    assert {probe: verdicts.get(probe) for probe in expected} == expected


@pytest.mark.parametrize(("found", "expected"), CASES)
def test_every_finding_can_be_said_in_both_languages(found: list[Finding], expected: dict[str, str]) -> None:
    for finding in found:
        for language in LANGUAGES:
            assert finding.says(language)
            assert "{" not in finding.says(language) + finding.remedy(language)


def test_every_verdict_of_the_catalogue_is_reached_by_a_case_here() -> None:
    reached = {(finding.probe, finding.verdict) for found, _ in CASES for finding in found}
    elsewhere = {entry for entry in catalogue() if entry[0] in ("profile.file", "doctor.probe")}
    assert set(catalogue()) - elsewhere == reached


def placeholders(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


@pytest.mark.parametrize("entry", sorted(catalogue()))
def test_both_languages_say_the_same_and_what_is_not_green_has_a_remedy(entry: tuple[str, str]) -> None:
    found = catalogue()[entry]
    assert placeholders(found.says["en"]) == placeholders(found.says["fr"])
    assert set(found.remedy) in ({"en", "fr"}, set())
    if found.light in (Light.AMBER, Light.RED):
        assert set(found.remedy) == {"en", "fr"}


def test_the_worst_light_of_a_list_is_red_and_what_is_off_does_not_count() -> None:
    off, green = Finding("board.heat", "unknown"), Finding("board.speed", "ok")
    amber, red = Finding("board.speed", "before"), Finding("board.speed", "now")
    assert worst([off]) is Light.GREEN
    assert worst([off, green]) is Light.GREEN
    assert worst([amber, green]) is Light.AMBER
    assert worst([green, red, amber]) is Light.RED
