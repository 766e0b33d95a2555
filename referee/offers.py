"""What may be said at a table now, and by whom: from what the rules wait for to the buttons of phones and pages.

Belongs here: each game's calls, as offers and as words to the table. Does not belong here: pages (`referee.web`), pins
(`referee.gpio`), what a call does (`referee.table`).

Written rules:
- an offer is a convenience and never a judgement: a call that comes too late is judged by the rules like any other;
- a player is asked to confirm only what cannot be taken back: once two forces were compared, both players know more;
- nothing here depends on a secret.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from referee.record import resolve
from referee.table.calls import (
    Accept,
    Blocked,
    Call,
    Challenge,
    ForgotToDraw,
    JokerValue,
    Lay,
    Pass,
    Take,
)
from referee.web.board import Offer, Saying
from referee.web.desk import Say
from referee.words import Event, Expected

JOKER_VALUES = tuple(str(value) for value in range(2, 13))
OPERATOR = ""  # instead of a player: only whoever runs the game may say it


def offers(
    game: str,
    players: Sequence[str],
    expected: Expected,
    counts: Mapping[str, Any],
    events: Sequence[Event],
    hooded: bool = False,
) -> tuple[Offer, ...]:
    """What may be said now; `counts` are the state's, `events` the record's; `hooded`: a camera reads forces."""
    if counts.get("over") or expected["waiting_for"] == "nothing":
        return ()
    if game == "speed":
        return tuple(Offer(player, "blocked") for player in players)
    if game == "dobro":
        return _dobro(players, expected)
    return _jungle_bluff(expected, counts, events, hooded) if game == "jungle-bluff" else ()


def _dobro(players: Sequence[str], expected: Expected) -> tuple[Offer, ...]:
    may_pass, may_play = expected.get("may_pass", []), expected.get("may_play", [])
    found = [Offer(player, "pass") for player in players if player in may_pass]
    found += [Offer(player, "pass-specials") for player in players if player in may_play and player not in may_pass]
    found += [Offer(player, "joker", JOKER_VALUES) for player in players]
    found += [Offer(player, "forgot", tuple(other for other in players if other != player)) for player in players]
    return tuple(found)


def _jungle_bluff(
    expected: Expected, counts: Mapping[str, Any], events: Sequence[Event], hooded: bool
) -> tuple[Offer, ...]:
    if expected["waiting_for"] == "commit":
        calls: tuple[Saying, ...] = ("show", "lay") if hooded else ("lay",)
        return tuple(Offer(player, call) for player in expected.get("may_play", ()) for call in calls)
    if expected["waiting_for"] == "reveal":
        return (Offer(OPERATOR, "accept"),)
    player = expected["asked"]
    if player is None or expected["waiting_for"] != "choice":
        return ()
    holds: Mapping[str, str] = counts.get("holds", {})
    found = [Offer(player, "take", centre_now(holds, events))]
    if holders := tuple(name for name in holds if name != player):
        found.insert(0, Offer(player, "challenge", holders, sure=True))
    return tuple(found)


def centre_now(holds: Mapping[str, str], events: Sequence[Event]) -> tuple[str, ...]:
    """The score cards that lie in the centre yet: what was shown last, without what is held."""
    shown: Sequence[str] = ()
    for _, event, refused in resolve(list(events)):
        if event["event"] in ("centre", "reveal") and not refused:
            shown = event["cards"]
    left = Counter(shown) - Counter(holds.values())
    return tuple(card for card in dict.fromkeys(shown) if left[card] and card != "?")


def call_of_say(say: Say, t_us: int) -> Call | None:
    """What a player said, as the table's word; None for what it need not know (showing a card under the hood)."""
    player, choice = say.player, say.choice or ""
    match say.call:
        case "blocked":
            return Blocked(t_us, player)
        case "pass":
            return Pass(t_us, player)
        case "pass-specials":
            return Pass(t_us, player, only_specials=True)
        case "joker":
            return JokerValue(t_us, player, int(choice))
        case "forgot":
            return ForgotToDraw(t_us, player, choice)
        case "lay":
            return Lay(t_us, player)
        case "take":
            return Take(t_us, player, choice)
        case "challenge":
            return Challenge(t_us, player, choice)
        case "accept":
            return Accept(t_us)
        case "show":
            return None


class Buttons:
    """What seat buttons mean, press by press.

    With one thing to say a press says it. A challenge needs its target: with one holder it is that one, with several
    the challenger presses first, and within five seconds the button of the seat that is challenged.
    """

    WAIT_US = 5_000_000

    def __init__(self) -> None:
        self._challenger: tuple[str, int] | None = None

    def pressed(self, player: str, offered: Sequence[Offer], t_us: int) -> Say | None:
        """What this press says; None: nothing, or nothing yet."""
        first, self._challenger = self._challenger, None
        if first is not None and t_us - first[1] <= self.WAIT_US:
            targets = next((one.choices for one in offered if (one.player, one.call) == (first[0], "challenge")), ())
            if player in targets:
                return Say(first[0], "challenge", player)
        for offer in offered:
            if offer.player != player or offer.call not in ("blocked", "pass", "challenge", "show", "lay"):
                continue
            if offer.call == "challenge":
                if len(offer.choices) == 1:
                    return Say(player, "challenge", offer.choices[0])
                self._challenger = (player, t_us)
                return None
            return Say(player, offer.call)
        return None
