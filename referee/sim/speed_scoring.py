"""How well a match of Speed was refereed, strictly: everything that was ever said counts, also what was overturned
later.

Written rules of this module:
- a card is right when it was first told with its player, its pile and its rank; `undecided` when card or player was
  left open; wrong when either was told otherwise, when it was told though nothing was laid, or when nobody told it;
- a ruling that was given is wrong when nothing of the kind was true then; what was true and neither ruled nor left open
  is wrong too;
- the share of undecided is that of cards told open and rulings left open, each once.
Does not belong here: standing rulings in their order (`scoring`), running anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from referee.sim.scoring import agrees
from referee.words import Event, Ruling

NEAR_US = 450_000
RULED_NEAR_US = 1_500_000
DECIDING = ("illegal-play", "false-start", "turn-up", "reshuffle-needed", "game-won", "match-won", "fault")
CARDS = ("play", "turn_up")


@dataclass
class SpeedTally:
    """Counts of one or many matches: cards laid or turned up, rulings, and notes on what was wrong."""

    games: int = 0
    cards: int = 0
    cards_right: int = 0
    cards_undecided: int = 0
    cards_wrong: int = 0
    rulings: int = 0
    rulings_right: int = 0
    rulings_open: int = 0
    rulings_missing: int = 0
    rulings_wrong: int = 0
    asked: int = 0
    notes: list[str] = field(default_factory=list)

    def add(self, other: SpeedTally) -> None:
        """Count another tally in."""
        for one in fields(self):
            mine, more = getattr(self, one.name), getattr(other, one.name)
            setattr(self, one.name, [*mine, *more] if isinstance(mine, list) else mine + more)

    @property
    def judged(self) -> int:
        """Cards and rulings that were to be told."""
        return self.cards + self.rulings

    @property
    def wrong(self) -> int:
        """What was told wrong, or not told, with assurance."""
        return self.cards_wrong + self.rulings_wrong + self.rulings_missing

    @property
    def undecided(self) -> int:
        """What was left open."""
        return self.cards_undecided + self.rulings_open


def tally(
    true_events: Sequence[Event], true_rulings: Sequence[Ruling], lines: Sequence[Mapping[str, Any]], asked: int = 0
) -> SpeedTally:
    """Compare a match with the lines that were kept of it (events, corrections, rulings, in their order)."""
    result = SpeedTally(games=1, asked=asked)
    _cards(true_events, [dict(line) for line in lines if "event" in line and "ruling" not in line], result)
    _rulings(true_rulings, [dict(line) for line in lines if "ruling" in line], result)
    return result


def _cards(true_events: Sequence[Event], lines: Sequence[Event], result: SpeedTally) -> None:
    players = list(dict.fromkeys(event["player"] for event in true_events if event["event"] in CARDS))
    piles = {event["player"]: event["zone"] for event in true_events if event["event"] == "turn_up"}
    truth = [event for event in true_events if event["event"] in CARDS]
    told = [_told(line, lines[:place]) for place, line in enumerate(lines)]
    said = [event for event in told if event is not None and event["event"] in CARDS]

    def zone(event: Event) -> str:
        return str(piles.get(event["player"], "")) if event["event"] == "turn_up" else f"central/{event['pile']}"

    near = sorted(
        (abs(a["t_us"] - b["t_us"]) + (0 if agrees(_seen(b), a["card"]) else 300_000), i, j)
        for i, a in enumerate(truth)
        for j, b in enumerate(said)
        if zone(b) == a["zone"] and abs(a["t_us"] - b["t_us"]) <= NEAR_US
    )
    found = _pairs(near)
    result.cards += len(truth)
    for i, event in enumerate(truth):
        one = said[found[i]] if i in found else None
        if one is None:
            _wrong(result, "cards_wrong", event["t_us"], f"not told: {event['player']} {event['card']}")
        elif one["player"] is None or one["card"] == "?":
            result.cards_undecided += 1
        elif one["player"] == event["player"] and agrees(one["card"], event["card"]) and one["event"] == event["event"]:
            result.cards_right += 1
        else:
            words = f"{event['event']} {event['player']} {event['card']}"
            _wrong(
                result, "cards_wrong", event["t_us"], f"{words} told as {one['event']} {one['player']} {one['card']}"
            )
    for j, event in enumerate(said):
        if j not in found.values() and event["player"] in players and event["card"] != "?":
            _wrong(result, "cards_wrong", event["t_us"], f"nothing was laid: {event['player']} {event['card']}")
        elif j not in found.values():
            result.cards_undecided += 1


def _told(line: Event, before: Sequence[Event]) -> Event | None:
    """The event a line told anew, but for one that a person's answer only took from its place to another."""
    event = line["with"] if line["event"] == "correct" and "before" in line else line
    if event["event"] != "play" or "settled_by" not in event:
        return event
    taken = [before[one["ref"]] for one in before if one["event"] == "correct" and one.get("with", 0) is None]
    laid = ("event", "player", "pile", "card")
    is_moved = any(all(one.get(key) == event.get(key) for key in laid) for one in taken)
    return None if is_moved else event


def _pairs(near: Sequence[tuple[int, int, int]]) -> dict[int, int]:
    """Who goes with whom, each once: of (how far apart, one, other) in order, the nearest first."""
    found: dict[int, int] = {}
    taken: set[int] = set()
    for _, i, j in near:
        if i not in found and j not in taken:
            found[i] = j
            taken.add(j)
    return found


def _seen(event: Event) -> str:
    return str(event["may_be"][0] if event["card"] == "?" and event.get("may_be") else event["card"])


def _rulings(truth: Sequence[Ruling], given: Sequence[Ruling], result: SpeedTally) -> None:
    wanted = [ruling for ruling in truth if ruling["ruling"] in DECIDING]
    said = [ruling for ruling in given if ruling["ruling"] in DECIDING]
    again: dict[tuple[Any, ...], Ruling] = {}
    for ruling in said:  # what came out the same again after a correction is one ruling
        again.setdefault((ruling["t_us"], ruling["ruling"], ruling.get("player"), ruling.get("winner")), ruling)
    said = list(again.values())
    open_us = [ruling["t_us"] for ruling in given if ruling["ruling"] == "undecided"]
    near = sorted(
        (abs(a["t_us"] - b["t_us"]), i, j)
        for i, a in enumerate(wanted)
        for j, b in enumerate(said)
        if _same(a, b) and abs(a["t_us"] - b["t_us"]) <= RULED_NEAR_US
    )
    found = _pairs(near)
    result.rulings += len(wanted)
    for i, ruling in enumerate(wanted):
        if i in found:
            result.rulings_right += 1
        elif any(abs(ruling["t_us"] - t_us) <= RULED_NEAR_US for t_us in open_us):
            result.rulings_open += 1
        else:
            _wrong(result, "rulings_missing", ruling["t_us"], f"not ruled: {_short(ruling)}")
    for j, ruling in enumerate(said):
        if j not in found.values():
            _wrong(result, "rulings_wrong", ruling["t_us"], f"ruled: {_short(ruling)}")


def _same(a: Ruling, b: Ruling) -> bool:
    keys = ("ruling", "player", "winner")
    cards = all(agrees(b[key], a[key]) for key in ("card",) if key in a and key in b)
    return cards and all(a.get(key) == b.get(key) for key in keys)


def _short(ruling: Ruling) -> str:
    return " ".join(str(ruling[key]) for key in ("ruling", "player", "winner", "card", "on") if key in ruling)


def _wrong(result: SpeedTally, name: str, t_us: int, note: str) -> None:
    setattr(result, name, getattr(result, name) + 1)
    result.notes.append(f"{t_us / 1e6:.3f} s: {note}")
