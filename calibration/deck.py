"""Enrolment: a deck folder from photographs of single cards, or from a camera, a card at a time.

Written rules:
- several looks at a card are laid over one another and their median is kept, so that a speck of glare or a
  shadow that only one look has goes away;
- a look that shows another card than the looks before it is refused, like a blurred one;
- what has been enrolled is kept at once: a session that breaks off loses the card in hand and no other.
Does not belong here: judging one photograph (`calibration.card_photo`), and devices (the command's).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import cv2
import numpy as np

from calibration.card_finder import Finder, Picture
from calibration.card_photo import CardLook, Refused, look_at
from calibration.desk import Desk
from referee.amounts import amount
from referee.deck.collect import DeckPlan, picture_files, usual_count
from referee.deck.ids import is_legal, legal_ids
from referee.deck.looks import Look, at_size, look_of
from referee.deck.near import best_turn, distance, needs_px
from referee.deck.pictures import read_picture
from referee.deck.write import NewCard, id_of_stem
from referee.errors import DeckError

_LOOK_NUMBER = re.compile(r"(?P<stem>.+?)-\d+")
_COMPARED_PX = 60
# The share of the face in which two looks at one card may differ: twins differ by less, other cards by more.
_SAME_CARD = 0.10
_SAME_PICTURE = 0.012


@dataclass(frozen=True)
class Enrolled:
    """What came of enrolment: the cards, the looks refused (what, why), the cards left without one."""

    cards: tuple[NewCard, ...]
    refused: tuple[tuple[str, str], ...]
    missing: tuple[str, ...]


@dataclass
class CardInHand:
    """The looks at one card so far."""

    card_id: str
    plan: DeckPlan
    looks: list[Picture] = field(default_factory=list)

    def add(self, photo: Picture, finder: Finder) -> Refused | None:
        """Take one more look; returns why not when it is refused."""
        look = look_at(photo, self.plan.card_mm, finder)
        if isinstance(look, Refused):
            return look
        if not self.looks:
            self.looks.append(look.pixels)
            return None
        fitted, apart = _fitted(self.looks[0], look, self.plan)
        if apart > _SAME_CARD:
            return Refused(f"this look shows another card than the first look at {self.card_id}")
        self.looks.append(fitted)
        return None

    def finished(self) -> NewCard:
        """The card's picture, the median of its looks, as it goes into the deck folder."""
        merged = np.rint(np.median(np.stack(self.looks), axis=0)).astype(np.uint8)
        png = cv2.imencode(".png", merged)[1].tobytes()
        return NewCard(self.card_id, usual_count(self.plan.game, self.card_id), png)

    def appearance(self) -> Look:
        """The card as `deck check` compares it."""
        return look_of(self.card_id, self.looks[0], self.plan.card_mm, self.plan.read)


def enrol_photos(folder: Path, plan: DeckPlan, finder: Finder) -> Enrolled:
    """Cards from photographs named after them: `knot+green.jpg`, or with `-1`, `-2` … for several looks.

    Raises `DeckError` for a name that is no card of the game and when no look at any card is good enough.
    """
    by_card: dict[str, list[Path]] = {}
    for path in picture_files(folder):
        card_id = photo_id(path.stem)
        if not is_legal(plan.game, card_id):
            expected = f"{legal_ids(plan.game)} (with + for /), and -1, -2 … for several looks"
            raise DeckError(f"{path}: {card_id!r} is no card of {plan.game}, expected {expected}")
        by_card.setdefault(card_id, []).append(path)
    if not by_card:
        raise DeckError(f"{folder}: there is no photograph in this folder, expected PNG, JPEG or WebP files")
    cards, refused, missing = [], [], []
    for card_id, paths in by_card.items():
        hand = CardInHand(card_id, plan)
        for path in paths:
            why = _take(hand, path, finder)
            if why is not None:
                refused.append((path.name, why))
        if hand.looks:
            cards.append(hand.finished())
        else:
            missing.append(card_id)
    if not cards:
        name, why = refused[0]
        raise DeckError(f"{folder}: no photograph can be used; {name}: {why}")
    return Enrolled(tuple(cards), tuple(refused), tuple(missing))


def _take(hand: CardInHand, path: Path, finder: Finder) -> str | None:
    """Take a look from a file; returns why not. One damaged file does not stop a whole box."""
    try:
        refusal = hand.add(read_picture(path), finder)
    except DeckError as error:
        return str(error)
    return None if refusal is None else refusal.why


def photo_id(stem: str) -> str:
    """The card a photograph's name means, without the number of the look."""
    numbered = _LOOK_NUMBER.fullmatch(stem)
    return id_of_stem(numbered["stem"] if numbered else stem)


def enrol_guided(
    plan: DeckPlan,
    ids: Sequence[str] | None,
    looks: int,
    desk: Desk,
    finder: Finder,
    keep: Callable[[Sequence[NewCard]], None],
) -> Enrolled:
    """Ask for one card after another and take `looks` good looks at each; `keep` is called after every card.

    Without `ids` each card's id is asked for. A session ends when the ids do, or with `q`.
    """
    cards: list[NewCard] = []
    appearances: list[Look] = []
    missing: list[str] = []
    for card_id in _typed_ids(plan, desk) if ids is None else ids:
        hand = _look_until_good(CardInHand(card_id, plan), looks, desk, finder)
        if hand is None:
            break
        if not hand.looks:
            missing.append(card_id)
            continue
        twin = _already(hand.appearance(), appearances)
        if twin is not None and desk.ask(f"This looks just like {twin}. Is it {card_id} all the same? (y/n) ") != "y":
            desk.say(f"{card_id} left out.")
            missing.append(card_id)
            continue
        cards.append(hand.finished())
        appearances.append(hand.appearance())
        keep(cards)
        desk.say(f"{card_id} is kept ({amount(len(hand.looks), 'look')}).")
    if ids is not None:
        have = {card.id for card in cards}
        missing = [card_id for card_id in ids if card_id not in have]
    return Enrolled(tuple(cards), (), tuple(missing))


def _typed_ids(plan: DeckPlan, desk: Desk) -> Iterable[str]:
    """Ids as somebody types them, until an empty line."""
    seen: set[str] = set()
    while True:
        word = desk.ask("Which card is next? (empty: finished) ")
        if not word:
            return
        if not is_legal(plan.game, word):
            desk.say(f"{word!r} is no card of {plan.game}, expected {legal_ids(plan.game)}.")
        elif word in seen:
            desk.say(f"{word} has been enrolled already.")
        else:
            seen.add(word)
            yield word


def _look_until_good(hand: CardInHand, looks: int, desk: Desk, finder: Finder) -> CardInHand | None:
    """Take looks until there are enough; None when the session is to end."""
    while len(hand.looks) < looks:
        word = desk.ask(
            f"{hand.card_id}, look {len(hand.looks) + 1} of {looks}: lay it alone, a little differently each"
            " time. (Enter: look, s: skip, q: stop) "
        )
        if word is None or word == "q":
            return None
        if word == "s":
            return hand
        refusal = hand.add(desk.grab(), finder)
        desk.say("good." if refusal is None else f"no: {refusal.why}.")
    return hand


def _already(new: Look, kept: Iterable[Look]) -> str | None:
    """The id of a kept card that cannot be told from the new one."""
    for look in kept:
        near = distance(at_size(new.map, _COMPARED_PX), at_size(look.map, _COMPARED_PX)) < _SAME_PICTURE
        if near and needs_px(new, look) is None:
            return look.card
    return None


def _fitted(first: Picture, look: CardLook, plan: DeckPlan) -> tuple[Picture, float]:
    """A later look turned and moved onto the first one, and how much they then differ."""
    height, width = first.shape[:2]
    pixels = np.asarray(cv2.resize(look.pixels, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    goal, other = (at_size(look_of("", way, plan.card_mm, plan.read).map, _COMPARED_PX) for way in (first, pixels))
    quarter_turns, apart = best_turn(goal, other)
    return _aligned(first, np.ascontiguousarray(np.rot90(pixels, quarter_turns))), apart


def _aligned(first: Picture, other: Picture) -> Picture:
    """The other look moved by the pixel or two that the finder was off (ECC; Evangelidis, Psarakis 2008)."""
    goal, moving = (cv2.cvtColor(look, cv2.COLOR_BGR2GRAY) for look in (first, other))
    matrix = np.eye(2, 3, dtype=np.float32)
    stop = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 40, 1e-5)
    try:
        cv2.findTransformECC(goal, moving, matrix, cv2.MOTION_AFFINE, stop)
    except cv2.error:
        # It did not converge: the corners alone have to do.
        return other
    size = (first.shape[1], first.shape[0])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return np.asarray(cv2.warpAffine(other, matrix, size, flags=flags, borderMode=cv2.BORDER_REPLICATE), np.uint8)
