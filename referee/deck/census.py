"""Whether a deck is whole and can be read: duplicates, wrong labels, missing colours, counts, near pairs.

Belongs here: what `referee deck check` finds. A finding is a *problem* when cards would be misread or cannot
be read at all, and otherwise a *note* (a box of another edition may well hold other counts).
Does not belong here: how distances are measured (`near`, `colours`), and how findings are shown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from referee.deck.colours import COLOUR_VISION, Lab, colour_distance, lab, rgb_of_lab
from referee.deck.folder import Deck, shape_and_colour
from referee.deck.ids import ARROWS, BOX
from referee.deck.looks import Look, face_look, looks
from referee.deck.near import Pair, hardest_first, nearest_pairs, needs_px, rough_distances

# CIEDE2000: cards of nearer colours are taken for one another across a table and under a warm lamp.
_COLOURS_APART = 15.0
_SAME_INK = 6.0
# Shares of the face. The first is about what two printings or photographs of one shape differ by.
_SAME_SHAPE = 0.02
_JUNGLE_SPEED_CARDS = 80


@dataclass(frozen=True)
class Finding:
    """Something found in a deck: what kind, about which cards, in a sentence; a problem fails the check."""

    kind: str
    cards: tuple[str, ...]
    sentence: str
    problem: bool


@dataclass(frozen=True)
class ColourPair:
    """Two colours of a symbol deck: CIEDE2000 for everybody, and for those who see them least apart."""

    first: str
    second: str
    distance: float
    hardest: float
    hardest_for: str


@dataclass(frozen=True)
class Report:
    """What a deck check found; `needs_px` is the shorter side from which all these pairs are told apart."""

    deck: Deck
    pairs: tuple[Pair, ...]
    colours: tuple[ColourPair, ...]
    findings: tuple[Finding, ...]
    needs_px: int | None

    @property
    def passed(self) -> bool:
        """Whether no finding is a problem."""
        return not any(finding.problem for finding in self.findings)


def check(deck: Deck, pairs: int = 12) -> Report:
    """Look at every card of a deck; raises `DeckError` for a picture that cannot be decoded.

    `pairs` is how many of the easiest to confuse are reported; in a symbol deck they are pairs of shapes.
    """
    seen = looks(deck)
    found = [*_duplicates(deck, seen), *_counts(deck)]
    colours: tuple[ColourPair, ...] = ()
    if deck.read == "symbol":
        # Arrow cards have no colour to be told by on its own: among themselves their whole face counts.
        arrows = [face_look(deck, look.card) for look in seen if look.card in ARROWS]
        kinds = [pair for pair in nearest_pairs(_one_a_shape(seen), pairs + 3) if not _are_arrows(pair)]
        nearest = sorted(kinds + nearest_pairs(arrows, pairs), key=hardest_first)[:pairs]
        colours = tuple(_colour_pairs(seen))
        found += [*_wrong_shapes(seen), *_missing_colours(deck), *_near_colours(colours)]
    else:
        nearest = nearest_pairs(seen, pairs)
    sizes = [pair.needs_px for pair in nearest if pair.needs_px is not None]
    return Report(deck, tuple(nearest), colours, tuple(found), max(sizes, default=None))


def _are_arrows(pair: Pair) -> bool:
    return pair.first in ARROWS and pair.second in ARROWS


def _one_a_shape(seen: Sequence[Look]) -> list[Look]:
    """The first card of each shape, under the shape's name."""
    kinds: dict[str, Look] = {}
    for look in seen:
        shape = shape_and_colour(look.card)[0]
        kinds.setdefault(shape, replace(look, card=shape))
    return list(kinds.values())


def _duplicates(deck: Deck, seen: Sequence[Look]) -> Iterator[Finding]:
    """Two ids whose pictures show the same card."""
    apart = rough_distances(seen)
    for i, j in combinations(range(len(seen)), 2):
        cards = (seen[i].card, seen[j].card)
        if apart[i, j] >= _SAME_SHAPE or colour_distance(seen[i].ink, seen[j].ink) >= _SAME_INK:
            continue
        # Last of all the whole faces, colours and all: two arrow cards may share their outline.
        if needs_px(face_look(deck, cards[0]), face_look(deck, cards[1])) is None:
            images = " and ".join(deck.card(card).image.name for card in cards)
            yield Finding(
                "duplicate",
                cards,
                f"{cards[0]} and {cards[1]} cannot be told apart: {images} show the same",
                True,
            )


def _wrong_shapes(seen: Sequence[Look]) -> Iterator[Finding]:
    """Cards that look like another shape and unlike the other cards of their own."""
    shapes = [shape_and_colour(look.card)[0] for look in seen]
    apart = rough_distances(seen)
    for i, look in enumerate(seen):
        own = [apart[i, j] for j in range(len(seen)) if j != i and shapes[j] == shapes[i]]
        others = [(apart[i, j], j) for j in range(len(seen)) if shapes[j] != shapes[i]]
        if not own or not others:
            continue
        nearest, j = min(others)
        if min(own) > 2 * nearest + _SAME_SHAPE:
            sentence = f"the picture of {look.card} looks like {seen[j].card}, unlike the other {shapes[i]} cards"
            yield Finding("wrong-shape", (look.card, seen[j].card), sentence, True)


def _missing_colours(deck: Deck) -> Iterator[Finding]:
    """Shapes that lack a colour most shapes have, and colours that hardly any shape has."""
    by_shape: dict[str, set[str]] = {}
    for card in deck.cards:
        shape, colour = shape_and_colour(card.id)
        if colour is not None:
            by_shape.setdefault(shape, set()).add(colour)
    spread = Counter(colour for colours in by_shape.values() for colour in colours)
    usual = {colour for colour, shapes in spread.items() if 2 * shapes > len(by_shape)}
    for shape, colours in by_shape.items():
        missing = sorted(usual - colours)
        if missing:
            cards = tuple(f"{shape}/{colour}" for colour in missing)
            yield Finding("missing-colour", cards, f"{shape} is missing in {' and '.join(missing)}", True)
    for colour in sorted(set(spread) - usual):
        if 4 * spread[colour] < len(by_shape):
            cards = tuple(f"{shape}/{colour}" for shape, colours in by_shape.items() if colour in colours)
            yield Finding("rare-colour", cards, f"only {_listed(cards)} has the colour {colour}", False)


def _counts(deck: Deck) -> Iterator[Finding]:
    """Where the deck differs from a whole box of its game."""
    have = {card.id: card.count for card in deck.cards}
    for card_id, whole in BOX[deck.game].items():
        count = have.get(card_id, 0)
        if count != whole:
            yield Finding("count", (card_id,), f"{count} of {card_id} in this deck, {whole} in a whole box", False)
    total = sum(have.values())
    if deck.game == "jungle-speed" and total != _JUNGLE_SPEED_CARDS:
        yield Finding("count", (), f"{total} cards in this deck, {_JUNGLE_SPEED_CARDS} in a whole box", False)


def _colour_pairs(seen: Iterable[Look]) -> Iterator[ColourPair]:
    """Every two colours of the deck with their distance, nearest first."""
    inks: dict[str, list[Lab]] = {}
    for look in seen:
        colour = shape_and_colour(look.card)[1]
        if colour is not None:
            inks.setdefault(colour, []).append(look.ink)
    middle = {colour: rgb_of_lab(np.median(np.array(found), axis=0)) for colour, found in inks.items()}
    pairs = []
    for first, second in combinations(middle, 2):
        by_eye = {who: colour_distance(lab(middle[first], who), lab(middle[second], who)) for who in COLOUR_VISION}
        hardest_for = min(by_eye, key=lambda who: by_eye[who])
        pairs.append(ColourPair(first, second, by_eye["everybody"], by_eye[hardest_for], hardest_for))
    yield from sorted(pairs, key=lambda pair: pair.hardest)


def _near_colours(colours: Iterable[ColourPair]) -> Iterator[Finding]:
    for pair in colours:
        cards = (pair.first, pair.second)
        if pair.distance < _COLOURS_APART:
            sentence = f"{pair.first} and {pair.second} are only {pair.distance:.0f} apart (CIEDE2000)"
            yield Finding("near-colours", cards, sentence, True)
        elif pair.hardest < _COLOURS_APART:
            sentence = f"{pair.first} and {pair.second} are hard to tell for {pair.hardest_for} players"
            yield Finding("near-colours", cards, sentence, False)


def _listed(cards: Sequence[str]) -> str:
    return ", ".join(cards)
