"""What holds for every mixture of words: order, completeness, and no matter which source was heard first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from referee.table.calls import Choose
from referee.table.fusion import Fusion
from referee.totem.scrambles import Fall, Grab
from referee.vision.sightings import TOTEM, CameraPast, CardSeen, HandSeen, Sighting
from referee.words import Event
from tests.table.desk import FRAME_US, PLAYERS, card, grab, hand, layout, resolved

END_US = 7_000_000


@dataclass(frozen=True)
class Play:
    """What both sources have to say of a stretch of play, in the order of each."""

    camera: Sequence[Sighting]
    totem: Sequence[Grab | Fall | int]

    @property
    def cards(self) -> set[tuple[str, int]]:
        """The cards that were seen: player and time."""
        return {(one.zone.removeprefix("face_up/"), one.edge_us) for one in self.camera if isinstance(one, CardSeen)}

    @property
    def touches(self) -> set[int]:
        """When the totem was touched or fell."""
        return {one.t_us for one in self.totem if not isinstance(one, int)}


times = st.integers(200_000, END_US - 3_000_000)
faces = st.sampled_from(["knot/green", "knot/red", "moon/red", "arrow/in", "arrow/out", "?"])


@st.composite
def plays(draw: st.DrawFn) -> Play:
    cards = draw(st.lists(st.tuples(times, st.sampled_from(PLAYERS), faces), max_size=6, unique_by=lambda one: one[0]))
    touched = sorted(draw(st.lists(times, max_size=4, unique_by=lambda t_us: t_us // 700_000)))
    said: dict[int, list[Sighting]] = {}
    for number, (t_us, player, face) in enumerate(sorted(cards), start=1):
        frame_us = (t_us // FRAME_US + 1) * FRAME_US
        said.setdefault(frame_us, []).append(card(number, player, face, t_us, between=(frame_us - FRAME_US, frame_us)))
    totem: list[Grab | Fall | int] = []
    for t_us in touched:
        players = draw(st.lists(st.sampled_from([*PLAYERS, None]), min_size=1, max_size=3, unique=True))
        if draw(st.booleans()):
            hands = [hand(player, t_us + 13_000 * place) for place, player in enumerate(players)]
            totem += [t_us, grab(*hands), t_us + 200_000]
        else:
            totem += [t_us, Fall(t_us, players[0]), t_us + 200_000]
        if draw(st.booleans()):
            for frame_us in range((t_us // FRAME_US) * FRAME_US, t_us + 300_000, FRAME_US):
                said.setdefault(frame_us, []).append(HandSeen(TOTEM, frame_us, {"Ana": 0.99}))
    camera: list[Sighting] = []
    for frame_us in range(0, END_US, FRAME_US):
        camera += [*said.get(frame_us, ()), CameraPast(frame_us)]
    return Play(camera, [*totem, END_US])


def feed(fusion: Fusion, word: Sighting | Grab | Fall | int) -> None:
    if isinstance(word, int):
        fusion.totem_past(word)
    elif isinstance(word, Grab | Fall):
        fusion.touch(word)
    else:
        fusion.sighting(word)


def run(play: Play, turns: Sequence[int] = ()) -> list[Event]:
    """The released events; `turns` says how many words each source gives in turn before the other."""
    fusion = Fusion(layout())
    camera, totem = list(play.camera), list(play.totem)
    events: list[Event] = []
    for place, many in enumerate(turns):
        source = camera if place % 2 else totem
        for word in source[:many]:
            feed(fusion, word)
        del source[:many]
        events += fusion.release()
    for word in [*camera, *totem]:
        feed(fusion, word)
    events += fusion.release()
    return events + fusion.finish()


@settings(max_examples=60, deadline=None)
@given(plays(), st.lists(st.integers(0, 60), max_size=30))
def test_events_leave_in_the_order_of_time(play: Play, turns: list[int]) -> None:
    times_us = [event["t_us"] for event in run(play, turns)]
    assert times_us == sorted(times_us)


@settings(max_examples=60, deadline=None)
@given(plays(), st.lists(st.integers(0, 60), max_size=30))
def test_every_card_and_every_touch_ends_in_one_event(play: Play, turns: list[int]) -> None:
    events = run(play, turns)
    flips = [(event["player"], event["t_us"]) for event in events if event["event"] == "flip"]
    assert sorted(flips) == sorted(play.cards)
    assert sorted(event["t_us"] for event in events if event["event"] != "flip") == sorted(play.touches)


@settings(max_examples=60, deadline=None)
@given(plays(), st.lists(st.integers(0, 60), max_size=30), st.lists(st.integers(0, 400), max_size=8))
def test_which_source_is_heard_first_changes_nothing(play: Play, some: list[int], other: list[int]) -> None:
    assert run(play, some) == run(play, other)


@settings(max_examples=40, deadline=None)
@given(plays(), st.lists(st.integers(0, 60), max_size=30))
def test_a_scramble_told_twice_stands_in_the_record_as_if_it_had_been_told_once(play: Play, turns: list[int]) -> None:
    twice: list[Grab | Fall | int] = []
    for word in play.totem:
        if isinstance(word, Grab):
            early = Grab(word.t_us, word.hands[:1], None, word.lifted_us, word.settled_us, final=False)
            twice.append(early)
        twice.append(word)
    told = resolved(run(Play(play.camera, twice), turns))
    assert told == run(play)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(times, st.sampled_from(PLAYERS)), max_size=8))
def test_whatever_people_say_becomes_an_event_each(calls: list[tuple[int, str]]) -> None:
    fusion = Fusion(layout())
    for t_us, player in calls:
        fusion.call(Choose(t_us, player, "duel"))
    assert [event["t_us"] for event in fusion.finish()] == sorted(t_us for t_us, _ in calls)


@settings(max_examples=30, deadline=None)
@given(plays())
def test_with_no_word_of_time_nothing_is_kept_for_ever(play: Play) -> None:
    fusion = Fusion(layout())
    released = 0
    for word in play.camera:
        if not isinstance(word, CameraPast):
            fusion.sighting(word)
    for number in range(600):
        fusion.sighting(card(1_000 + number, "Ana", "knot/green", END_US + number))
        released += len(fusion.release())
    assert released >= 600 - 400
