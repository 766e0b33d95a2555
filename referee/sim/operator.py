"""A simulated operator: somebody at the table who saw how it was, and taps on the operator's page when asked.

Belongs here: answering what is asked from the truth, a moment later, through the page's own desk. Does not belong here:
choices and shares, which the players make themselves (`PlayedGame.calls`).

The truth stays with the operator: the referee gets a name or a card, as from a person, and counts it as asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.errors import InputError
from referee.sim.scoring import agrees
from referee.web.board import Board, Question
from referee.web.desk import Desk, Settle
from referee.words import Event, Ruling

REACTION_US = 1_200_000
AGAIN_US = 4_000_000
NEAR_US = 1_000_000
LAID_NEAR_US = 230_000  # cards follow one another: one laid further from the moment asked for is not meant
THAT_CARD_US = 700_000  # but where the very card is named, and whose it is is asked, everybody knows which one is meant
COVERS_WITHIN_US = 2_000_000  # a card that hides another one was laid so soon after it
BESIDE_US = 100_000
TAKEN_BY = {"won": "winner", "to-pot": "player", "fault": "player", "choice-needed": "player", "share-needed": "player"}


class Operator:
    """Watches a board and answers its questions; `start_us` is the truth's time 0 on the table clock."""

    def __init__(
        self, board: Board, desk: Desk, events: Sequence[Event], rulings: Sequence[Ruling], start_us: int = 0
    ) -> None:
        self._board, self._desk = board, desk
        self._events, self._rulings = tuple(events), tuple(rulings)
        self._start_us = start_us
        self._is_bluff = any(event["event"] == "centre" for event in self._events)
        self._question: int | None = None
        self._asked_us = 0
        self.answered = 0
        self._told_hidden: dict[int, int] = {}  # hidden cards that were told, and of which moment

    def turn(self, now_us: int) -> None:
        """Look at the page; tap if something has been asked for long enough."""
        _, snapshot = self._board.current()
        question = snapshot.question
        if question is None or question.ruling["ruling"] != "undecided":
            self._question = None
            return
        if question.id != self._question:
            self._question, self._asked_us = question.id, now_us
        elif now_us - self._asked_us >= REACTION_US:
            self._asked_us = now_us + AGAIN_US  # asked still then, it is answered once more
            try:
                self._desk.put(Settle(question.id, *self.answer(question)))
                self.answered += 1
            except InputError:
                self._asked_us = now_us

    def answer(self, question: Question) -> tuple[str | None, tuple[str, ...]]:
        """What was true: a player, a card, or None where nothing of the kind happened; and who else gripped."""
        t_us, ruling = question.ruling["t_us"] - self._start_us, question.ruling
        if self._is_bluff:
            return self._choice(question, t_us), ()
        if ruling["why"] == "drawn":
            return drawn_by(self._events, ruling["candidates"][0], t_us), ()
        if any(event["event"] == "turn_up" for event in self._events):
            return self._laid(question, t_us), ()
        play = _nearest(self._events, "play", t_us)
        if play is not None:
            place = ruling.get("place")
            return (play["player"] if place is None else [*play["cards"], None][min(place, len(play["cards"]))]), ()
        if question.lay is not None:
            return (question.card if self._lay_there(question.card, question.lay, t_us) else None), ()
        if question.cards:
            flip = self._turned(question, t_us)
            return (None if flip is None else str(flip["card"])), ()
        if question.fell:
            fall = _nearest(self._events, "fall", t_us) or (_nearest(self._events, "grab", t_us) or {}).get("fell")
            return (None if fall is None else fall["player"]), ()
        grab = _nearest(self._events, "grab", t_us)
        grips = [hand["player"] for hand in grab["hands"] if hand.get("grip", True)] if grab is not None else []
        if grab is None or not grips:
            return None, ()
        first = grips[0]
        for ruling in self._rulings:
            if ruling["t_us"] == grab["t_us"] and ruling["ruling"] in TAKEN_BY:
                first = ruling[TAKEN_BY[ruling["ruling"]]] or first
                break
        return first, tuple(name for name in grips if name != first)

    def _lay_there(self, card: str | None, player: str, t_us: int) -> bool:
        """Whether a card had been turned when the totem was touched; one that was not read is the player's nearest."""
        grab = _nearest(self._events, "grab", t_us)
        flips = [e for e in self._events if e["event"] == "flip" and e["player"] == player]
        turned = [e for e in flips if card == "?" or e["card"] == card]
        # A card that was seen late is told long after it was turned.
        nearest = min(turned, key=lambda flip: abs(flip["t_us"] - t_us), default=None)
        if grab is None or nearest is None:
            return False
        return self._events.index(nearest) < self._events.index(grab)

    def _laid(self, question: Question, t_us: int) -> str | None:
        """Which card was laid then, or by whom, or whose was first; None where none was."""
        candidates = question.ruling["candidates"]
        if question.between_us is not None and question.under is None:
            turned = _nearest(self._events, "turn_up", question.between_us[0] - self._start_us, candidates)
            return None if turned is None else str(turned["card"])
        if question.claims:
            claim = _nearest(self._events, "blocked", t_us)
            refused = [r["t_us"] for r in self._rulings if r["ruling"] == "rejected"]
            return None if claim is None or claim["t_us"] in refused else str(claim["player"])
        if question.under is not None:
            first_us = t_us - LAID_NEAR_US
            if question.between_us is not None:
                first_us = min(first_us, question.between_us[0] - self._start_us)
            hidden = self._laid_under(question, first_us, t_us)
            return None if hidden is None else str(hidden["card"] if question.cards else hidden["player"])
        near = [
            (abs(event["t_us"] - t_us), place, event)
            for place, event in enumerate(self._events)
            if event["event"] in ("play", "turn_up")
            and question.pile in (None, int(event["zone"].rpartition("/")[2]))
            and event["player"] in candidates
            and (
                question.card in (None, "?")
                or agrees(question.card, event["card"])
                or question.ruling["why"] == "order"
            )
        ]
        far_us, _, event = min(near, default=(LAID_NEAR_US + 1, 0, None))
        is_named = question.card is not None and "?" not in question.card and question.ruling["why"] == "who"
        if event is None or far_us > (THAT_CARD_US if is_named else LAID_NEAR_US):
            return None
        if question.soon and any(r["ruling"] == "false-start" and r["t_us"] == event["t_us"] for r in self._rulings):
            return None
        if question.ruling["why"] == "order":
            pair = sorted(one for one in near if one[0] <= LAID_NEAR_US)[:2]
            event = min(pair, key=lambda one: one[1])[2]
        return str(event["card"] if question.cards else event["player"])

    def _laid_under(self, question: Question, first_us: int, t_us: int) -> Event | None:
        """The card that was laid just before another one and on its pile; None where none was."""
        card, candidates, at_us = question.under or "", question.ruling["candidates"], question.ruling["t_us"]
        zone = None if question.pile is None else f"central/{question.pile}"
        laid = [e for e in self._events if e["event"] in ("play", "turn_up") and zone in (None, e["zone"])]
        covers = [e for e in laid if card == "?" or agrees(card, e["card"])]
        # A question names the time within which the hidden card was laid: what covers it came at its end.
        came_us = t_us if question.between_us is None else question.between_us[1] - self._start_us
        cover = min(covers, key=lambda one: abs(one["t_us"] - came_us), default=None)
        if card == "?":  # of those that came by then, the last one is the one that shows
            cover = max((e for e in covers if e["t_us"] <= came_us + BESIDE_US), key=_when, default=None)
        if cover is None or abs(cover["t_us"] - t_us) > COVERS_WITHIN_US:
            return None
        before = [
            event
            for event in self._events
            if event["event"] == "play"
            and event["zone"] == cover["zone"]
            and event["player"] in candidates
            and first_us <= event["t_us"] < cover["t_us"]
        ]
        # What was told of another moment is not told again.
        fresh = [event for event in before if self._told_hidden.get(event["t_us"], at_us) == at_us]
        hidden = min(fresh, key=lambda one: abs(one["t_us"] - t_us), default=None)
        if hidden is not None:
            self._told_hidden[hidden["t_us"]] = at_us
        return hidden

    def _turned(self, question: Question, t_us: int) -> Event | None:
        """The card that was truly turned within the time the question names, the nearest; None: there was none."""
        players = question.ruling["candidates"]
        if question.between_us is None:
            return _nearest(self._events, "flip", t_us, players)
        first_us, last_us = (end - self._start_us for end in question.between_us)
        inside = [one for one in self._events if first_us - BESIDE_US <= one["t_us"] <= last_us + BESIDE_US]
        return min(
            (one for one in inside if one["event"] == "flip" and one["player"] in players),
            key=lambda one: abs(one["t_us"] - t_us),
            default=None,
        )

    def _choice(self, question: Question, t_us: int) -> str | None:
        """What was true of a take or a challenge of Jungle Bluff, or which force the final was played with."""
        if question.ruling["why"] == "final force":
            player = question.ruling["candidates"][0]
            forces = [event for event in self._events if event["event"] == "force" and event["player"] == player]
            return str(forces[-1]["card"])
        if question.holds:
            challenge = _nearest(self._events, "challenge", t_us)
            holds = (r for r in self._rulings if challenge is not None and r["t_us"] == challenge["t_us"])
            return next((str(ruling["player"]) for ruling in holds if ruling["ruling"] == "holds"), None)
        take = _nearest(self._events, "take", t_us)
        return None if take is None else str(take["card"] if question.cards else take["player"])


def drawn_by(events: Sequence[Event], player: str, t_us: int) -> str | None:
    """The player, if they had not drawn all their cards by then since they last laid some; None where they had."""
    lacking = 0
    for event in events:
        if event["t_us"] > t_us or event.get("player") != player:
            continue
        if event["event"] == "play":
            lacking = len(event["cards"])
        elif event["event"] == "draw":
            lacking -= event["count"]
    return player if lacking > 0 else None


def _when(event: Event) -> int:
    return int(event["t_us"])


def _nearest(events: Sequence[Event], kind: str, t_us: int, players: Sequence[str] = ()) -> Event | None:
    near = [
        (abs(event["t_us"] - t_us), place)
        for place, event in enumerate(events)
        if event["event"] == kind and (not players or event["player"] in players)
    ]
    far_us, place = min(near, default=(NEAR_US + 1, 0))
    return events[place] if far_us <= NEAR_US else None
