"""The totem's calibration against simulated totems: what is broken is found, what is whole is not blamed."""

from __future__ import annotations

import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.totem import TotemFound, at_rest, finger_swing, in_hands, judge, name_of, totem_part
from referee.cli import main
from referee.errors import InputError
from referee.sim.checkup import simulate_checkup
from referee.sim.electronics import Electronics, random_electronics
from referee.sim.totem import Recording
from referee.sim.totem_device import SimulatedTotem
from referee.totem.links.recorded import cut
from referee.totem.recording import scans_of
from referee.totem.scans import ScanBatch
from referee.totem.trace import trace_of

Steps = dict[str, ScanBatch]


def wires(seed: int, **other: float) -> Electronics:
    return replace(random_electronics(np.random.default_rng(seed), noisy=False, wet=False), **other)


def steps_of(made: Recording) -> Steps:
    scans = scans_of(trace_of(Path("checkup"), made.arrays))
    return {name: cut(scans, *np.searchsorted(scans.t_us, span).tolist()) for name, span in made.truth["steps"].items()}


def found_in(steps: Steps) -> TotemFound:
    rest = at_rest([steps["rest"]])
    return judge(steps["rest"].layout, rest, finger_swing([steps["finger"]], rest), in_hands([steps["hands"]], rest))


@pytest.mark.parametrize(("seed", "layout"), [(5_501, (12, 4)), (5_502, (8, 6)), (5_503, (6, 4))])
def test_a_good_totem_is_not_blamed(seed: int, layout: tuple[int, int]) -> None:
    electronics = wires(seed, gain=260.0, noise=1.5, mains_counts=0.5, mains_share=0.01)
    found = found_in(steps_of(simulate_checkup(seed, layout, electronics=electronics)))
    assert found.problems == ()
    assert found.rest.level.shape == (layout[0] * layout[1],)
    assert (np.abs(found.rest.level - 1000) < 250).all()
    assert 3.0 < found.warm_counts < 20.0


def test_dead_and_joined_electrodes_are_named() -> None:
    electronics = wires(5_504, gain=260.0, noise=1.5, mains_counts=0.5, mains_share=0.01)
    made = simulate_checkup(5_504, electronics=electronics, dead=(7, 30), joined=((12, 13),))
    found = found_in(steps_of(made))
    assert found.felt.dead == (7, 30)
    assert found.felt.joined == ((12, 13),)
    assert len(found.problems) == 3
    assert name_of(found.layout, 7) in found.problems[0]


def test_a_totem_without_earth_hums_when_it_is_held() -> None:
    electronics = wires(5_505, gain=130.0, noise=1.5, mains_counts=2.0, mains_share=0.3, mains_hz=50.0)
    found = found_in(steps_of(simulate_checkup(5_505, electronics=electronics)))
    assert found.rest.mains_hz == 50.0
    assert any("hums at 50 Hz" in problem for problem in found.problems)


def test_a_weak_totem_is_said_to_be_weak() -> None:
    electronics = wires(5_506, gain=30.0, noise=3.0)
    found = found_in(steps_of(simulate_checkup(5_506, electronics=electronics)))
    assert any("times their noise" in problem for problem in found.problems)


def test_the_threshold_follows_the_totems_own_gain() -> None:
    counts = []
    for gain in (130.0, 260.0, 780.0):
        electronics = wires(5_507, gain=gain, noise=1.5, mains_share=0.01)
        counts.append(found_in(steps_of(simulate_checkup(5_507, electronics=electronics))).warm_counts)
    assert counts[0] < counts[1] < counts[2]
    assert counts[2] == pytest.approx(3 * counts[1], rel=0.25)


def test_hands_at_the_wrong_moment_are_refused() -> None:
    steps = steps_of(simulate_checkup(5_508))
    with pytest.raises(InputError, match="hands off the table"):
        at_rest([steps["hands"]])
    rest = at_rest([steps["rest"]])
    with pytest.raises(InputError, match="no finger was felt"):
        finger_swing([steps["rest"]], rest)
    with pytest.raises(InputError, match="go over all of the totem"):
        in_hands([steps["rest"]], rest)
    with pytest.raises(InputError, match="no readings"):
        at_rest([])
    with pytest.raises(InputError, match="at least"):
        at_rest([cut(steps["rest"], 0, 100)])


def test_the_profile_gets_the_totems_shape_and_threshold() -> None:
    found = found_in(steps_of(simulate_checkup(5_509)))
    part = totem_part(found, "pico-1", "A 0.1.0")
    assert part.values["totem.rings"] == 12
    assert part.values["totem.warm_counts"] == found.warm_counts
    assert len(part.figures["swing"]) == 48


def test_the_command_goes_through_the_steps_on_a_port(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Left alone for six seconds, then in quick hands for longer than the steps take, whenever they begin."""
    steps = steps_of(simulate_checkup(5_510, layout=(4, 3), rate_hz=250.0))
    rest, hands = steps["rest"].counts, steps["hands"].counts[::10]
    counts = np.concatenate([rest, rest[: len(rest) // 2], *[hands] * 5])
    times = (np.arange(1, len(counts) + 1) * 4_000).astype(np.int64)
    played = ScanBatch(steps["rest"].layout, 1, times, counts, np.zeros(len(counts), np.float32))
    profile = tmp_path / "table.toml"
    with SimulatedTotem(played, tmp_path / "port"):
        words = ["calibrate", "totem", "--profile", str(profile), "--port", str(tmp_path / "port")]
        status = main([*words, "--step-seconds", "3.6"])
    said = capsys.readouterr()
    assert "counts on" in said.out, said.err
    content = tomllib.loads(profile.read_text())
    assert content["totem"]["rings"] == 4
    assert content["calibration"]["totem"]["firmware"] == "S 0.1.0"
    assert status in (0, 1)
