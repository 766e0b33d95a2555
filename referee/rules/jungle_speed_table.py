"""Jungle Speed: a working copy of a state while one event is judged, and how situations are resolved.

Belongs here: moving cards, ruling, whose turn it is, who is out, when the game is over; duels, arrows and faults
as they are settled. Does not belong here: which event leads to what (`jungle_speed_flip`, `jungle_speed_grab`).

A `Table` lives for one event inside `apply` and never leaves it: states outside stay immutable.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from referee.rules.cards import UNREADABLE, Card
from referee.rules.jungle_speed_state import (
    NOBODY,
    Choice,
    Duel,
    Inward,
    LastCard,
    Scramble,
    Share,
    State,
    Volley,
    duellists,
    is_own,
    new_state,
    persons,
    seats_in,
    shows_colour_arrow,
)
from referee.words import Ruling


class Table:
    """One event's working copy of a `State`, and the rulings given so far in that event."""

    __slots__ = (
        "choice",
        "colour_mode",
        "count",
        "duels",
        "face_up",
        "inward",
        "last",
        "moved",
        "options",
        "over",
        "pot",
        "rank",
        "reserve",
        "rulings",
        "settled_by",
        "setup",
        "share",
        "t_us",
        "takers_up",
        "triple",
        "turn",
        "volley",
        "waiting",
    )

    choice: Choice | None
    colour_mode: bool
    duels: tuple[Duel, ...]
    inward: tuple[Inward, ...]
    last: tuple[LastCard, ...]
    over: bool
    pot: tuple[Card, ...]
    share: Share | None
    takers_up: frozenset[int]
    triple: int
    turn: int
    volley: Volley | None
    waiting: tuple[int, ...]

    def __init__(self, state: State, t_us: int) -> None:
        (
            self.setup,
            reserve,
            face_up,
            self.pot,
            rank,
            self.turn,
            self.duels,
            self.inward,
            self.colour_mode,
            self.triple,
            self.volley,
            self.waiting,
            self.last,
            self.choice,
            self.share,
            self.over,
            self.takers_up,
        ) = state
        self.reserve: list[tuple[Card, ...]] = [*reserve]
        self.face_up: list[tuple[Card, ...]] = [*face_up]
        self.rank: list[int] = [*rank]
        self.options = self.setup.options
        self.count = len(self.reserve)
        self.t_us = t_us
        self.rulings: list[Ruling] = []
        self.settled_by: str | None = None  # a person said how the scramble was: its margin is no measurement
        self.moved: set[int] | None = None  # who picks up cards by the rulings of this event

    def freeze(self) -> State:
        """The state this event leads to."""
        return new_state(
            (
                self.setup,
                tuple(self.reserve),
                tuple(self.face_up),
                self.pot,
                tuple(self.rank),
                self.turn,
                self.duels,
                self.inward,
                self.colour_mode,
                self.triple,
                self.volley,
                self.waiting,
                self.last,
                self.choice,
                self.share,
                self.over,
                self.takers_up if self.moved is None else frozenset(self.moved),
            )
        )

    # --- saying ---------------------------------------------------------------------------------------

    def rule(self, ruling: str, clauses: Sequence[str], margin: dict[str, Any] | None = None, **keys: Any) -> None:
        """Give a ruling. A duel and a triple are not said aloud at birth, or the referee would play along."""
        public = ruling != "duel" and keys.get("kind") != "triple"
        said = {"t_us": self.t_us, "ruling": ruling, **keys, "clauses": list(clauses), "public": public}
        if margin is not None:
            said["margin"] = margin
        self.rulings.append(said)

    def warn(self, seat: int, kind: str, *clauses: str) -> None:
        """Warn a player; a warning moves no card and is never counted (grab-15)."""
        self.rule("warning", clauses, player=self.name(seat), kind=kind)

    def undecided(self, why: str, candidates: Iterable[int], *clauses: str) -> None:
        """The evidence does not allow a ruling; a person decides (grab-11, grab-12)."""
        self.rule("undecided", clauses, why=why, candidates=self.names(dict.fromkeys(candidates)))

    def cancel(self, seats: Iterable[int], why: str, *clauses: str) -> None:
        """Say that a situation is void (grab-13)."""
        self.rule("cancelled", clauses, players=self.names(seats), why=why)

    def name(self, seat: int) -> str | None:
        """A seat's player; None for nobody."""
        return None if seat == NOBODY else self.setup.players[seat]

    def names(self, seats: Iterable[int]) -> list[str]:
        """The players of several seats."""
        return [self.setup.players[seat] for seat in seats]

    # --- asking ---------------------------------------------------------------------------------------

    def clockwise(self, first: int) -> list[int]:
        """All seats clockwise, beginning with `first`."""
        return [*range(first, self.count), *range(first)]

    def is_in(self, seat: int) -> bool:
        """Whether a player has not gone out."""
        return not self.rank[seat]

    def next_able(self, first: int) -> int:
        """The first seat clockwise from `first` (itself included) that can flip, or NOBODY."""
        for step in range(self.count):
            seat = (first + step) % self.count
            if self.reserve[seat] and not self.rank[seat]:
                return seat
        return NOBODY

    def entitled(self) -> frozenset[int]:
        """The seats that may take the totem now."""
        return seats_in(self.rank) if self.rush_is_live() else duellists(self.setup, self.duels)

    def unreadable(self) -> bool:
        """Whether a player who is in shows a card that could not be read (grab-11)."""
        return any(
            pile and pile[-1] == UNREADABLE and not out for pile, out in zip(self.face_up, self.rank, strict=True)
        )

    def duel_is_live(self) -> bool:
        """Whether a duel is live that entitles somebody; an own duel does not count (two-persons)."""
        if self.options.hands == 1:
            return bool(self.duels)
        return any(not is_own(self.setup, duel) for duel in self.duels)

    def rush_is_live(self) -> bool:
        """Whether an inward arrow or a triple is live."""
        return bool(self.inward) or self.triple != NOBODY

    # --- turns ----------------------------------------------------------------------------------------

    def restart(self, seat: int) -> int:
        """Let a loser, taker or culprit flip next, or the next clockwise who can; returns that seat.

        In an open volley the turn itself stays open, and comes to them when it is closed (situations-4).
        """
        able = self.next_able(seat)
        if self.volley is not None:
            self.volley = Volley(self.volley.origin, seat, self.volley.owes, self.volley.fresh)
        else:
            self.turn = able
        return able

    def whose_turn(self) -> int:
        """The seat that flips next, also while a volley is open."""
        return self.turn if self.volley is None else self.next_able(self.volley.resume)

    # --- cards ----------------------------------------------------------------------------------------

    def cover(self, seat: int) -> None:
        """A player's top changes: what hung on it dies in silence (situations-1, situations-3)."""
        if self.duels:
            self.duels = tuple(duel for duel in self.duels if seat not in duel.members)
        if self.inward:
            self.inward = tuple(arrow for arrow in self.inward if arrow.owner != seat)
        if self.waiting:
            self.waiting = tuple(owner for owner in self.waiting if owner != seat)
        if self.last:
            self.last = tuple(last for last in self.last if last.owner != seat)
        self.triple = NOBODY

    def take_pile(self, seat: int) -> tuple[Card, ...]:
        """Lift a whole face-up pile off the table."""
        pile = self.face_up[seat]
        if pile:
            self.face_up[seat] = ()
            self.cover(seat)
        return pile

    def slide_under(self, seat: int, cards: tuple[Card, ...]) -> None:
        """Cards go under a reserve in the order given (grab-10)."""
        self.reserve[seat] += cards

    def picked_up(self, picks_up: dict[str, int]) -> None:
        """Note who has to pick up cards, against which `pick_up` is checked (pick-up)."""
        if self.moved is None:
            self.moved = set()
        seats = self.setup.seats
        self.moved.update([seats[name] for name, cards in picks_up.items() if cards])

    # --- colour mode ----------------------------------------------------------------------------------

    def colour_on(self) -> None:
        """A colour arrow is at work: every duel of before dies, colours count (situations-2)."""
        self.duels = ()
        if not self.colour_mode:
            self.colour_mode = True
            self.rule("colour-mode", ("JS-35", "situations-2"), on=True)

    def colour_off(self, *, totem_or_arrow: bool) -> None:
        """End colour mode and its duels where it is due: at once, or under permanent colour when no colour
        arrow is shown any more (JS-36, JS-52)."""
        if not self.colour_mode:
            return
        if self.options.permanent_colour:
            if shows_colour_arrow(self.face_up, self.rank):
                return
            clauses = ("JS-52", "situations-2")
        elif totem_or_arrow:
            clauses = ("JS-36", "situations-2")
        else:
            return
        self.colour_mode = False
        self.duels = tuple(duel for duel in self.duels if duel.by != "colour")
        self.rule("colour-mode", clauses, on=False)

    # --- out and over ---------------------------------------------------------------------------------

    def check_out(self) -> None:
        """Who has neither reserve nor pile after a ruling is out; the game may be over (out)."""
        for seat in range(self.count):
            if not self.reserve[seat] and not self.face_up[seat] and not self.rank[seat]:
                self._go_out()
                return

    def _go_out(self) -> None:
        gone = [
            person
            for person in persons(self.setup)
            if all(not self.rank[seat] and not self.reserve[seat] and not self.face_up[seat] for seat in person)
        ]
        if not gone:
            return
        rank = 1 + sum(1 for seat in self.rank if seat)
        seats = sorted(seat for person in gone for seat in person)
        for seat in seats:
            self.rank[seat] = rank
        for seat in seats:
            clauses = ("JS-53", "two-persons", "out") if self.options.hands == 2 else ("JS-10", "out")
            self.rule("out", clauses, player=self.name(seat), rank=rank)
        if self.options.hands == 2:
            self.finish("first-out", "two-persons", "out")
        elif self.options.end == "first-out":
            self.finish("first-out", "JS-51", "out")
        elif self.rank.count(0) <= 2:
            self.finish("two-left", "JS-50", "out")

    def finish(self, why: str, *clauses: str) -> None:
        """The game is over: the ranking, and nothing is live any more."""
        self.rule("over", clauses, why=why, ranking=self._ranking(why))
        self.over = True
        self.turn = NOBODY
        self.duels, self.inward, self.triple = (), (), NOBODY
        self.volley, self.waiting, self.last = None, (), ()
        self.choice = self.share = None

    def _ranking(self, why: str) -> list[list[str]]:
        places: dict[tuple[int, int], list[str]] = {}
        for person in persons(self.setup):
            rank = self.rank[person[0]]
            cards = sum(len(self.reserve[seat]) + len(self.face_up[seat]) for seat in person)
            # Who is out goes by rank; the rest by cards, or all together where the last two share a place.
            place = (rank, 0) if rank else (self.count + 1, 0 if why == "two-left" else cards)
            places.setdefault(place, []).extend(self.names(person))
        return [places[place] for place in sorted(places)]

    # --- faults and takes -----------------------------------------------------------------------------

    def fault(self, seat: int, kind: str, clauses: Sequence[str], margin: dict[str, Any] | None = None) -> None:
        """The culprit picks up every face-up pile and the pot; everything live ends (grab-8)."""
        cards: tuple[Card, ...] = ()
        for other in self.clockwise(seat):
            cards += self.take_pile(other)
        cards += self.pot
        self.pot = ()
        self.duels, self.inward, self.triple = (), (), NOBODY
        self.waiting, self.last = (), ()
        self.slide_under(seat, cards)
        picks_up = {self.setup.players[seat]: len(cards)}
        self.picked_up(picks_up)
        following = self.name(self.restart(seat))
        self.rule("fault", clauses, margin, player=self.name(seat), kind=kind, picks_up=picks_up, next=following)
        self.colour_off(totem_or_arrow=False)
        self.check_out()

    def fault_unless_unreadable(self, seat: int, kind: str, clauses: Sequence[str]) -> None:
        """A fault, unless a card that cannot be read may have given the right (grab-11)."""
        if self.unreadable():
            self.undecided("unreadable", (seat,), "grab-11")
        else:
            self.fault(seat, kind, clauses)

    def win(self, winner: int, losers: tuple[int, ...], shares: Sequence[int], scramble: Scramble) -> None:
        """Losers (clockwise from the winner) pick up their own piles and their shares; then late faults.

        `shares` says for each loser how many of the winner's cards and of the pot are theirs (grab-5).
        """
        clauses = ["JS-17", "JS-18", "JS-19", "JS-21", "grab-5", *margin_clauses(scramble.margin)]
        if self.pot:
            clauses.append("JS-20")
        if len(losers) > 1:
            clauses += ["JS-37", "JS-G03", "JS-G04"]
        shared = self.take_pile(winner) + self.pot
        self.pot = ()
        self.duels, self.inward, self.triple = (), (), NOBODY
        picks_up = {}
        for loser, count in zip(losers, shares, strict=True):
            cards = self.take_pile(loser) + shared[:count]
            shared = shared[count:]
            self.slide_under(loser, cards)
            picks_up[self.setup.players[loser]] = len(cards)
        self.picked_up(picks_up)
        most = losers[shares.index(max(shares))]  # of equals the first clockwise
        following = self.name(self.restart(most))
        self.rule(
            "won",
            clauses,
            scramble.margin,
            winner=self.name(winner),
            losers=self.names(losers),
            picks_up=picks_up,
            next=following,
        )
        self.colour_off(totem_or_arrow=False)
        self.check_out()
        self.late_faults(scramble)

    def late_faults(self, scramble: Scramble) -> None:
        """After a take: who had no right to intervene, and who knocked the totem over (grab-3, grab-7)."""
        for seat in scramble.intruders:
            self._late_fault(seat, "intervention", "JS-27", "grab-3")
        if scramble.toppler != NOBODY:
            self._late_fault(scramble.toppler, "wrong-fall", "JS-26", "grab-7")

    def _late_fault(self, seat: int, kind: str, *clauses: str) -> None:
        if self.over:
            return
        if self.is_in(seat):
            self.fault_unless_unreadable(seat, kind, (*clauses, "grab-8"))
        else:  # an earlier fault of this scramble took this player's last cards
            self.warn(seat, "out-player", "JS-G38", "grab-0")

    def take_arrow(self, taker: int, margin: dict[str, Any] | None) -> None:
        """The taker's pile goes into the pot; a last inward arrow missed costs its owner everything (grab-6)."""
        missed = [arrow for arrow in self.inward if arrow.last and arrow.owner != taker]
        for duel in self.duels:
            self.cancel(duel.members, "the arrow was taken", "JS-43", "grab-6")
        rushed = ["JS-38"] if self.triple != NOBODY else []
        if self.inward:
            rushed.append("JS-29")
        self.duels, self.inward, self.triple = (), (), NOBODY
        self.colour_off(totem_or_arrow=True)
        clauses = [*rushed, *margin_clauses(margin)]
        if missed:
            order = self.clockwise(missed[0].origin)
            owner = min((arrow.owner for arrow in missed), key=order.index)
            self.fault(owner, "last-in", ("JS-47", "last-card", *clauses), margin)
            return
        pile = self.take_pile(taker)
        self.pot += pile
        self.picked_up({})
        following = self.name(self.restart(taker))
        self.rule(
            "to-pot",
            ("JS-30", "JS-31", "grab-6", *clauses),
            margin,
            player=self.name(taker),
            cards=len(pile),
            pot=len(self.pot),
            next=following,
        )
        self.colour_off(totem_or_arrow=False)
        self.check_out()

    def take_duel(self, taker: int, duel: Duel, scramble: Scramble) -> None:
        """The taker of a duel: one loser pays at once, several wait for the winner's shares (grab-5)."""
        for other in self.duels:
            if other is not duel:
                self.cancel(other.members, "another duel was taken", "JS-42", "grab-5")
        for arrow in self.inward:
            self.cancel((arrow.owner,), "the duel was chosen", "JS-43", "grab-6")
        if self.triple != NOBODY:
            self.cancel(range(self.count), "the duel was chosen", "JS-43", "grab-6")
        self.duels, self.inward, self.triple = (), (), NOBODY
        self.colour_off(totem_or_arrow=True)
        losers = tuple([seat for seat in self.clockwise(taker) if seat in duel.members and seat != taker])
        shared = len(self.face_up[taker]) + len(self.pot)
        if len(losers) == 1:
            self.win(taker, losers, (shared,), scramble)
            return
        self.share = Share(taker, losers, scramble)
        self.rule(
            "share-needed",
            ("JS-37", "JS-G03", "JS-G04", "grab-5", *margin_clauses(scramble.margin)),
            scramble.margin,
            player=self.name(taker),
            cards=shared,
            losers=self.names(losers),
        )


_CLAUSES_OF_MARGIN = {
    "time": ("grab-1",),
    "fingers": ("JS-39", "grab-1"),
    "height": ("JS-40", "grab-1"),
    "entitled": ("grab-1", "JS-G40"),
}


def margin_clauses(margin: dict[str, Any] | None) -> tuple[str, ...]:
    """The clauses by which a close scramble was decided."""
    return () if margin is None else _CLAUSES_OF_MARGIN[margin["by"]]
