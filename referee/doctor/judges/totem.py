"""The totem: its port and rights, its program, its scans and its clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from referee.doctor.finding import Finding

LOW_RATE = 0.9
MANY_LOST = 0.01
POOR_CLOCK_US = 1000.0  # the order of two hands is honest from 2 ms (docs/accuracy-totem.md)


@dataclass(frozen=True)
class TotemFacts:
    """What a totem said in the time it was watched.

    `kind`: `live`, `recording` or `plain`. `trouble`: `missing`, `rights`, `busy` or `silent` where it could not be
    heard; `other_protocol` what it said instead of ours. `boot_id` as eight hexadecimal digits. `pads` of the self-test
    as `number: state`, None when it was not answered.
    """

    kind: str
    trouble: str = ""
    group: str = ""
    why: str = ""
    other_protocol: str = ""
    protocol: int = 0
    firmware: Sequence[int] = ()
    shipped: Sequence[int] = ()
    build: str = ""
    boot_id: str = ""
    rings: int = 0
    sectors: int = 0
    seconds: float = 0.0
    scans: int = 0
    lost: int = 0
    period_us: int = 0
    starts: int = 1
    clock_error_us: float | None = None
    faulty: Sequence[str] | None = None


def judge(facts: TotemFacts) -> list[Finding]:
    """What the totem amounts to."""
    if facts.kind != "live":
        return [Finding("totem.there", facts.kind)]
    if facts.other_protocol:
        return [Finding("totem.there", "ok"), Finding("totem.protocol", "other", {"found": facts.other_protocol})]
    if facts.trouble:
        return [Finding("totem.there", facts.trouble, {"group": facts.group, "why": facts.why or "no answer"})]
    found = [Finding("totem.there", "ok"), *_program(facts)]
    if facts.starts > 1:
        found.append(Finding("totem.start", "restarted", {"starts": facts.starts - 1}))
    return [*found, *_scans(facts)]


def _program(facts: TotemFacts) -> list[Finding]:
    if not facts.protocol:  # touch chips on the Pi's own bus have no program
        return []
    version, ours = (".".join(map(str, numbers)) for numbers in (facts.firmware, facts.shipped))
    program = Finding(
        "totem.firmware",
        "ok" if tuple(facts.firmware) == tuple(facts.shipped) else "other",
        {
            "version": version,
            "ours": ours,
            "build": facts.build,
            "rings": facts.rings,
            "sectors": facts.sectors,
            "boot_id": facts.boot_id,
        },
    )
    found = [Finding("totem.protocol", "ok", {"found": facts.protocol}), program]
    if facts.faulty is None:
        found.append(Finding("totem.pads", "unasked"))
    elif facts.faulty:
        found.append(Finding("totem.pads", "faulty", {"names": ", ".join(facts.faulty)}))
    else:
        found.append(Finding("totem.pads", "ok", {"pads": facts.rings * facts.sectors}))
    return found


def _scans(facts: TotemFacts) -> list[Finding]:
    found = []
    if facts.seconds > 0 and facts.period_us > 0:
        rate, wanted = facts.scans / facts.seconds, 1e6 / facts.period_us
        verdict = "low" if rate < LOW_RATE * wanted else "ok"
        found.append(Finding("totem.rate", verdict, {"rate": rate, "wanted": wanted}))
    share = facts.lost / max(facts.scans + facts.lost, 1)
    verdict = "many" if share > MANY_LOST else "some" if facts.lost else "ok"
    found.append(Finding("totem.lost", verdict, {"lost": facts.lost, "scans": facts.scans + facts.lost}))
    if facts.clock_error_us is not None:
        verdict = "poor" if facts.clock_error_us > POOR_CLOCK_US else "ok"
        found.append(Finding("totem.clock", verdict, {"us": facts.clock_error_us}))
    return found
