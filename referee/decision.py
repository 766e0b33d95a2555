"""The decision record of a ruling: what it rests on, how close it was, and what would have been ruled otherwise.

Written rules of this module:
- pure: from the events of a game and a ruling given; no clock, no files, no sentences (clauses stay ids);
- an alternative is worked out by judging it, never guessed: one input is changed, the game judged up to there;
- it never changes a ruling, and nothing that is judged reads it.
Does not belong here: keeping (`referee.journal`), wording (`referee.announce`), judging (`referee.adjudication`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.adjudication import UNORDERED_PLAYS, Game, adjudicate
from referee.alternatives import taken_by
from referee.ledger import OVERTURNED, Given
from referee.record import Step, resolve
from referee.sealing import hidden
from referee.words import Event, Header, Ruling

Word = dict[str, Any]

MOST_CANDIDATES = 6
BY_CAMERA = frozenset(("flip", "pick_up", "turn_up", "play", "draw", "centre", "commit", "take", "reveal"))
BY_TOUCH = frozenset(("grab", "fall"))
DECIDING = ("won", "to-pot", "fault", "choice-needed", "undecided")
# The keys of an event that are no inputs of their own.
APART = frozenset(("event", "hands", "fell", "evidence", "settled_by"))


class _Past:
    """The states of a game before each of its events; goes on where the events go on, and back where they changed."""

    def __init__(self, header: Header) -> None:
        self._header = header
        self._game = Game(header)
        self._events: list[Event] = []
        self._states = [self._game.state]

    def follow(self, events: Sequence[Event]) -> None:
        """Know the states of these events, as they count."""
        same = 0
        for known, event in zip(self._events, events, strict=False):
            if known is not event:
                break
            same += 1
        del self._events[same:], self._states[same + 1 :]
        self._game.state = self._states[same]
        for index, event in enumerate(events[same:], start=same):
            self._game.judge(Step(index, event))
            self._events.append(event)
            self._states.append(self._game.state)

    def before(self, index: int) -> Game:
        """The game as it stood before an event."""
        game = Game(self._header)
        game.state = self._states[index]
        return game


@dataclass(frozen=True)
class _Case:
    """A ruling with the events that count up to the one that caused it (`at`), and who felt touches."""

    header: Header
    past: _Past
    events: tuple[Event, ...]
    at: int
    ruling: Ruling
    touches: str

    @property
    def cause(self) -> Event:
        """The event that caused the ruling."""
        return self.events[self.at]


class Decisions:
    """The decision records of one game's rulings, while it is played: no event is judged more than it must be."""

    def __init__(self, header: Header, touches: str = "totem") -> None:
        """`touches` is what felt the scrambles: `totem`, or `camera` for a plain wooden one."""
        self._header = header
        self._touches = touches
        self._past = _Past(header)

    def of(self, events: Sequence[Event], given: Sequence[Given]) -> list[Word]:
        """One record for each of the rulings that were given after `events`; its keys: docs/journal.md."""
        steps = [step for step in resolve(list(events)) if not step.refused]
        self._past.follow([step.event for step in steps])
        sources = {id(one["with"]): one["by"] for one in events if one["event"] == "correct" and one.get("by")}
        return [self._one(events, steps, sources, ruling) for ruling in given]

    def _one(self, events: Sequence[Event], steps: Sequence[Step], sources: Mapping[int, str], given: Given) -> Word:
        ruling, at = given.ruling, _cause(steps, given)
        word: Word = {
            "place": given.place,
            "event": given.event,
            "ruling": ruling["ruling"],
            "clauses": ruling["clauses"],
        }
        if ruling["ruling"] == OVERTURNED or at is None:
            cause = events[given.event] if 0 <= given.event < len(events) else None
            inputs = [] if cause is None else [_input(cause, str(cause.get("by", "person")))]
            return {**word, "inputs": inputs, "alternatives": [], "evidence": _evidence([cause] if cause else [])}
        counted = tuple(step.event for step in steps[: at + 1])
        case = _Case(self._header, self._past, counted, at, ruling, self._touches)
        cards = _cards(case)
        used = [case.cause, *(case.events[index] for index in cards if index != at)]
        inputs = [one for event in used for one in _inputs(event, sources.get(id(event)), self._touches)]
        if "margin" in ruling:
            word["margin"] = ruling["margin"]
        if sure := [one["confidence"] for one in inputs if "confidence" in one]:
            word["weakest"] = min(sure)
        return {**word, "inputs": inputs, "alternatives": list(_alternatives(case, cards)), "evidence": _evidence(used)}


def decisions(header: Header, events: Sequence[Event], given: Sequence[Given], touches: str = "totem") -> list[Word]:
    """The same for rulings of a game that is not being played (see `Decisions.of`)."""
    return Decisions(header, touches).of(events, given)


def _cause(steps: Sequence[Step], given: Given) -> int | None:
    """The step that caused a ruling; an insertion has the index of the event it stands before, so times tell."""
    same = [number for number, step in enumerate(steps) if step.place == given.event]
    by_time = [number for number in same if steps[number].event["t_us"] == given.ruling["t_us"]]
    found = by_time or same
    return found[-1] if found else None


# --- inputs ---------------------------------------------------------------------------------------------


def _inputs(event: Event, by: str | None, touches: str) -> Iterator[Word]:
    """What an event says, each with its source and time, and its confidence where it has one."""
    source = event.get("settled_by") or by or _source(event["event"], touches)
    if event["event"] != "grab":
        yield _input(event, source)
        return
    for hand in event["hands"]:
        yield {"what": "hand", "source": source, **hand}
    if (fell := event.get("fell")) is not None:
        yield {"what": "fell", "source": source, **fell}
    if "doubt" in event:
        yield {"what": "doubt", "source": source, "t_us": event["t_us"], "why": event["doubt"]}


def _source(kind: str, touches: str) -> str:
    return touches if kind in BY_TOUCH else "camera" if kind in BY_CAMERA else "person"


def _input(event: Event, source: str) -> Word:
    event = hidden(event)
    return {
        "what": event["event"],
        "source": source,
        **{key: value for key, value in event.items() if key not in APART},
    }


def _evidence(events: Sequence[Event]) -> list[str]:
    """The evidence the events name, each once."""
    return list(dict.fromkeys(name for event in events for name in event.get("evidence", ())))


def _cards(case: _Case) -> list[int]:
    """Which flips the ruling rests on: those of the cards on top, of its players where it names them as rivals."""
    if case.header["game"] != "jungle-speed":
        return []
    lying = case.past.before(case.at).lying()
    if lying is None:
        return []
    rivals = _rivals(case.ruling)
    found: dict[str, int] = {}
    for index in range(case.at, -1, -1):
        event = case.events[index]
        player = event["player"] if event["event"] == "flip" else None
        if player is None or player in found or (rivals and player not in rivals):
            continue
        top = list(lying["face_up"].get(player, ()))[-1:]
        if index == case.at or [event["card"]] == top or (event["card"] == "?" and top == [None]):
            found[player] = index
    return sorted(found.values())


def _rivals(ruling: Ruling) -> list[str]:
    """The players whose cards a ruling compares; empty where all cards on the table count."""
    if ruling["ruling"] == "duel":
        return list(ruling["players"])
    if ruling["ruling"] == "won":
        return [ruling["winner"], *ruling["losers"]]
    return []


# --- alternatives ---------------------------------------------------------------------------------------


def _alternatives(case: _Case, cards: Sequence[int]) -> Iterator[Word]:
    if case.ruling["ruling"] not in DECIDING and case.cause["event"] != "flip":
        return
    if case.cause["event"] == "grab":
        yield from _other_hand(case)
        yield from _other_order(case, cards)
    if case.ruling["ruling"] == "undecided":
        yield from _each_candidate(case)
    yield from _other_card(case, cards)


def _judged(case: _Case, events: Sequence[Event], at: int, why_not: Word, **what: Any) -> Word:
    """An alternative with what it gives: the rulings of the same event."""
    if case.header["game"] in UNORDERED_PLAYS:  # a play may wait for its partner
        judged = adjudicate(Game(case.header), list(events[: at + 1]))
        gives = [ruling for step, rulings in judged if step.place == at for ruling in rulings]
    else:
        first = next((index for index in range(at) if events[index] is not case.events[index]), at)
        game = case.past.before(first)
        for index in range(first, at + 1):
            gives = game.judge(Step(index, events[index]))
    same = any(_without_margin(one) == _without_margin(case.ruling) for one in gives)
    return {**what, "why_not": why_not, "gives": gives, "same": same}


def _without_margin(ruling: Ruling) -> Ruling:
    return {key: value for key, value in ruling.items() if key not in ("margin", "t_us")}


def _with_cause(case: _Case, event: Event) -> list[Event]:
    return [*case.events[: case.at], event]


MEASURES = {"time": "t_us", "fingers": "fingers", "height": "lowest_mm", "entitled": "t_us"}


def _other_hand(case: _Case) -> Iterator[Word]:
    """The best other hand in the deciding hand's place, by the measure that decided."""
    margin = case.ruling.get("margin", {})
    measure = MEASURES.get(margin.get("by", ""))
    decider = case.ruling.get("winner", case.ruling.get("player"))
    hands = case.cause["hands"]
    gripping = [place for place, hand in enumerate(hands) if hand.get("grip", True)]
    own = next((place for place in gripping if hands[place]["player"] == decider), None)
    others = [place for place in gripping if place != own and hands[place]["player"] is not None]
    if measure is None or own is None or not others:
        return
    other = min(others, key=lambda place: _distance(hands[own], hands[place], margin))
    changed = [dict(hand) for hand in hands]
    changed[own][measure], changed[other][measure] = hands[other][measure], hands[own][measure]
    yield _judged(
        case,
        _with_cause(case, {**case.cause, "hands": changed}),
        case.at,
        {key: value for key, value in margin.items() if key != "arrival_us"},
        what="other-hand-first",
        player=hands[other]["player"],
        instead_of=decider,
    )


def _distance(own: Mapping[str, Any], other: Mapping[str, Any], margin: Mapping[str, Any]) -> tuple[bool, int]:
    """How far a hand is from being the margin's "best other": its value agrees, then it is near in time."""
    by = margin["by"]
    apart = abs(other["t_us"] - own["t_us"])
    if by == "time":
        return apart != margin["us"], apart
    if by in ("fingers", "height"):
        value = other["fingers"] if by == "fingers" else other["lowest_mm"]
        return value != margin["count" if by == "fingers" else "mm"][1], apart
    return False, apart


def _other_order(case: _Case, cards: Sequence[int]) -> Iterator[Word]:
    """The touch on the other side of a card that was arriving just then."""
    margin = case.ruling.get("margin", {})
    offsets = margin.get("us") if margin.get("by") == "arrival" else margin.get("arrival_us")
    if not isinstance(offsets, list):
        return
    touch_us = case.cause["t_us"]
    for index in sorted({*cards, *range(max(0, case.at - 8), case.at)}, reverse=True):
        flip = case.events[index]
        if flip["event"] != "flip" or "between" not in flip:
            continue
        if [end - touch_us for end in flip["between"]] != offsets:
            continue
        without = [*case.events[:index], *case.events[index + 1 : case.at]]
        yield _judged(
            case,
            [*without, case.cause],
            case.at - 1,
            {"by": "arrival", "us": offsets},
            what="touch-before-card",
            player=flip["player"],
            card=flip["card"],
        )
        return


def _other_card(case: _Case, cards: Sequence[int]) -> Iterator[Word]:
    """The cards that a card may be instead: the candidates of one that was not read, the runner-up of one that was."""
    for index in cards:
        flip = case.events[index]
        why: Word = {"by": "reading"}
        if "confidence" in flip:
            why["confidence"] = flip["confidence"]
        others = [*flip.get("may_be", ()), *([flip["runner_up"]] if "runner_up" in flip else [])]
        for card in [other for other in others if other != flip["card"]][:MOST_CANDIDATES]:
            events = [*case.events]
            events[index] = {**flip, "card": card}
            yield _judged(case, events, case.at, why, what="other-card", player=flip["player"], card=card)


def _each_candidate(case: _Case) -> Iterator[Word]:
    """Each player who may have done what nobody could be named for."""
    why = {"by": "evidence", "why": case.ruling.get("why")}
    for player in case.ruling.get("candidates", ())[:MOST_CANDIDATES]:
        if player not in case.header["players"]:
            continue
        if case.cause["event"] == "grab":
            event = taken_by(case.cause, player)
        elif "player" in case.cause and case.cause["player"] is None:
            event = {**case.cause, "player": player}
        else:
            continue
        yield _judged(case, _with_cause(case, event), case.at, why, what="candidate", player=player)
