"""Enrolling a deck of one's own at a page: a card is laid alone under the camera, named, looked at, kept.

Written rules:
- the deck's folder lies beside the profile, and its name is made here: no page names a folder;
- what has been enrolled is kept at once; a card in hand is lost when the step is left.
Does not belong here: judging a look (`calibration.card_photo`), several looks laid over one another
(`calibration.deck`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np

from calibration.card_finder import find_plain
from calibration.charuco import Picture
from calibration.deck import CardInHand
from calibration.guided.bench import Bench, Sentence, Step, Values, unknown
from calibration.sources import Shot
from referee.deck.collect import DeckPlan, plan_for
from referee.deck.ids import is_legal, legal_ids
from referee.deck.write import NewCard, write_deck
from referee.errors import InputError, PictureError
from referee.table.layouts import MEANINGS

LOOKS = 3
MOST_CARDS = 300
MOST_DECKS = 100


class CardsStep(Step):
    """Name, look three times, keep, next."""

    name = "cards"

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        game = bench.content.get("game")
        self._plan: DeckPlan = plan_for("", game if isinstance(game, str) and game in MEANINGS else "jungle-speed")
        self._folder: Path | None = None
        self._cards: list[NewCard] = []
        self._hand: CardInHand | None = None
        self._why: str | None = None
        self._newest: Picture | None = None
        self._quad: Picture | None = None

    def see(self, shot: Shot) -> None:
        self._newest = shot.picture
        try:
            quads = find_plain(shot.picture, self._plan.card_mm)
        except PictureError:
            quads = []
        self._quad = np.round(quads[0]).astype(np.int32) if len(quads) == 1 else None

    def do(self, word: str, values: Values) -> None:
        if word == "card":
            self._name_card(str(values.get("id", "")).strip())
        elif word == "take":
            self._take()
        elif word == "leave":
            self._hand = self._why = None
        else:
            raise unknown(self.name, word)

    def _name_card(self, card_id: str) -> None:
        if not is_legal(self._plan.game, card_id):
            raise InputError(f"{card_id!r} is no card of {self._plan.game}, expected {legal_ids(self._plan.game)}")
        if any(card.id == card_id for card in self._cards):
            raise InputError(f"{card_id} has been enrolled already")
        if len(self._cards) >= MOST_CARDS:
            raise InputError(f"{MOST_CARDS} cards are enough")
        self._hand, self._why = CardInHand(card_id, self._plan), None

    def _take(self) -> None:
        if self._hand is None:
            raise InputError("which card is it? its name comes first")
        if self._newest is None:
            raise InputError("no picture came yet")
        refused = self._hand.add(self._newest, find_plain)
        self._why = None if refused is None else refused.why
        if refused is None and len(self._hand.looks) >= LOOKS:
            self._keep(self._hand)
            self._hand = None

    def _keep(self, hand: CardInHand) -> None:
        self._cards.append(hand.finished())
        first = self._folder is None
        folder = self._folder = self._folder or _free_folder(self.bench.profile.absolute().parent, self._plan.game)
        plan = self._plan
        write_deck(folder, folder.name, plan.game, plan.card_mm, plan.read, self._cards, force=not first)
        kept, where = len(self._cards), folder.name
        one = f"{hand.card_id} is kept (1 card in {where})"
        self.bench.say("good", one if kept == 1 else f"{hand.card_id} is kept ({kept} cards in {where})")

    def words(self) -> dict[str, Any]:
        hand = self._hand
        return {
            "game": self._plan.game,
            "legal": Sentence(legal_ids(self._plan.game)),
            "deck": None if self._folder is None else self._folder.name,
            "cards": [card.id for card in self._cards],
            "hand": None if hand is None else {"id": hand.card_id, "looks": len(hand.looks), "of": LOOKS},
            "alone": self._quad is not None,
            "why": None if self._why is None else Sentence(self._why),
        }

    def drawn(self, picture: Picture) -> Picture:
        drawn = np.array(picture, np.uint8)
        if self._quad is not None:
            cv2.polylines(drawn, [self._quad], True, (90, 200, 90), max(2, picture.shape[1] // 400), cv2.LINE_AA)
        return drawn


def _free_folder(beside: Path, game: str) -> Path:
    for number in range(1, MOST_DECKS + 1):
        folder = beside / f"{game}-deck-{number}"
        if not folder.exists():
            return folder
    raise InputError(f"there are {MOST_DECKS} decks beside the profile already")
