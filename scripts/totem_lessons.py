"""Lessons for the network of hands: recordings of our own simulator, read by the very code that reads real touches.

Each question the hand finder would ask about a simulated touch becomes one lesson, with the simulator's truth as
answer. `scripts/train_hand_net.py` writes and learns them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

KIND_CHANCES = {
    "single": 2.0, "far": 2.0, "near": 3.0, "verynear": 2.0, "ties": 1.5, "stacked": 3.0, "handonhand": 2.0,
    "multi": 2.5, "sequence": 2.0, "fall_scramble": 1.0, "feint": 0.6, "hover": 0.6, "sleeve": 0.6,
    "spill": 0.6, "brush": 0.2,
}  # fmt: skip
LAYOUT_CHANCES = {
    (12, 4): 9, (8, 6): 8, (6, 4): 5, (6, 2): 2, (4, 3): 1.5, (10, 4): 1, (8, 4): 1, (12, 3): 0.7, (12, 2):
    0.7,
}  # fmt: skip


def choice(random: np.random.Generator, chances: Mapping[Any, float]) -> Any:
    """One key by its weight."""
    keys = list(chances)
    weight = np.array([chances[k] for k in keys], float)
    return keys[int(random.choice(len(keys), p=weight / weight.sum()))]


UNEVEN_CHANCE = 0.5
# So many of the finder's own questions about a touch become lessons. A player whose seat is heard is meant where that
# player's skin is more than this share of what is felt.
ASKED, ON_IT = 6, 0.3
HEIGHT_MM = 120.0
# A hand is felt some 300 ms before it lands; the untouched level is learnt from 200 ms; a touch ends up to
# 360 ms after the last skin has left.
QUIET_BEFORE_US, QUIET_AFTER_US = 750_000, 500_000
LAYOUTS = tuple(LAYOUT_CHANCES)
MOST_ELECTRODES = max(rings * sectors for rings, sectors in LAYOUTS)


def recording_of(seed: int) -> tuple[Any, int]:
    """A simulated recording with settings from the bands for lessons, and its layout's number."""
    from referee.sim.manner import LESSONS, USUAL, random_manner
    from referee.sim.scenes import random_script
    from referee.sim.totem import record

    random = np.random.default_rng([seed, 31])
    layout = choice(random, LAYOUT_CHANCES)
    kind = choice(random, KIND_CHANCES)
    rate_hz = float(random.choice([250.0, 500.0, 1000.0, 2000.0], p=[0.15, 0.25, 0.5, 0.1]))
    seat_pads, noisy, wet = random.random() < 0.45, random.random() < 0.2, random.random() < 0.15
    manner = USUAL if random.random() < 0.25 else random_manner(random, LESSONS)
    events = np.random.default_rng([seed, 7919])
    script = random_script(events, kind, HEIGHT_MM, manner)
    # Nothing is learnt from the quiet after the last hand.
    left_us = max(touch.leave_us for hand in script.hands for touch in hand.touches)
    script.duration_us = min(script.duration_us, left_us + QUIET_AFTER_US)
    return record(events, script, layout, rate_hz, seat_pads, noisy, wet), LAYOUTS.index(layout)


def without_quiet(made: Any) -> Any:
    """The recording without most of the quiet before the first hand comes near: nothing is learnt from it."""
    comes_us = min(touch.land_us for hand, _ in made.hands for touch in hand.touches)
    begin = int(np.searchsorted(made.arrays["t_us"], comes_us - QUIET_BEFORE_US))
    many = len(made.arrays["t_us"])
    arrays = {
        key: value[begin:] if getattr(value, "ndim", 0) and len(value) == many else value
        for key, value in made.arrays.items()
    }
    return replace(made, arrays=arrays, skin=tuple(skin[begin:] for skin in made.skin))


def uneven(random: np.random.Generator, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """The recording as electrodes of uneven sensitivity would have made it (by up to a tenth of each)."""
    counts = arrays["counts"]
    gains = np.exp(random.normal(0.0, random.uniform(0.0, 0.1), counts.shape[1]))
    level = np.median(counts[:50], axis=0)
    changed = dict(arrays) | {"counts": np.round(level + (counts - level) * gains).astype(counts.dtype)}
    if "seat_delta" in arrays:
        changed["seat_delta"] = np.round(arrays["seat_delta"] * gains).astype(arrays["seat_delta"].dtype)
    return changed


def pitch_mm(hand: Any) -> float:
    """From finger to finger of a simulated hand."""
    heights = sorted(touch.patch.height_mm for touch in hand.touches if touch.kind == "finger")
    if len(heights) > 1:
        return float(np.diff(heights).mean())
    return max(touch.patch.breadth_mm for touch in hand.touches if touch.kind == "finger") + 2.7


@dataclass(frozen=True)
class Scene:
    """One touch of a simulated recording and who really was there: `shares` (hands, E) of each electrode."""

    made: Any
    layout: int
    height_mm: float
    felt: Any
    shares: Any


def padded(values: Any) -> Any:
    """Values (…, E) with zeros for the electrodes that a smaller layout lacks."""
    room = [(0, 0)] * (values.ndim - 1) + [(0, MOST_ELECTRODES - values.shape[-1])]
    return np.pad(values, room).astype(np.float16)


def lesson(
    random: np.random.Generator,
    scene: Scene,
    query: int,
    view: Any,
    owner: int,
    good: bool,
    seen: Any,
    more: int,
    exact: bool = False,
) -> dict[str, Any]:
    """The question for the hand at `query`, and the truth: the hand `owner` if `good`, else no hand.

    `more` other hands hold the totem that are not among the `seen` (E), which is what a finder says if `exact`.
    """
    from referee.totem.features import electrode_features, query_us
    from referee.totem.hand_net import LOW_BINS, MOST_FINGERS, time_bin

    felt = scene.felt
    if good and view is not None and random.random() < 0.3:
        view = replace(view, pitch_mm=pitch_mm(scene.made.hands[owner][0]) + random.normal(0.0, 0.8))
    if not exact and random.random() < 0.6:
        # What was found before is not found exactly.
        seen = np.clip(seen + random.normal(0, 0.12, len(seen)), 0, 1).astype(np.float32)
    made = {
        "x": padded(electrode_features(felt, query, seen, view)),
        "layout": scene.layout,
        "scale": felt.scale,
        "share": padded(scene.shares[owner] if good else np.zeros(len(felt.final), np.float32)),
        "weight": padded(np.clip(felt.final / felt.scale, 0, 1) * felt.active),
        "grip": float(good),
        "more": float(more > 0),
    }
    if not good:
        nowhere = np.zeros(LOW_BINS, np.float16)
        return made | {
            "fingers": 0, "low": 0, "seat": 0.0, "pitch": 0.0, "first": 0.0, "middles": nowhere, "thumb": 0.0,
        }  # fmt: skip
    hand, truth = scene.made.hands[owner]
    counted = [hand.touches[k] for k in truth.counted]
    return made | {
        "middles": middles([touch.patch.height_mm for touch in counted if touch.kind == "finger"], scene.height_mm),
        "thumb": float(any(touch.kind == "thumb" for touch in counted)),
        "fingers": min(truth.fingers, MOST_FINGERS),
        "low": int(np.clip(truth.lowest_mm / scene.height_mm * LOW_BINS, 0, LOW_BINS - 1)),
        "seat": hand.seat_deg % 360.0,
        "pitch": pitch_mm(hand),
        "first": time_bin((truth.t_us - query_us(felt, query)) / 1000.0),
    }


def middles(heights_mm: list[float], height_mm: float) -> Any:
    """How many fingers have their middle in each height bin, (LOW_BINS); one between two bins is shared by both."""
    from referee.totem.hand_net import LOW_BINS

    many = np.zeros(LOW_BINS, np.float16)
    for height in heights_mm:
        place = float(np.clip(height / height_mm * LOW_BINS - 0.5, 0.0, LOW_BINS - 1.001))
        many[int(place)] += 1.0 - place % 1.0
        many[int(place) + 1] += place % 1.0
    return many


def touches_of(trace: Any, truth: Mapping[str, Any]) -> list[Any]:
    """The touches the detector would look for hands in."""
    from referee.totem.scrambles import detect
    from referee.totem.touch import Touch

    touches: list[Any] = []

    def keep(touch: Touch, seats: Mapping[str, float], angle0: float) -> None:
        if not any(a <= touch.t_us[touch.start] <= b for a, b in truth["handling"]):
            touches.append(touch)

    detect(trace, truth["seats"], reader=keep)
    return touches


def felt_touches(trace: Any, made: Any) -> Iterator[tuple[Any, Any, Any]]:
    """The touches of a recording that last long enough to tell hands in; what is felt of each, and how much skin of
    each true hand (hands × electrodes) lies on the totem when it has settled."""
    from referee.totem.contacts import feel

    for touch in touches_of(trace, made.truth):
        felt = feel(touch)
        scans = (trace.t_us > felt.settle_us - 24_000) & (trace.t_us <= felt.settle_us)
        if (touch.held_us >= 80_000 or felt.lifted_us is not None) and scans.any():
            yield touch, felt, np.stack([skin[scans].mean(axis=0) for skin in made.skin])


def asked_lessons(
    random: np.random.Generator, scene: Scene, touch: Any, seats: Any, names: tuple[str, ...], holding: set[int]
) -> list[dict[str, Any]]:
    """Some of the questions that the finder really asks about a touch, with what it has found until then.

    What it found is what the network that ships says: a hand of which most is claimed already was found before.
    """
    from referee.totem.finding import find_hands
    from referee.totem.grid import make_grid

    made, felt = scene.made, scene.felt
    pressed = felt.final * felt.active
    asked: list[tuple[int, Any, Any]] = []
    layout = touch.segment.layout
    find_hands(touch, felt, seats, make_grid(layout), lambda *question: asked.append(question))
    lessons = []
    for at in random.permutation(len(asked))[:ASKED]:
        query, seen, view = asked[at]
        owner = int(np.argmax(scene.shares[:, query]))
        if view is not None:
            mine = [i for i in holding if made.hands[i][0].player == names[view.seat]]
            # The electrode's hand, unless the player whose seat is heard there presses on it too.
            owner = next((i for i in mine if scene.shares[i, query] > ON_IT), owner)
        claimed = {
            i for i in holding
            if (pressed * np.minimum(seen, scene.shares[i])).sum() > 0.5 * (pressed * scene.shares[i]).sum()
        }  # fmt: skip
        good = owner in holding and owner not in claimed
        lessons.append(
            lesson(random, scene, query, view, owner, good, seen, len(holding - claimed - {owner}), exact=True)
        )
    return lessons


def lessons_of(seed: int) -> list[dict[str, Any]]:
    """The lessons of one simulated recording."""
    from referee.totem.questions import Questions
    from referee.totem.seats import answers, loudest_seat
    from referee.totem.trace import trace_of

    random = np.random.default_rng([seed, 32])
    made, layout = recording_of(seed)
    made = without_quiet(made)
    arrays = uneven(random, made.arrays) if random.random() < UNEVEN_CHANCE else made.arrays
    trace = trace_of(Path("simulated"), arrays)
    names = () if trace.seats is None else trace.seats.names
    lessons: list[dict[str, Any]] = []
    for touch, felt, parts in felt_touches(trace, made):
        shares = np.clip(parts / np.maximum(parts.sum(axis=0), 1e-4), 0, 1).astype(np.float32)
        scene = Scene(made, layout, trace.layout.height_mm, felt, shares)
        seats = answers(touch, felt)
        questions = Questions(felt, touch.segment.noise, seats)
        found: dict[int, tuple[int, Any]] = {}
        holding = {
            i for i, (hand, truth) in enumerate(made.hands)
            if truth is not None and hand.grip and parts[i].max() > 0.02
        }  # fmt: skip
        for _ in range(9):
            asked = questions.next()
            if asked is None:
                break
            query, view, by_seat = asked
            owner = int(np.argmax(parts[:, query]))
            if by_seat and view is not None:
                mine = [
                    i for i, (hand, truth) in enumerate(made.hands)
                    if truth is not None and hand.player == names[view.seat] and parts[i].max() > 0.02
                ]  # fmt: skip
                owner = max(mine, key=lambda i: float(parts[i].max())) if mine else -1
            truth = made.hands[owner][1] if owner >= 0 else None
            good = truth is not None and made.hands[owner][0].grip and owner not in found
            more = len(holding - {owner} - set(found))
            lessons.append(lesson(random, scene, query, view, owner, good, questions.assigned, more))
            if good:
                found[owner] = (query, view)
                questions.found(shares[owner], None if view is None else view.seat)
        lessons += asked_lessons(random, scene, touch, seats, names, holding)
        for owner, (query, view) in found.items():
            other_hands = [other for other in found if other != owner]
            others = [shares[other] for other in other_hands]
            if others:
                # The second look at each hand, when all others are known.
                lessons.append(
                    lesson(random, scene, query, view, owner, True, np.max(others, axis=0), len(holding - set(found)))
                )
            # The same hand may be asked for at any of its electrodes, whoever else has been found by then.
            own = np.nonzero(felt.active & (shares[owner] > 0.6) & (felt.final > 0.2 * felt.scale))[0]
            if len(own):
                query = int(random.choice(own))
                known = [other for other in other_hands if random.random() < 0.5]
                seen = np.max(shares[known], axis=0) if known else np.zeros_like(shares[owner])
                if seats is not None and random.random() < 0.3:
                    seat = loudest_seat(seats, query, felt)
                    view = None if seat is None else seats.view(seat, felt)
                lessons.append(
                    lesson(random, scene, query, view, owner, True, seen, len(holding - set(known) - {owner}))
                )
    return lessons


def make_lessons(out: Path, first: int, count: int) -> None:
    """Write the lessons of `count` recordings from seed `first` on."""
    rows: list[dict[str, Any]] = []
    start = time.monotonic()
    for seed in range(first, first + count):
        rows += lessons_of(seed)
    arrays = {key: np.array([row[key] for row in rows]) for key in rows[0]}
    np.savez(out, **arrays)
    print(f"{len(rows)} lessons from {count} recordings in {time.monotonic() - start:.0f} s")
