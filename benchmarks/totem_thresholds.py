"""Traces scored twice: with the threshold set by hand, and with the one each totem's own calibration found.

    python benchmarks/totem_thresholds.py --score SAMPLES/score.py --totems 12 --traces 4 [--gains 0.3,1,3]

Each simulated totem (its own gain, noise and mains pickup) is calibrated once on its simulated check-up, then read
in traces with hands it was not calibrated with. What is printed is the score program's report, once for each threshold.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from totem_score import score_program

from calibration.totem import TotemFound, at_rest, finger_swing, in_hands, judge
from referee.commands.grabs import fall_words, grab_words
from referee.sim.checkup import simulate_checkup
from referee.sim.electronics import Electronics, random_electronics
from referee.sim.totem import Recording, simulate
from referee.totem.baseline import WARM_COUNTS
from referee.totem.links.recorded import cut
from referee.totem.recording import scans_of
from referee.totem.scrambles import Grab, detect
from referee.totem.trace import trace_of

KINDS = ("single", "far", "near", "verynear", "stacked", "multi", "fall_scramble", "feint", "hover", "brush", "spill")


def calibrated(seed: int, electronics: Electronics) -> TotemFound:
    """What the calibration of this totem finds."""
    made = simulate_checkup(seed, electronics=electronics)
    scans = scans_of(trace_of(Path("checkup"), made.arrays))
    steps = {
        name: cut(scans, *np.searchsorted(scans.t_us, span).tolist()) for name, span in made.truth["steps"].items()
    }
    rest = at_rest([steps["rest"]])
    return judge(scans.layout, rest, finger_swing([steps["finger"]], rest), in_hands([steps["hands"]], rest))


def words(made: Recording, name: str, warm_counts: float) -> object:
    """What `referee grabs` would print."""
    events = detect(trace_of(Path(name), made.arrays), made.truth["seats"], warm_counts=warm_counts)
    printed = [grab_words(event) if isinstance(event, Grab) else fall_words(event) for event in events]
    return json.loads(json.dumps(printed))


def main() -> None:
    """Print both reports."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--score", type=Path, required=True)
    parser.add_argument("--totems", type=int, default=12)
    parser.add_argument("--traces", type=int, default=4)
    parser.add_argument("--first", type=int, default=770_000)
    parser.add_argument("--gains", default="1", help="the electronics' gain times these, in turn")
    options = parser.parse_args()
    score = score_program(options.score)
    gains = [float(text) for text in options.gains.split(",")]
    tallies = {"by hand": score.Tally(), "calibrated": score.Tally()}
    found = []
    for totem in range(options.totems):
        seed = options.first + 100 * totem
        drawn = random_electronics(np.random.default_rng([seed, 5]), noisy=totem % 4 == 3, wet=False)
        electronics = replace(drawn, gain=drawn.gain * gains[totem % len(gains)])
        thresholds = {"by hand": WARM_COUNTS, "calibrated": calibrated(seed, electronics).warm_counts}
        found.append(thresholds["calibrated"])
        for number in range(options.traces):
            kind = KINDS[(totem * options.traces + number) % len(KINDS)]
            made = simulate(seed + 1 + number, kind, electronics=electronics)
            for name, tally in tallies.items():
                tally.add("traces")
                score.score_trace(made.truth, words(made, kind, thresholds[name]), tally)
    print("calibrated thresholds, counts:", " ".join(f"{value:g}" for value in found))
    for name, tally in tallies.items():
        print(f"\n== {name}")
        score.report(tally, f"{options.totems} totems, {options.traces} traces each")
        late = sorted(abs(error) / 1000.0 for error in tally.terr)
        if late:
            print(f"first contact, ms: median {late[len(late) // 2]:.2f}, 95 % {late[int(0.95 * len(late))]:.2f}")


if __name__ == "__main__":
    main()
