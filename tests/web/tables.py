"""Tables as the pages are given them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from referee.health import Freshness
from referee.web.board import Correctable, Question, Seat, ShownRuling, SourceState, TableSnapshot
from referee.words import Ruling


def given(t_us: int, what: str, public: bool = True, **keys: Any) -> Ruling:
    """A ruling."""
    return {"t_us": t_us, "ruling": what, "clauses": [], "public": public, **keys}


HELD_BACK = given(61_000_000, "duel", public=False, players=["Ana", "Bilal"], by="shape")
WON = given(
    63_000_000,
    "won",
    winner="Chloé",
    losers=["Ana", "Bilal"],
    picks_up={"Ana": 4, "Bilal": 3},
    next="Bilal",
    margin={"by": "time", "us": 27_000},
)
FAULT = given(40_000_000, "fault", player="David", kind="wrong-grab", picks_up={"David": 17}, next="David")
GRAB = {
    "t_us": 63_000_000,
    "event": "grab",
    "hands": [{"player": "Chloé", "t_us": 63_000_000, "fingers": 4, "lowest_mm": 30}],
}
TABLE = TableSnapshot(
    game="jungle-speed",
    seats=(
        Seat("Ana", {"reserve": 14, "face_up": 3}),
        Seat("Bilal", {"reserve": 9, "face_up": 5}),
        Seat("Chloé", {"reserve": 0, "face_up": 0}, out=True),
        Seat("David", {"reserve": 21, "face_up": 2}),
    ),
    phase="playing",
    t_us=72_300_000,
    turn="Ana",
    colour_mode=True,
    facts={"pot": 6},
    rulings=(ShownRuling(0, FAULT, overturned=True), ShownRuling(1, HELD_BACK), ShownRuling(2, WON)),
    correctable=Correctable(17, GRAB, "who", ("Ana", "Bilal", "Chloé", "David")),
    recountable=("reserve",),
    camera=SourceState(Freshness.FRESH, 30_000),
    totem=SourceState(Freshness.LOST, 8_400_000, "unplugged"),
)
WHO = replace(
    TABLE,
    turn=None,
    question=Question(
        5,
        given(70_000_000, "undecided", why="who", candidates=["Ana", "David"]),
        others=("Ana", "Bilal", "Chloé", "David"),
    ),
)
CARD = replace(
    TABLE,
    turn=None,
    question=Question(
        6, given(70_000_000, "undecided", why="unreadable", candidates=["Ana"]), ("circle/red", "octagon/red")
    ),
)
CHOICE = replace(
    TABLE,
    turn=None,
    question=Question(7, given(70_000_000, "choice-needed", player="Bilal", options=["duel", "arrow"])),
)
SHARE = replace(
    TABLE,
    turn=None,
    question=Question(8, given(70_000_000, "share-needed", player="Chloé", cards=9, losers=["Ana", "Bilal"])),
)
SECRET = replace(TABLE, question=Question(9, {**HELD_BACK, "ruling": "undecided", "why": "who", "candidates": ["Ana"]}))
PAUSED = replace(TABLE, paused=True)
WAITING = replace(TABLE, phase="waiting", turn=None, rulings=(), correctable=None)
OVER = replace(TABLE, phase="over", turn=None, ranking=(("Chloé",), ("Ana", "Bilal"), ("David",)))
TEN = replace(
    TABLE,
    seats=tuple(
        Seat(name, {"reserve": 10, "face_up": 4})
        for name in (
            "Ana", "Bilal", "Chloé", "David", "Élodie",
            "Frédéric", "Ghislaine", "Hannah Schwarzenberger", "Ibrahim", "Jo",
        )
    ),
    turn="Hannah Schwarzenberger",
)  # fmt: skip
ALL = {
    "table": TABLE, "who": WHO, "card": CARD, "choice": CHOICE, "share": SHARE,
    "paused": PAUSED, "waiting": WAITING, "over": OVER, "ten": TEN,
}  # fmt: skip
