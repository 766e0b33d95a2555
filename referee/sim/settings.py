"""One simulated table made ready: from a game, a seed and a few wishes to people, camera and totem.

Belongs here: what one may wish for, and drawing the rest. Does not belong here: rendering, files, ports.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from referee.deck.folder import Deck, resolve_deck
from referee.errors import InputError
from referee.sim.arms import Looks, draw_looks
from referee.sim.film import Film
from referee.sim.light import LIGHTS
from referee.sim.played import PlayedGame, Wish
from referee.sim.plays import Play, play_of
from referee.sim.scenery import MATS, Scenery, draw_scenery
from referee.sim.scenes import NAMES
from referee.sim.surfaces import SURFACES
from referee.sim.touches import TotemKind

ANY = "any"
JUNGLE_SPEED = "jungle-speed"
USUAL_PLAYERS = 4
SHORTEST_S, LONGEST_S = 8.0, 900.0  # the whole trace is made at once: about 2 GB for the longest


@dataclass(frozen=True)
class Settings:
    """What one may wish for; `ANY` leaves it to the seed (the deck: to the game).

    `pace` divides the pauses between turns.
    """

    players: tuple[str, ...]
    seconds: float = 90.0
    seed: int = 0
    light: str = ANY
    surface: str = ANY
    mat: str = ANY
    fps: float = 30.0
    size: tuple[int, int] = (960, 540)
    deck: str = ANY
    seat_pads: bool = False
    keyed: bool = False
    noisy: bool = False
    wet: bool = False
    pace: float = 1.0
    game: str = JUNGLE_SPEED

    @property
    def deck_name(self) -> str:
        """What the deck is called: the wish, or what the game is played with."""
        return play_of(self.game).deck if self.deck == ANY else self.deck


@dataclass(frozen=True)
class TableSetUp:
    """A table on which a game has been played: all that renders it and all that feels it (`totem` None: no totem)."""

    settings: Settings
    game: PlayedGame
    scenery: Scenery
    looks: dict[str, Looks]
    totem: TotemKind | None

    def film(self) -> Film:
        """A camera over it."""
        return Film(self.game, self.scenery, self.looks, self.settings.seed)


def names_of(text: str, game: str = JUNGLE_SPEED) -> tuple[str, ...]:
    """`5` or `Ana,Bilal,Chloé` as names; raises `InputError` for so many as cannot play the game."""
    play = play_of(game)
    if text.strip().isdigit():
        count = int(text)
        if not play.fewest <= count <= play.most:
            raise InputError(f"--players: {count}: expected {_how_many(play)} players")
        return tuple(NAMES[:count])
    names = tuple(name.strip() for name in text.split(","))
    if len(set(names)) != len(names):
        raise InputError(f"--players: {text}: expected names that differ, with commas between them")
    if not all(0 < len(name) <= 64 and name.isprintable() for name in names):
        raise InputError(f"--players: {text}: expected a number, or names of 1 to 64 printable characters")
    if not play.fewest <= len(names) <= play.most:
        raise InputError(f"--players: {len(names)} names: expected {_how_many(play)}")
    return names


def usual_players(game: str) -> str:
    """How many play where nobody said it, as `names_of` reads it: four, or as near to it as the game allows."""
    play = play_of(game)
    return str(min(max(USUAL_PLAYERS, play.fewest), play.most))


def _how_many(play: Play) -> str:
    return str(play.fewest) if play.fewest == play.most else f"{play.fewest} to {play.most}"


def set_up(settings: Settings, deck: Deck | None = None) -> TableSetUp:
    """Play the game and choose what it is seen and felt with; the same settings give the same table.

    Raises `InputError` for wishes nobody can grant and `DeckError` for a deck that cannot be dealt.
    """
    _check(settings)
    random = np.random.default_rng([settings.seed, 15485863])
    cards = resolve_deck(settings.deck_name) if deck is None else deck
    totem = TotemKind(seat_pads=settings.seat_pads, keyed=settings.keyed, noisy=settings.noisy, wet=settings.wet)
    wish = Wish(settings.players, cards, settings.seed, settings.seconds, settings.pace, totem)
    game = play_of(settings.game).play(wish, random)
    light = _choose(settings.light, LIGHTS, random)
    top = _choose(settings.surface, SURFACES, random)
    mat = _choose(settings.mat, MATS, random)
    scenery = draw_scenery(game.places, settings.size, light, top, mat, random)
    looks = {name: draw_looks(random) for name in settings.players}
    return TableSetUp(settings, game, scenery, looks, None if game.touching is None else totem)


def frame_times(end_us: int, fps: float, seed: int) -> NDArray[np.int64]:
    """Mid-exposure of each frame that is kept (N): a steady rate with jitter, now and then one or a few dropped."""
    random = np.random.default_rng([seed, 6700417])
    count = int(end_us * fps / 1e6) - 1
    times = random.uniform(5_000, 25_000) + np.arange(count) * 1e6 / fps + random.normal(0, 500, count)
    keep = random.random(count) > 0.0015
    for _ in range(int(random.poisson(end_us / 60e6))):
        start = int(random.integers(0, count))
        keep[start : start + int(random.integers(2, 5))] = False
    keep[0] = True
    return np.asarray(np.round(times[keep]), np.int64)


def _check(settings: Settings) -> None:
    for name, value, allowed in (
        ("--light", settings.light, LIGHTS),
        ("--surface", settings.surface, SURFACES),
        ("--mat", settings.mat, MATS),
    ):
        if value not in (*allowed, ANY):
            raise InputError(f"{name}: {value}: expected one of {', '.join((*allowed, ANY))}")
    if not SHORTEST_S <= settings.seconds <= LONGEST_S:
        raise InputError(f"--seconds: {settings.seconds:g}: expected {SHORTEST_S:g} to {LONGEST_S:g}")
    if not 1 <= settings.fps <= 120:
        raise InputError(f"--fps: {settings.fps:g}: expected 1 to 120")
    if not (320 <= settings.size[0] <= 3840 and 200 <= settings.size[1] <= 2160):
        raise InputError(f"--size: {settings.size[0]}x{settings.size[1]}: expected 320x200 to 3840x2160")
    if not 0.2 <= settings.pace <= 5:
        raise InputError(f"--pace: {settings.pace:g}: expected 0.2 to 5")


def _choose(wish: str, among: Sequence[str], random: np.random.Generator) -> str:
    drawn = str(random.choice(list(among)))
    return drawn if wish == ANY else wish
