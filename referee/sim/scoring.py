"""How well a table was refereed: what was said against what truly happened.

Written rules of this module:
- a card is right when the same player showed it in the same place within a second; `?` is withheld, and of a card of
  which the rank was told (`9?`) the rank is compared;
- rulings are compared in order and without their times, by kind and by the keys that decide them; those of one kind
  that one moment brings (the duels of a volley) have no order among them, nor have the same rulings within a frame
  (a touch in the very moment in which a card stands on its edge);
- an `undecided` stands for at most one true ruling that was not given, the nearest in time; it is right when the
  true answer is among its candidates, or when it names none because a card could not be read;
- rulings that fingers or height decided are counted apart: no sensor can be as sure of those;
- cards that no frame ever showed free enough are counted apart: no camera can read them.
Does not belong here: running the referee, printing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import groupby
from typing import Any

from referee.record import resolve
from referee.words import Event, Ruling

SAME_FLIP_US = 1_000_000
STANDS_FOR_US = 1_500_000
STAMPS_US = 1_000  # two frames are farther apart than their rate says by so much at most
FREE_ENOUGH = 0.4
# What of a ruling has to be right, by its kind; kinds that are not here are free (warnings, rejections).
DECISIVE: Mapping[str, tuple[str, ...]] = {
    "duel": ("players", "by"),
    "arrow": ("player", "kind"),
    "won": ("winner", "losers", "picks_up", "next"),
    "to-pot": ("player", "cards", "pot", "next"),
    "fault": ("player", "kind", "picks_up", "next"),
    "out": ("player", "rank"),
    "cancelled": ("players",),
    "colour-mode": ("on",),
    "choice-needed": ("player",),
    "share-needed": ("player", "cards"),
    "over": ("ranking", "totals", "points"),
    "illegal-play": ("player", "card", "cards", "on"),
    "false-start": ("player",),
    "turn-up": (),
    "reshuffle-needed": (),
    "game-won": ("winner",),
    "match-won": ("winner",),
    "value": ("value", "doubled"),
    "picks-up": ("player", "cards"),
    "oubli": ("player",),
    "round-over": ("counts", "points", "opener", "kept", "first"),
    "holds": ("player", "card"),
    "refused": ("player",),
    "returned": ("player",),
}
SHOWING: Mapping[str, tuple[str, ...]] = {
    "flip": ("player",),
    "play": ("player", "pile"),
    "turn_up": ("player",),
    "take": ("player",),
    "centre": (),
    "reveal": (),
}
"""The events that show cards, whatever the game, and what has to agree besides for two of them to be the same."""
CARD_KEYS = frozenset({"card", "on"})
UNREAD = "?"
BY_TOUCH = ("fingers", "height")


@dataclass
class Score:
    """Counts of one or many games; `touch_*` are those of rulings decided by fingers or height, not in the others.

    `wrong_after_open` are those of `rulings_wrong` that came after an `undecided` which nobody settled: from there
    on the referee no longer knows who holds what, and at a real table a person would have said.
    `flips` are the events that show cards (`SHOWING`); `unseen` are those whose card no frame ever showed free enough:
    they are in no other count.
    """

    games: int = 0
    flips: int = 0
    flips_right: int = 0
    flips_withheld: int = 0
    flips_missed: int = 0
    flips_wrong: int = 0
    flips_phantom: int = 0
    unseen: int = 0
    rulings: int = 0
    rulings_right: int = 0
    rulings_open: int = 0
    rulings_missing: int = 0
    rulings_wrong: int = 0
    wrong_after_open: int = 0
    touch_rulings: int = 0
    touch_right: int = 0
    touch_open: int = 0
    touch_missing: int = 0
    touch_wrong: int = 0
    undecided: int = 0
    undecided_right: int = 0
    errors: int = 0
    notes: list[str] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Add another game's counts."""
        for one in fields(self):
            if one.name == "notes":
                self.notes.extend(other.notes)
            else:
                setattr(self, one.name, getattr(self, one.name) + getattr(other, one.name))

    def counts(self) -> dict[str, int]:
        """All counts by name."""
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name != "notes"}


def score(
    true_events: Sequence[Event],
    true_rulings: Sequence[Ruling],
    said_events: Sequence[Event],
    said_rulings: Sequence[Ruling],
    unseen: frozenset[int] = frozenset(),
    fps: float = 30.0,
) -> Score:
    """Compare one game; `unseen` are the true flips (counted from 0) that no camera could read, `fps` its frames a
    second."""
    result = Score(games=1)
    _score_flips(true_events, said_events, unseen, result)
    # What a person settled was given after what followed it: it stands where it happened.
    in_time = sorted(standing(said_rulings), key=lambda ruling: int(ruling["t_us"]))
    _score_rulings(true_rulings, in_time, result, round(1e6 / fps) + STAMPS_US)
    return result


def never_shown(true_events: Sequence[Event], frames: Sequence[Mapping[str, Any]]) -> frozenset[int]:
    """The flips (counted from 0) whose card no frame shows lying with `FREE_ENOUGH` of its face free.

    `frames` are those of `truth.json`. A card counts as shown while it is its player's top and lies still, up to the
    next card there.
    """
    flips = [event for event in true_events if event["event"] in SHOWING and "card" in event]
    unseen = set()
    for place, flip in enumerate(flips):
        later = (other["t_us"] for other in flips[place + 1 :] if _zone(other) == _zone(flip))
        until = next(later, None)
        if not any(_shows(frame, flip, until) for frame in frames):
            unseen.add(place)
    return frozenset(unseen)


def _shows(frame: Mapping[str, Any], flip: Event, until: int | None) -> bool:
    if frame["t_us"] < flip["t_us"] or (until is not None and frame["t_us"] >= until):
        return False
    top = frame["tops"].get(_zone(flip))
    return top is not None and top["card"] == flip["card"] and not top["moving"] and top["visible"] >= FREE_ENOUGH


def _zone(event: Event) -> str:
    """Where a true card lies, as the frames' truth names it: an event says it (`zone`), or it is its player's pile."""
    return str(event.get("zone", event["player"]))


def standing(rulings: Sequence[Ruling]) -> list[Ruling]:
    """The rulings that were not overturned by later ones (`refs` count what was printed so far)."""
    gone = {
        place
        for ruling in rulings
        if ruling.get("ruling") == "overturned"
        for place in ruling.get("refs", ())
    }  # fmt: skip
    return [r for place, r in enumerate(rulings) if place not in gone and r.get("ruling") != "overturned"]


def _score_flips(
    true_events: Sequence[Event], said_events: Sequence[Event], unseen: frozenset[int], result: Score
) -> None:
    truth = [event for event in true_events if event["event"] in SHOWING]
    said = [step.event for step in resolve(list(said_events)) if step.event["event"] in SHOWING and not step.refused]
    near = sorted(
        (abs(b["t_us"] - a["t_us"]) + (0 if agrees(_shown(b), _shown(a)) else 300_000), i, j)
        for i, a in enumerate(truth)
        for j, b in enumerate(said)
        if _same_place(a, b) and abs(b["t_us"] - a["t_us"]) <= SAME_FLIP_US
    )
    found: dict[int, int] = {}
    for _, i, j in near:
        if i not in found and j not in found.values():
            found[i] = j
    for i, flip in enumerate(truth):
        card = _shown(said[found[i]]) if i in found else None
        wrong = card is not None and card != UNREAD and not agrees(card, _shown(flip))
        if i in unseen and not wrong:
            result.unseen += 1
            continue
        result.flips += 1
        if card is None:
            result.flips_missed += 1
            result.notes.append(f"missed: {flip.get('player')} showed {_shown(flip)} at {flip['t_us'] / 1e6:.3f} s")
        elif wrong:
            result.flips_wrong += 1
            result.notes.append(f"WRONG: {_shown(flip)} at {flip['t_us'] / 1e6:.3f} s was read as {card}")
        elif card == UNREAD:
            result.flips_withheld += 1
        else:
            result.flips_right += 1
    result.flips_phantom += len(said) - len(found)


def _same_place(a: Event, b: Event) -> bool:
    """Whether two events may be one: of one kind, and in one place by one player (who may be open in one of them)."""
    if a["event"] != b["event"]:
        return False
    return all(
        a.get(key) == b.get(key) or (key == "player" and None in (a[key], b[key])) for key in SHOWING[a["event"]]
    )


def _shown(event: Event) -> str:
    """The cards of an event, as one word; of several of which one is not read, none is told."""
    if "card" in event:
        return str(event["card"])
    return UNREAD if UNREAD in event["cards"] else " ".join(event["cards"])


def agrees(said: str, true: str) -> bool:
    """Whether a card was told right; of a rank without its suit the rank is."""
    return said == true or (len(said) > 1 and said.endswith(UNREAD) and said[:-1] == true[:-1])


def _score_rulings(truth: Sequence[Ruling], said: Sequence[Ruling], result: Score, frame_us: int) -> None:
    wanted = [r for r in _by_moment(truth) if r["ruling"] in DECISIVE or r["ruling"] == "undecided"]
    given = [ruling for ruling in _by_moment(said) if ruling.get("ruling") in DECISIVE]
    open_ones = [ruling for ruling in said if ruling.get("ruling") == "undecided"]
    pairs = in_order(wanted, given)
    _add_swapped(wanted, given, pairs, frame_us)
    left = [i for i in range(len(wanted)) if i not in pairs]
    stands = _stands_for(wanted, left, open_ones)
    for i, ruling in enumerate(wanted):
        prefix = "touch" if by_touch(ruling) else "rulings"
        kind = "right" if i in pairs else "open" if i in stands.values() else "missing"
        _count(result, "touch_rulings" if prefix == "touch" else "rulings")
        _count(result, f"{prefix}_{kind}")
        if kind == "missing":
            result.notes.append(f"not ruled: {_short(ruling)}")
    for j, ruling in enumerate(given):
        if j not in pairs.values():
            near = [w for i, w in enumerate(wanted) if i in left and abs(w["t_us"] - ruling["t_us"]) <= STANDS_FOR_US]
            touch = by_touch(ruling) or any(by_touch(w) for w in near)
            _count(result, "touch_wrong" if touch else "rulings_wrong")
            if not touch and any(u["t_us"] <= ruling["t_us"] for u in open_ones):
                _count(result, "wrong_after_open")
            result.notes.append(f"WRONG: ruled {_short(ruling)}")
    result.undecided += len(open_ones)
    right = [j for j in stands if leaves_open(wanted[stands[j]], open_ones[j])]
    result.undecided_right += len(right)


def _by_moment(rulings: Sequence[Ruling]) -> list[Ruling]:
    """The rulings in their order, those of one kind and one moment sorted by what they say."""
    together = [list(group) for _, group in groupby(rulings, lambda r: (r["t_us"], r.get("ruling")))]
    return [ruling for group in together for ruling in sorted(group, key=_short)]


def in_order(wanted: Sequence[Ruling], given: Sequence[Ruling]) -> dict[int, int]:
    """The longest run of true rulings that were given in their order: place in `wanted` to place in `given`."""
    n, k = len(wanted), len(given)
    length = [[0] * (k + 1) for _ in range(n + 1)]
    for i in range(n - 1, -1, -1):
        for j in range(k - 1, -1, -1):
            follows = length[i + 1][j + 1] + 1
            length[i][j] = follows if same(wanted[i], given[j]) else max(length[i + 1][j], length[i][j + 1])
    pairs: dict[int, int] = {}
    i = j = 0
    while i < n and j < k:
        if same(wanted[i], given[j]):
            pairs[i] = j
            i, j = i + 1, j + 1
        elif length[i + 1][j] >= length[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def _add_swapped(wanted: Sequence[Ruling], given: Sequence[Ruling], pairs: dict[int, int], frame_us: int) -> None:
    """Pair what is left over and says the same within a frame: only its place among others differs."""
    for i, true in enumerate(wanted):
        if i in pairs:
            continue
        taken = set(pairs.values())
        for j, ruling in enumerate(given):
            if j not in taken and abs(true["t_us"] - ruling["t_us"]) <= frame_us and same(true, ruling):
                pairs[i] = j
                break


def same(a: Ruling, b: Ruling) -> bool:
    """Whether two rulings say the same in everything that decides."""
    kind = a.get("ruling")
    if kind != b.get("ruling") or kind not in DECISIVE:
        return False
    return all(_same_value(key, a[key], b.get(key)) for key in DECISIVE[str(kind)] if key in a)


def _same_value(key: str, a: Any, b: Any) -> bool:
    if key in CARD_KEYS and isinstance(a, str) and isinstance(b, str):
        return agrees(a, b) or agrees(b, a)
    return bool(_plain(key, a) == _plain(key, b))


def by_touch(ruling: Ruling) -> bool:
    """Whether fingers or height decided it."""
    return ruling.get("margin", {}).get("by") in BY_TOUCH


def leaves_open(true: Ruling, undecided: Ruling) -> bool:
    """Whether an `undecided` is a defensible answer where `true` is true."""
    if true["ruling"] == "undecided":
        return True
    candidates = undecided.get("candidates")
    if not candidates:
        return "unreadable" in str(undecided.get("why", "")).lower()
    return bool(_names(true.get("winner") or true.get("player") or true.get("players")) & _names(candidates))


def _stands_for(wanted: Sequence[Ruling], left: Sequence[int], open_ones: Sequence[Ruling]) -> dict[int, int]:
    """Place of each `undecided` to the place of the true ruling for which it stands."""
    near = sorted(
        (abs(u["t_us"] - wanted[i]["t_us"]), not leaves_open(wanted[i], u), i, j)
        for i in left
        for j, u in enumerate(open_ones)
        if abs(u["t_us"] - wanted[i]["t_us"]) <= STANDS_FOR_US
    )
    stands: dict[int, int] = {}
    for _, _, i, j in near:
        if j not in stands and i not in stands.values():
            stands[j] = i
    return stands


def _count(result: Score, name: str) -> None:
    setattr(result, name, getattr(result, name) + 1)


def _names(value: Any) -> set[str]:
    found = set()
    for one in value if isinstance(value, list) else [value]:
        name = one.get("player", one.get("winner")) if isinstance(one, dict) else one
        if isinstance(name, str):
            found.add(name)
    return found


def _plain(key: str, value: Any) -> Any:
    """Lists whose order means nothing are compared sorted; a ranking's order is its meaning."""
    if isinstance(value, list) and key != "ranking":
        return sorted(value, key=lambda one: json.dumps(one, sort_keys=True))
    return value


def _short(ruling: Ruling) -> str:
    keys = ("ruling", *DECISIVE.get(str(ruling.get("ruling")), ()))
    words = {key: ruling[key] for key in keys if key in ruling}
    return f"{json.dumps(words, ensure_ascii=False)} at {ruling['t_us'] / 1e6:.3f} s"
