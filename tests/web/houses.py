"""A journal, its accounts, and an application over it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.journal.store import Journal
from referee.web.accounts import Accounts, Role
from referee.web.app import make_app
from referee.web.board import Board
from referee.web.desk import Desk
from referee.web.reviews import Reviews
from tests.review.kept import place_of, read
from tests.web.asking import OWN, Answer, Asked
from tests.web.tables import TABLE

PASSWORD = "correct horse battery"
NAMES = {Role.HEAD: "Hanna", Role.OPERATOR: "Otto", Role.VIEWER: "Vera"}


@dataclass
class House:
    """A journal, its accounts, and an application over it."""

    folder: Path
    journal: Journal
    reviews: Reviews
    accounts: Accounts
    desk: Desk

    def asked(self, role: Role | None = Role.HEAD) -> Asked:
        """A browser of somebody with this role."""
        app, pages = make_app(Board(TABLE), self.desk, names=OWN, accounts=self.accounts, reviews=self.reviews)
        made = Asked(app, pages)
        if role is not None:
            assert made.log_in(NAMES[role], PASSWORD).status == 204
        return made


def won_at(house: House, key: str) -> str:
    """The address of the game's duel."""
    return f"/review/games/{key}/rulings/{place_of(read(house.folder, key), 'won')}"


def overturned(asked: Asked, address: str, word: dict[str, Any]) -> Answer:
    """Look at the difference, then confirm it."""
    shown = asked.post(f"{address}/preview", word)
    assert shown.status == 200
    return asked.post(f"{address}/overturn", {**word, "digest": shown.json()["digest"]})


FIRST = {"do": "first", "names": ["Chloé"], "reason": "seen on frame 31"}
