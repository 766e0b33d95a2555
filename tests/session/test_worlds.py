"""What is said after something was left open: only what holds however that was."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from referee.adjudication import Game, adjudicate
from referee.alternatives import ways_of
from referee.ledger import Ledger, find_difference
from referee.sim import games
from referee.words import Event, Header, Ruling
from referee.worlds import MOST_WORLDS, OPEN, Worlds

PLAYERS = ("Ana", "Bilal", "Chloé", "David")
HEADER: Header = {"record": "referee/1", "game": "jungle-speed", "players": list(PLAYERS), "options": {}}


def flip(t_us: int, player: str, card: str, **more: Any) -> Event:
    return {"t_us": t_us, "event": "flip", "player": player, "card": card, **more}


def grab(t_us: int, *players: str, **more: Any) -> Event:
    hands = [{"player": who, "t_us": t_us + 60_000 * i, "fingers": 4, "lowest_mm": 20} for i, who in enumerate(players)]
    return {"t_us": t_us, "event": "grab", "hands": hands, **more}


def open_grab(t_us: int, *players: str, **more: Any) -> Event:
    """Hands of which nobody can tell who has more fingers."""
    hands = [{"player": who, "t_us": t_us, "fingers": [1, 5], "lowest_mm": [0, 90]} for who in players]
    return {"t_us": t_us, "event": "grab", "hands": hands, **more}


def judged(game: Game, events: list[Event]) -> list[list[Ruling]]:
    return [rulings for _, rulings in adjudicate(game, events)]


DUEL = [flip(0, "Ana", "knot/red"), flip(1_000_000, "Bilal", "star/red"), flip(2_000_000, "Chloé", "knot/blue")]
LEFT_OPEN = [*DUEL, open_grab(2_500_000, "Ana", "Chloé")]


def kinds(rulings: list[Ruling]) -> list[str]:
    return [ruling["ruling"] for ruling in rulings]


def test_nobody_is_out_of_turn_while_it_is_open_whose_turn_it_is() -> None:
    events = [*LEFT_OPEN, flip(5_000_000, "Chloé", "moon/green")]
    assert kinds(judged(Game(HEADER), events)[-1]) == ["warning"]
    assert judged(Worlds(HEADER), events)[-1] == []


THREE: Header = {**HEADER, "players": ["Ana", "Bilal", "Chloé"]}


def test_who_completed_three_of_a_colour_is_left_open_where_two_cards_came_within_one_frame() -> None:
    apart = [
        flip(0, "Ana", "knot/red", between=[-16_000, 17_000]),
        flip(1_000_000, "Bilal", "star/red", between=[984_000, 1_017_000]),
        flip(1_200_000, "Chloé", "moon/red", between=[1_184_000, 1_217_000]),
    ]
    (said,) = judged(Worlds(THREE), apart)[-1]
    assert (said["ruling"], said["kind"], said["player"]) == ("arrow", "triple", "Chloé")
    together = [*apart[:2], {**apart[2], "t_us": 1_010_000, "between": [990_000, 1_023_000]}]
    (said,) = judged(Worlds(THREE), together)[-1]
    assert (said["ruling"], said["why"], said["candidates"]) == ("undecided", OPEN, ["Bilal", "Chloé"])
    assert not said["public"]
    # Everybody may take the totem, whoever it was: that follows from either.
    took = grab(2_000_000, "Ana")
    assert judged(Worlds(THREE), [*together, took])[-1] == judged(Game(THREE), [*together, took])[-1]
    assert not Ledger(THREE, together).expected().get("open")


def test_a_count_that_depends_on_what_is_open_is_withheld_and_who_won_is_said_to_be_known() -> None:
    events = [*LEFT_OPEN, flip(5_000_000, "David", "wave/green"), flip(6_000_000, "Ana", "wave/red")]
    (ruling,) = judged(Worlds(HEADER), [*events, grab(6_500_000, "David")])[-1]
    assert (ruling["ruling"], ruling["why"], ruling["rests_on"]) == ("undecided", OPEN, [3])
    assert (ruling["known"]["winner"], ruling["known"]["losers"]) == ("David", ["Ana"])
    assert "picks_up" not in ruling["known"]


def test_what_holds_in_every_world_is_ruled_as_ever() -> None:
    events = [*LEFT_OPEN, flip(5_000_000, "David", "star/green"), grab(5_500_000, "Bilal")]
    last = judged(Worlds(HEADER), events)[-1]
    assert [(r["winner"], r["losers"], r["picks_up"]) for r in last if r["ruling"] == "won"] == [
        ("Bilal", ["David"], {"David": 2})
    ]


def test_what_a_person_settles_is_ruled_by_the_rules_alone() -> None:
    events = [*LEFT_OPEN, flip(5_000_000, "Chloé", "moon/green")]
    word = {
        "t_us": 6_000_000,
        "event": "correct",
        "ref": 3,
        "by": "operator",
        "reason": "",
        "with": grab(2_500_000, "Ana"),
    }
    ledger = Ledger(HEADER)
    for event in [*events, word]:
        ledger.add(event)
    assert [one.ruling for one in ledger.standing] == [r for rs in judged(Game(HEADER), [*events, word]) for r in rs]


def test_counts_that_are_open_are_none() -> None:
    ledger = Ledger(HEADER)
    for event in LEFT_OPEN:
        ledger.add(event)
    counts = ledger.summary()
    assert counts["face_up"] == {"Ana": None, "Bilal": 1, "Chloé": None, "David": 0}
    assert counts["turn"] is None
    assert ledger.expected()["open"] is True


def test_a_card_that_was_not_read_may_have_been_an_arrow_until_it_is_read() -> None:
    events = [flip(0, "Ana", "knot/red"), flip(1_000_000, "Bilal", "?"), flip(2_000_000, "David", "knot/blue")]
    assert kinds(judged(Game(HEADER), events)[-1]) == ["warning", "duel"]
    assert [(r["ruling"], r["why"], r["public"]) for r in judged(Worlds(HEADER), events)[-1]] == [
        ("undecided", OPEN, False)
    ]
    read = {"t_us": 3_000_000, "event": "correct", "ref": 1, "by": "camera", "reason": "read late"}
    now = judged(Worlds(HEADER), [*events, {**read, "with": flip(1_000_000, "Bilal", "star/blue")}])
    assert kinds(now[2]) == ["warning", "duel"]


def test_a_card_with_candidates_was_one_of_them() -> None:
    twin = flip(1_000_000, "Bilal", "?", may_be=["moon/blue", "moon/green"])
    events = [flip(0, "Ana", "knot/red"), twin, flip(2_000_000, "Chloé", "knot/blue")]
    assert kinds(judged(Worlds(HEADER), events)[-1]) == ["duel"]


def test_where_it_is_open_what_lay_on_the_table_nothing_that_decides_is_asserted() -> None:
    blind = grab(2_500_000, "Ana", doubt=["camera"])
    blind["hands"].append({"player": None, "t_us": 2_500_000, "fingers": [1, 5], "lowest_mm": [0, 90]})  # type: ignore[attr-defined]
    events = [*DUEL, blind, flip(5_000_000, "David", "star/green"), grab(5_500_000, "Bilal")]
    assert [r["ruling"] for rs in judged(Worlds(HEADER), events)[3:] for r in rs] == ["undecided"] * 3


def test_more_worlds_than_can_be_followed_are_given_up_honestly() -> None:
    events: list[Event] = []
    for turn in range(12):
        events.append(flip(1_000_000 * turn, PLAYERS[turn % 4], "?"))
    worlds = Worlds(HEADER)
    for rulings in judged(worlds, events):
        assert all(ruling["ruling"] == "undecided" for ruling in rulings)
    assert worlds.is_open
    assert len(worlds._others) <= MOST_WORLDS


def test_a_hand_without_a_player_may_be_anybodys_it_may_be() -> None:
    undecided = {"ruling": "undecided", "why": "who", "candidates": ["Ana"]}
    for more, first in (({}, ["Ana", "Bilal", "Chloé", "David"]), ({"may_be": {"Bilal": 0.9}}, ["Ana", "Bilal"])):
        nameless = {"player": None, "t_us": 9, "fingers": 4, "lowest_mm": 20, **more}
        ways = ways_of({**grab(9, "Ana"), "hands": [*grab(9, "Ana")["hands"], nameless]}, undecided, PLAYERS, ())
        assert ways is not None
        assert list(dict.fromkeys(way["hands"][0]["player"] for way in ways if way is not None)) == first


def test_a_fall_may_be_anybodys_or_nobodys() -> None:
    nobody: dict[str, Any] = {"player": None, "t_us": 9, "fingers": [1, 5], "lowest_mm": [0, 90]}
    event = {"t_us": 9, "event": "grab", "hands": [nobody], "fell": {"t_us": 9, "player": None}, "doubt": ["toppler"]}
    undecided = {"ruling": "undecided", "why": "who", "candidates": ["Ana"]}
    assert ways_of(event, undecided, PLAYERS, ()) == (
        {"t_us": 9, "event": "fall", "player": "Ana"},
        {"t_us": 9, "event": "fall", "player": None},
    )


def test_a_kept_game_is_worked_out_the_same_again_and_so_is_one_that_the_rules_alone_ruled() -> None:
    events = [*LEFT_OPEN, flip(5_000_000, "Chloé", "moon/green")]
    ledger = Ledger(HEADER)
    for event in events:
        ledger.add(event)
    assert find_difference(list(ledger.given), HEADER, events) == []
    alone = [ruling for rulings in judged(Game(HEADER), events) for ruling in rulings]
    assert find_difference(alone, HEADER, events) == []
    assert find_difference([*alone[:-1], {**alone[-1], "player": "Ana"}], HEADER, events) != []


ASSERTED = frozenset(("duel", "won", "to-pot", "fault", "out", "cancelled", "colour-mode", "share-needed", "over"))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(seed=st.integers(0, 100_000), many=st.integers(3, 6), nth=st.integers(0, 3))
def test_whatever_was_true_no_ruling_given_with_assurance_is_wrong(seed: int, many: int, nth: int) -> None:
    """A scramble of a true game is left open; all that is asserted from there on holds in the true game."""
    record = games.play(seed, [f"P{i}" for i in range(many)], most_events=60, clumsy=0.2)
    events = list(record.events)
    scrambles = [i for i, e in enumerate(events) if e["event"] == "grab" and len(e["hands"]) > 1]
    assume(len(scrambles) > nth)
    place = scrambles[nth]
    true = judged(Game(record.header), events)
    grips = [hand for hand in events[place]["hands"] if hand.get("grip", True)]
    first_us = min((hand["t_us"] for hand in grips), default=0)
    entitled = [r for r in true[place] if r["ruling"] in ("won", "to-pot", "fault", "share-needed", "choice-needed")]
    together = [hand for hand in grips if hand["t_us"] <= first_us + 40_000]
    assume(len({hand["player"] for hand in together}) > 1 and entitled)
    wide = [{**hand, "fingers": [1, 5], "lowest_mm": [0, 90]} if hand in together else hand for hand in grips]
    seen = [*events[:place], {**events[place], "hands": wide}, *events[place + 1 :]]
    said = judged(Worlds(record.header), seen)
    for there, here in zip(said[place:], true[place:], strict=True):
        true_ones = [_bare(ruling) for ruling in here]
        for ruling in there:
            if ruling["ruling"] in ASSERTED:
                assert _bare(ruling) in true_ones


def _bare(ruling: Ruling) -> dict[str, Any]:
    return {key: value for key, value in ruling.items() if key not in ("margin", "clauses", "why")}


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(seed=st.integers(0, 100_000), many=st.integers(3, 6), nths=st.sets(st.integers(0, 25), min_size=1, max_size=2))
def test_whatever_an_unread_card_was_no_ruling_given_with_assurance_is_wrong(
    seed: int, many: int, nths: set[int]
) -> None:
    """Cards of a true game are not read; all that is asserted from there on holds in the true game."""
    record = games.play(seed, [f"P{i}" for i in range(many)], most_events=60, clumsy=0.2)
    events = list(record.events)
    flips = [place for place, event in enumerate(events) if event["event"] == "flip"]
    unread = {flips[nth] for nth in nths if nth < len(flips)}
    assume(unread)
    seen = [{**event, "card": "?"} if place in unread else event for place, event in enumerate(events)]
    true = judged(Game(record.header), events)
    for there, here in zip(judged(Worlds(record.header), seen), true, strict=True):
        true_ones = [_bare(ruling) for ruling in here]
        for ruling in there:
            if ruling["ruling"] in ASSERTED | {"warning"}:
                assert _bare(ruling) in true_ones, (there, here)
