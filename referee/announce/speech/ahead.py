"""Which phrases a game will need, so that they can be rendered before they are.

Belongs here: rulings as they may come with these players, most likely first. Does not belong here: their words
(`sentences`), rendering. What is not foreseen here is rendered when it is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

from referee.announce.outputs import Status
from referee.announce.prompts import OVERTURNED, OVERTURNED_SEVERAL, reminder
from referee.announce.sentences import ruling_sentence
from referee.announce.speech.spoken import phrases
from referee.words import Ruling

MOST_PHRASES = 1_200
"""At some 60 kB each; eight players of Jungle Speed need about 1,100."""

_MOST_CARDS = 40
_FAULTS = ("wrong-grab", "wrong-fall", "intervention", "own-duel", "last-in", "last-colour")
_WARNINGS = ("out-of-turn", "wrong-pick-up", "brush", "knocked-over", "out-player", "miscount")


def phrases_ahead(game: str, players: Sequence[str], language: str, names: dict[str, str]) -> list[str]:
    """The phrases to render ahead, each once, the most likely first, `MOST_PHRASES` at most."""
    found: dict[str, None] = {}
    for sentence in _sentences(game, players, language):
        for phrase in phrases(sentence, language, names):
            found[phrase] = None
        if len(found) >= MOST_PHRASES:
            break
    return list(found)[:MOST_PHRASES]


def _sentences(game: str, players: Sequence[str], language: str) -> Iterator[str]:
    rulings = {
        "jungle-speed": _jungle_speed,
        "speed": _speed,
        "dobro": _dobro,
        "jungle-bluff": _jungle_bluff,
    }[game]
    for ruling in rulings(players):
        yield ruling_sentence(ruling, language, game)
    yield OVERTURNED[language]
    yield OVERTURNED_SEVERAL[language]
    for name in players:
        yield reminder(Status(turn=name), language)
        for waiting_for in ("choose", "share"):
            yield reminder(Status(asked=name, waiting_for=waiting_for), language)


def _jungle_speed(players: Sequence[str]) -> Iterator[Ruling]:
    yield from (_ruling("won", winner=a, losers=[b], picks_up={b: 1}, next=b) for a, b in _pairs(players))
    yield from (_ruling("to-pot", player=a, cards=1, pot=1, next=a) for a in players)
    for kind in _FAULTS:
        yield from (_ruling("fault", player=a, kind=kind, picks_up={a: 1}, next=a) for a in players)
    for kind in ("in", "out", "colour", "triple"):
        yield from (_ruling("arrow", player=a, kind=kind) for a in players)
    yield from (_ruling("colour-mode", on=on) for on in (True, False))
    for cards in range(_MOST_CARDS + 1):
        yield from (_ruling("won", winner=a, losers=[], picks_up={a: cards}, next=None) for a in players)
    for kind in _WARNINGS:
        yield from (_ruling("warning", player=a, kind=kind) for a in players)
    yield from (_ruling("choice-needed", player=a, options=["duel", "arrow"]) for a in players)
    for rank in range(1, len(players)):
        yield from (_ruling("out", player=a, rank=rank) for a in players)
    for why in ("who", "fingers", "height", "equal"):
        yield from (_ruling("undecided", why=why, candidates=list(pair)) for pair in combinations(players, 2))
    for by in ("shape", "colour"):
        yield from (_ruling("duel", by=by, players=list(pair)) for pair in combinations(players, 2))
    for losers in combinations(players, 2):
        rest = [a for a in players if a not in losers]
        yield from (_ruling("won", winner=a, losers=list(losers), picks_up={}, next=None) for a in rest)


def _speed(players: Sequence[str]) -> Iterator[Ruling]:
    yield _ruling("turn-up")
    yield _ruling("reshuffle-needed")
    for named in ("false-start", "fault"):
        yield from (_ruling(named, player=a, kind="too-many") for a in players)
    for named in ("game-won", "match-won"):
        yield from (_ruling(named, winner=a) for a in players)
    yield from (_ruling("undecided", why="order", candidates=list(pair)) for pair in combinations(players, 2))
    ranks = [*"A23456789", "10", *"JQK"]
    for suit in "SHDC":
        yield from (_ruling("illegal-play", player=players[0], card=rank + suit, on="2S") for rank in ranks)


def _dobro(players: Sequence[str]) -> Iterator[Ruling]:
    for value in range(2, 25):
        yield from (_ruling("value", value=value, doubled=doubled, next=players[0]) for doubled in (False, True))
    yield from (_ruling("value", value=2, doubled=False, next=a) for a in players)
    for cards in range(1, 21):
        yield from (_ruling("picks-up", player=a, cards=cards) for a in players)
    yield from (_ruling("oubli", player=a) for a in players)
    for kind in ("out-of-turn", "early-play", "too-many", "false-call", "miscount"):
        yield from (_ruling("warning", player=a, kind=kind) for a in players)


def _jungle_bluff(players: Sequence[str]) -> Iterator[Ruling]:
    cards = [str(value) for value in range(1, 11)]
    for card in cards:
        yield from (_ruling("holds", player=a, card=card) for a in players)
        yield _ruling("returned", card=card)
    yield from (_ruling("round-over", kept={}, first=a) for a in players)


def _pairs(players: Sequence[str]) -> Iterator[tuple[str, str]]:
    return ((a, b) for a in players for b in players if a != b)


def _ruling(named: str, **keys: Any) -> Ruling:
    return {"t_us": 0, "ruling": named, "clauses": [], "public": True, **keys}
