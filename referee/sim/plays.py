"""Which games simulated people can play, and what each needs.

Belongs here: the register. Does not belong here: how any of them is played.

Written rules:
- a game takes its place by a line in `PLAYS`; nothing that renders, records, wires or scores asks which game it is;
- `play` draws the table's places from `random` first and everything else from the wish's seed, so that the same wish is
  the same game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from referee.errors import InputError
from referee.sim import bluff_people, dobro_people, people, speed_people
from referee.sim.habits import Habits
from referee.sim.played import PlayedGame, Wish
from referee.sim.seating import draw_seating


@dataclass(frozen=True)
class Play:
    """One game: how it is played, the deck it is played with unless another is wished, and by how many."""

    play: Callable[[Wish, np.random.Generator], PlayedGame]
    deck: str
    fewest: int
    most: int


def _jungle_speed(wish: Wish, random: np.random.Generator) -> PlayedGame:
    seating = draw_seating(wish.players, random)
    habits = Habits(pace_scale=1 / wish.pace)
    return people.play(wish.deck, seating, wish.seed, wish.seconds, habits, wish.totem, dict(wish.options))


PLAYS: Mapping[str, Play] = {
    "jungle-speed": Play(_jungle_speed, "builtin:totem-rush", 3, 8),
    "speed": Play(speed_people.play, "builtin:52", 2, 2),
    "dobro": Play(dobro_people.play, "builtin:dobro", 2, 6),
    "jungle-bluff": Play(bluff_people.play, "builtin:jungle-bluff", 2, 8),
}
"""Each game that can be simulated with pictures."""


def play_of(game: str) -> Play:
    """How a game is played; raises `InputError` for one that nobody plays yet."""
    if game not in PLAYS:
        raise InputError(f"--game: {game}: expected one of {', '.join(PLAYS)}")
    return PLAYS[game]
