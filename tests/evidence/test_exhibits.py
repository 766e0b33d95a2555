"""Which cards are shown with a ruling, and that each is the right player's."""

from __future__ import annotations

from typing import Any, cast

from referee.evidence.settings import EvidenceSettings
from referee.evidence.windows import Wanted
from referee.evidence.witness import Witness
from referee.exhibits import Exhibits
from referee.ledger import Given, Ledger
from referee.vision.camera import Frame
from referee.vision.sightings import CardSeen
from referee.vision.watcher import Watcher
from referee.words import Event, Header, Ruling
from tests.evidence.table import frame

PLAYERS = ["Ana", "Bilal", "Chloé"]
HEADER: Header = {"record": "referee/1", "game": "jungle-speed", "players": PLAYERS, "options": {}, "start": {}}
AT_ONCE = (900_000, 933_000)


class Asked:
    """A witness that only remembers what was asked of it."""

    def __init__(self) -> None:
        self.wanted: list[Wanted] = []

    def frame(self, frame: Frame, view: object) -> None: ...

    def look(self, spot: object) -> None: ...

    def take(self) -> list[object]:
        return []

    def want(self, wanted: Wanted) -> None:
        self.wanted.append(wanted)


class Eyes:
    """A watcher that knows no corners."""

    view = None

    def corners(self, seen: CardSeen) -> None:
        return None


def shown(ruling: Ruling) -> dict[str, int]:
    """Whose cards are shown with a ruling, by the number of the sighting; all three were turned in one moment."""
    ledger = Ledger(HEADER)
    ledger.events.extend(
        cast(Event, {"t_us": 920_000, "event": "flip", "player": player, "card": card, "between": list(AT_ONCE)})
        for player, card in zip(PLAYERS, ("loops-5/red", "waves-3/red", "stars-2/red"), strict=True)
    )
    ledger.events.append(cast(Event, {"t_us": 1_500_000, "event": "grab", "hands": []}))
    witness = Asked()
    exhibits = Exhibits(EvidenceSettings(), ledger, cast(Witness, witness), lambda entries: None)
    seen = [CardSeen(number, f"face_up/{name}", "?", AT_ONCE, 920_000) for number, name in enumerate(PLAYERS, 7)]
    exhibits.frame(frame(30), seen, cast(Watcher, Eyes()))
    exhibits.given([Given(0, ruling, 3)])
    return {str(card.player): card.number for card in witness.wanted[0].cards}


def ruled(kind: str, **more: Any) -> Ruling:
    return cast(Ruling, {"t_us": 1_500_000, "ruling": kind, "clauses": [], **more})


def test_cards_turned_at_once_are_each_shown_as_their_own_players() -> None:
    assert shown(ruled("won", winner="Ana", losers=["Bilal", "Chloé"])) == {"Ana": 7, "Bilal": 8, "Chloé": 9}


def test_of_a_duel_its_players_cards_are_shown_and_the_last_one_turned() -> None:
    assert shown(ruled("won", winner="Ana", losers=["Bilal"])) == {"Ana": 7, "Bilal": 8, "Chloé": 9}


def test_of_a_fault_all_cards_are_shown_that_lay_on_top() -> None:
    assert shown(ruled("fault", player="Bilal")) == {"Ana": 7, "Bilal": 8, "Chloé": 9}
