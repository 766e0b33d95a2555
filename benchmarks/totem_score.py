"""Simulated traces, read and scored in one process by the score program that goes with the sample traces.

    python benchmarks/totem_score.py --score SAMPLES/score.py --count 300 [--pads] [--held-out] [--rate 1000]

What is printed is what that program prints for the traces that `benchmarks/totem_traces.py` writes with the same
options, without the minutes that starting `referee grabs` hundreds of times takes.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from pathlib import Path
from types import ModuleType

sys.path.insert(0, str(Path(__file__).resolve().parent))

from totem_traces import add_options, recordings

from referee.commands.grabs import fall_words, grab_words
from referee.totem.scrambles import Grab, detect
from referee.totem.trace import trace_of


def score_program(path: Path) -> ModuleType:
    """The score program as a module."""
    spec = importlib.util.spec_from_file_location("score", path)
    if spec is None or spec.loader is None:
        sys.exit(f"{path}: is not a Python program")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--score", type=Path, required=True)
    add_options(parser)
    options = parser.parse_args()
    score = score_program(options.score)
    tally = score.Tally()
    start = time.process_time()
    for name, made in recordings(options):
        events = detect(trace_of(Path(name), made.arrays), made.truth["seats"])
        printed = [grab_words(event) if isinstance(event, Grab) else fall_words(event) for event in events]
        tally.add("traces")
        score.score_trace(made.truth, json.loads(json.dumps(printed)), tally)
    score.report(tally, f"{options.kinds}, {options.rate:g} scans a second")
    late = sorted(abs(error) / 1000.0 for error in tally.terr)
    if late:
        shares = ", ".join(
            f"{share:.0%} {late[min(len(late) - 1, int(share * len(late)))]:.2f}" for share in (0.5, 0.9, 0.95)
        )
        print(f"first contact, ms from the truth: {shares}; {time.process_time() - start:.0f} s of one core")


if __name__ == "__main__":
    main()
