"""The process of one probe: `python -m referee.doctor.child FAMILY`, the plan on its input, facts on its output.

Belongs here: nothing but that. Whatever goes wrong in it ends this process and no other.
"""

from __future__ import annotations

import importlib
import os
import sys
from dataclasses import asdict

import orjson

from referee.doctor.families import FAMILIES
from referee.doctor.plan import Plan


def main() -> None:
    """Look at one family and say what was found."""
    (family,) = (family for family in FAMILIES if family.name == sys.argv[1])
    answer = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # drivers print where they like
    module, _, function = family.probe.partition(":")
    facts = getattr(importlib.import_module(module), function)(Plan.unpacked(sys.stdin.buffer.read()))
    os.write(answer, orjson.dumps(asdict(facts)))


if __name__ == "__main__":
    main()
