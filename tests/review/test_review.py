"""A kept game looked at again: what may be said, what it changes, what is kept of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from referee import review
from referee.announce.sentences import margin_sentence
from referee.commands.saying import how_close
from referee.corrections import Saying
from referee.figures import Played, figures_of
from referee.journal.derived import closeness_us
from referee.journal.entries import Entry
from referee.journal.reading import JournalView, KeptGame
from referee.journal.store import Journal
from referee.ledger import Ledger, find_difference
from referee.review import ReviewError
from referee.web import review_view
from tests.review.kept import (
    DUEL_US,
    EVENTS,
    PLAYERS,
    begin,
    flip,
    grab,
    hand,
    header_of,
    place_of,
    play,
    read,
    whole_game,
)


class Kept:
    """A journal with one game."""

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.key = whole_game(journal)

    @property
    def game(self) -> KeptGame:
        """As it is kept now."""
        return read(self.journal.folder, self.key)

    def overturn(self, place: int, saying: Saying) -> review.Difference:
        """Overturn a ruling."""
        kept = self.game
        found = review.preview(kept, review.correction(kept, place, saying, "Hanna", "seen on frame 31"))
        self.journal.add(self.key, review.overturn(kept, found))
        return found


@pytest.fixture
def kept(tmp_path: Path) -> Iterator[Kept]:
    with Journal.open(tmp_path / "journal") as journal:
        yield Kept(journal)


def kinds(difference: review.Difference) -> tuple[list[str], list[str]]:
    """Kinds of the rulings that go and of those that come."""
    return tuple([one.ruling["ruling"] for one in part] for part in (difference.void, difference.new))  # type: ignore[return-value]


def test_overturning_who_was_first_changes_the_winner_and_the_counts_and_keeps_the_old_ruling(kept: Kept) -> None:
    place = place_of(kept.game, "won")
    assert kept.game.rulings[place].ruling["winner"] == "Ana"
    found = kept.overturn(place, Saying("first", ("Chloé",)))
    assert kinds(found)[0][:1] == ["won"]
    assert found.new[0].ruling["winner"] == "Chloé"
    assert found.before != found.after
    after = kept.game
    assert not after.rulings[place].stands
    assert after.rulings[place_of(after, "won")].ruling["winner"] == "Chloé"
    correct = after.events[-1]
    assert (correct["event"], correct["by"], correct["reason"]) == ("correct", "Hanna", "seen on frame 31")


@pytest.mark.parametrize(
    "saying",
    [
        Saying("first", ("Chloé",)),
        Saying("first", ("Bilal",)),
        Saying("order", ("Chloé", "Ana")),
        Saying("never"),
    ],
    ids=str,
)
def test_what_is_kept_is_what_working_the_game_out_again_gives(kept: Kept, saying: Saying) -> None:
    found = kept.overturn(place_of(kept.game, "won"), saying)
    after = kept.game
    record = after.record()
    assert find_difference(record.rulings, record.header, record.events) == []
    assert review.counts(after) == found.after


def test_a_preview_keeps_nothing(kept: Kept) -> None:
    game = kept.game
    review.preview(game, review.correction(game, place_of(game, "won"), Saying("never"), "Hanna", "why"))
    assert kept.game.lines == game.lines
    assert kept.game.rulings == game.rulings


def test_a_card_that_was_another_one_ends_the_duel(kept: Kept) -> None:
    game = kept.game
    duel = place_of(game, "duel")
    offered = review.choices_of(game, duel)
    assert offered is not None
    assert "moon/red" in offered.cards
    assert offered.players == PLAYERS
    found = kept.overturn(duel, Saying("card", ("moon/red",)))
    assert "duel" in kinds(found)[0]
    assert "fault" in kinds(found)[1]


def test_what_is_offered_is_what_the_event_allows(kept: Kept) -> None:
    offered = review.choices_of(kept.game, place_of(kept.game, "won"))
    assert offered is not None
    assert (offered.first, offered.order, offered.players, offered.cards) == (PLAYERS, ("Ana", "Chloé"), (), ())


@pytest.mark.parametrize(
    "saying",
    [
        Saying("first", ("Nobody",)),
        Saying("first", ("Ana", "Chloé")),
        Saying("order", ("Ana",)),
        Saying("order", ("Ana", "Ana")),
        Saying("card", ("knot/red",)),
        Saying("player", ("Ana",)),
    ],
    ids=str,
)
def test_what_is_not_offered_cannot_be_said(kept: Kept, saying: Saying) -> None:
    with pytest.raises(ReviewError, match="cannot be said of this event"):
        review.correction(kept.game, place_of(kept.game, "won"), saying, "Hanna", "why")


@pytest.mark.parametrize("reason", ["", "   ", "x" * 501, "a\x07b"])
def test_nothing_changes_without_a_reason_in_words(kept: Kept, reason: str) -> None:
    place = place_of(kept.game, "won")
    with pytest.raises(ReviewError, match="reason"):
        review.correction(kept.game, place, Saying("never"), "Hanna", reason)
    with pytest.raises(ReviewError, match="reason"):
        review.uphold(kept.game, place, "Hanna", reason)


def test_a_ruling_that_was_overturned_cannot_be_overturned_upheld_or_appealed_again(kept: Kept) -> None:
    place = place_of(kept.game, "won")
    kept.overturn(place, Saying("first", ("Chloé",)))
    for what in (
        lambda: review.correction(kept.game, place, Saying("never"), "Hanna", "why"),
        lambda: review.uphold(kept.game, place, "Hanna", "why"),
        lambda: review.appeal(kept.game, place, "Ana", "Hanna"),
    ):
        with pytest.raises(ReviewError, match="stands no more"):
            what()


def test_a_correction_can_be_corrected(kept: Kept) -> None:
    first = kept.game
    kept.overturn(place_of(first, "won"), Saying("first", ("Chloé",)))
    kept.overturn(place_of(kept.game, "won"), Saying("first", ("Ana",)))
    after = kept.game
    assert after.rulings[place_of(after, "won")].ruling["winner"] == "Ana"
    assert review.counts(after) == review.counts(first)


def test_upholding_keeps_who_and_why_and_changes_nothing_else(kept: Kept) -> None:
    game = kept.game
    place = place_of(game, "won")
    kept.journal.add(kept.key, review.uphold(game, place, "Hanna", "clear on frame 31"))
    after = kept.game
    assert list(after.upheld) == [{"place": place, "by": "Hanna", "reason": "clear on frame 31"}]
    assert after.lines == game.lines


def test_an_appeal_is_spent_when_the_ruling_stands_and_given_back_when_it_was_right(kept: Kept) -> None:
    game = kept.game
    won, fault = place_of(game, "won"), place_of(game, "fault")
    assert review.appeals_left(game) == dict.fromkeys(PLAYERS, 1)
    kept.journal.add(kept.key, review.appeal(game, won, "Chloé", "op"))
    assert review.appeals_left(kept.game)["Chloé"] == 0
    with pytest.raises(ReviewError, match="no appeal left"):
        review.appeal(kept.game, fault, "Chloé", "op")
    with pytest.raises(ReviewError, match="under appeal already"):
        review.appeal(kept.game, won, "Ana", "op")
    kept.overturn(won, Saying("first", ("Chloé",)))
    assert review.appeals_left(kept.game)["Chloé"] == 1


def test_nobody_appeals_at_a_table_that_does_not_allow_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.review.kept.PROFILE", 'game = "jungle-speed"\n')
    with Journal.open(tmp_path) as journal:
        game = read(tmp_path, whole_game(journal))
    assert review.appeals_allowed(game) == 0
    with pytest.raises(ReviewError, match="no appeal left"):
        review.appeal(game, place_of(game, "won"), "Ana", "op")


@pytest.mark.parametrize("profile", ["[review]\nappeals = -1", "[review]\nappeals = true", "review = 3", "]["])
def test_a_number_of_appeals_that_cannot_be_is_none(
    tmp_path: Path, profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.review.kept.PROFILE", profile)
    with Journal.open(tmp_path) as journal:
        assert review.appeals_allowed(read(tmp_path, whole_game(journal))) == 0


def test_a_bookmark_pins_the_evidence_for_as_long_as_a_mark_needs_it(kept: Kept) -> None:
    game = kept.game
    won, fault = place_of(game, "won"), place_of(game, "fault")
    word = {"id": "ab12", "kind": "clip", "name": "ab12.webm", "bytes": 1, "sha256": "", "places": [won, fault]}
    kept.journal.add(kept.key, [Entry("evidence", word)])

    def mark(place: int, on: bool) -> Any:
        kept.journal.add(kept.key, review.bookmark(kept.game, place, on, "op"))
        return review.bookmarks(kept.game), [row.pinned for row in kept.game.evidence]

    assert mark(won, True) == ({won}, [True])
    assert mark(fault, True) == ({won, fault}, [True])
    assert mark(won, False) == ({fault}, [True])
    assert mark(fault, False) == (set(), [False])


def test_marking_twice_keeps_nothing_new(kept: Kept) -> None:
    place = place_of(kept.game, "won")
    kept.journal.add(kept.key, review.bookmark(kept.game, place, True, "op"))
    assert review.bookmark(kept.game, place, True, "op") == []


def test_correcting_an_interrupted_game_does_not_go_on_with_it(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        keeper = begin(journal)
        play(keeper, Ledger(header_of()), EVENTS)
        keeper.close()
        game = read(tmp_path, keeper.key)
        assert game.row.state == "interrupted"
        place = place_of(game, "won")
        correct = review.correction(game, place, Saying("first", ("Chloé",)), "Hanna", "why")
        journal.add(keeper.key, review.overturn(game, review.preview(game, correct)))
        assert read(tmp_path, keeper.key).row.state == "interrupted"


def test_a_game_that_would_come_out_differently_anyway_says_so(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        keeper = begin(journal)
        play(keeper, Ledger(header_of()), EVENTS[:3])
        keeper.keep([EVENTS[3]])  # the power went before its rulings were kept
        keeper.close()
        game = read(tmp_path, keeper.key)
        found = review.preview(game, review.correction(game, 0, Saying("card", ("star/blue",)), "Hanna", "why"))
    assert found.owed


def test_where_nothing_stands_nothing_can_be_said(kept: Kept) -> None:
    game = kept.game
    with pytest.raises(ReviewError, match="there is no ruling 999"):
        review.choices_of(game, 999)


def test_a_fall_is_somebody_elses_and_an_order_of_three_is_kept_apart(tmp_path: Path) -> None:
    events = [
        *EVENTS[:3],
        grab(
            hand("Ana", DUEL_US),
            hand("Chloé", DUEL_US + 5_000, lowest_mm=[20, 60]),
            hand("Bilal", DUEL_US + 9_000, lowest_mm=[30, 90]),
        ),
        {"t_us": 20_000_000, "event": "fall", "player": "Ana"},
        flip(22_000_000, "Ana", "moon/green"),
    ]
    with Journal.open(tmp_path) as journal:
        game = read(tmp_path, whole_game(journal, events=events))
        order = ("Bilal", "Chloé", "Ana")
        place = next(one.place for one in game.rulings if one.ruling["t_us"] == DUEL_US)
        correct = review.correction(game, place, Saying("order", order), "Hanna", "why")
        times = {one["player"]: one["t_us"] for one in correct["with"]["hands"]}
        assert times["Bilal"] + 40_000 < times["Chloé"]
        assert times["Chloé"] + 40_000 < times["Ana"]
        fault = next(one.place for one in game.rulings if one.ruling["t_us"] == 20_000_000)
        found = review.preview(game, review.correction(game, fault, Saying("player", ("Bilal",)), "Hanna", "why"))
        new = found.new[0].ruling  # the scramble before it is open: what is known is said, and the rest waits for it
        assert (new["ruling"], new["candidates"], new["known"]["player"]) == ("undecided", ["Bilal"], "Bilal")


# --- what a person settled is no measurement ------------------------------------------------------------


def test_a_margin_that_a_person_set_is_shown_as_settled_and_counts_nowhere_as_close(kept: Kept) -> None:
    before = kept.game
    kept.overturn(place_of(before, "won"), Saying("first", ("Chloé",)))
    after = kept.game
    place = place_of(after, "won", DUEL_US)
    margin = after.rulings[place].ruling["margin"]
    assert margin["settled_by"] == "operator"
    assert closeness_us(after.rulings[place].ruling) is None
    assert margin_sentence(margin, "en") == "settled by the operator"
    assert "ms" not in margin_sentence(margin, "fr")
    assert "ms" not in how_close(margin, "en")
    with JournalView.open(kept.journal.folder) as view:
        assert place not in [row.place for row in view.rulings(closest_first=True)]
    played = Played(after.record(), [one.ruling for one in after.rulings if one.stands], None)
    figures = {player: one for (_, player), one in figures_of([played]).items()}
    assert figures["Chloé"].duels_won == 1
    assert figures["Chloé"].closest_us is None
    assert figures["Chloé"].reactions_us == []


def test_the_page_of_what_a_person_settled_shows_the_hands_that_were_felt_and_no_invented_time(kept: Kept) -> None:
    felt = review_view.hands(kept.game, place_of(kept.game, "won"))
    kept.overturn(place_of(kept.game, "won"), Saying("first", ("Chloé",)))
    after = kept.game
    place = place_of(after, "won", DUEL_US)
    shown = review_view.ruling(after, place, "en")
    assert shown["margin"] == "settled by the operator"
    assert shown["hands"] == felt
    assert after.decisions.keys() == {one.place for one in after.rulings}
    assert all(one["time"] == "" for one in shown["inputs"] if one["what"].startswith("Hand of"))


def test_a_settled_margin_is_carried_to_the_ruling_after_a_choice() -> None:
    ledger = Ledger(header_of(("Ana", "Bilal", "Chloé", "Driss")))
    events = [
        flip(1_000_000, "Ana", "knot/green"),
        flip(2_000_000, "Bilal", "star/red"),
        flip(3_000_000, "Chloé", "knot/red"),
        flip(3_500_000, "Driss", "knot/blue"),
        {**grab(hand("Ana", 4_000_000), hand("Chloé", 4_060_000)), "settled_by": "players"},
    ]
    given = [one.ruling for event in events for one in ledger.add(event)]
    asked = next(ruling for ruling in given if ruling["ruling"] == "share-needed")
    shares = dict.fromkeys(asked["losers"], 0) | {asked["losers"][0]: asked["cards"]}
    won = ledger.add({"t_us": 5_000_000, "event": "share", "player": "Ana", "shares": shares})
    assert won[0].ruling["margin"] == {"by": "time", "us": 60_000, "settled_by": "players"}


# --- every event a ruling rests on ----------------------------------------------------------------------


def test_the_cards_a_duel_rests_on_can_be_corrected_from_its_ruling(kept: Kept) -> None:
    game = kept.game
    place = place_of(game, "won")
    others = review.other_choices(game, place)
    assert [(one.event["event"], one.event["player"]) for one in others] == [("flip", "Ana"), ("flip", "Chloé")]
    chloe = others[1]
    found = kept.overturn(place, Saying("card", ("moon/red",), ref=chloe.ref))
    assert "duel" in kinds(found)[0]
    assert kept.game.events[-1]["ref"] == chloe.ref
    assert kept.game.events[-1]["with"]["card"] == "moon/red"


def test_an_event_a_ruling_does_not_rest_on_cannot_be_corrected_from_it(kept: Kept) -> None:
    with pytest.raises(ReviewError, match="does not rest on event 1"):
        review.correction(kept.game, place_of(kept.game, "won"), Saying("card", ("sun/red",), ref=1), "Hanna", "why")


def _shared(journal: Journal) -> str:
    """A game whose second last event shares the cards of three."""
    players = ("Ana", "Bilal", "Chloé", "Driss")
    events = [
        flip(1_000_000, "Ana", "knot/green"),
        flip(2_000_000, "Bilal", "star/red"),
        flip(3_000_000, "Chloé", "knot/red"),
        flip(3_500_000, "Driss", "knot/blue"),
        grab(hand("Ana", 4_000_000)),
        {"t_us": 5_000_000, "event": "share", "player": "Ana", "shares": {"Chloé": 1}},
    ]
    return whole_game(journal, players, events)


def test_how_cards_were_shared_can_be_corrected_and_the_scramble_before_it(tmp_path: Path) -> None:
    with Journal.open(tmp_path / "journal") as journal:
        key = _shared(journal)
        game = read(journal.folder, key)
        place = place_of(game, "won")
        offered = review.choices_of(game, place)
        assert offered is not None
        assert offered.shares == (("Chloé", 1), ("Driss", 0))
        assert [one.event["event"] for one in review.other_choices(game, place)] == ["flip", "flip", "flip", "grab"]
        with pytest.raises(ReviewError, match="expected 1 cards in all"):
            review.correction(game, place, Saying("share", ("Chloé", "Driss"), (1, 1)), "Hanna", "why")
        correct = review.correction(game, place, Saying("share", ("Chloé", "Driss"), (0, 1)), "Hanna", "why")
        found = review.preview(game, correct)
        assert found.new[0].ruling["picks_up"]["Driss"] == found.void[0].ruling["picks_up"]["Driss"] + 1


def test_what_a_taker_chose_can_be_corrected(tmp_path: Path) -> None:
    events = [
        flip(1_000_000, "Ana", "knot/green"),
        flip(2_000_000, "Bilal", "arrow/in"),
        flip(3_000_000, "Chloé", "knot/red"),
        grab(hand("Ana", 4_000_000)),
        {"t_us": 5_000_000, "event": "choose", "player": "Ana", "choice": "arrow"},
    ]
    with Journal.open(tmp_path / "journal") as journal:
        key = whole_game(journal, PLAYERS, events)
        game = read(journal.folder, key)
        place = place_of(game, "to-pot")
        correct = review.correction(game, place, Saying("choice", ("duel",)), "Hanna", "she said duel")
        found = review.preview(game, correct)
        assert "to-pot" in kinds(found)[0]
        assert "won" in kinds(found)[1]


# --- cards that may be another --------------------------------------------------------------------------


def test_the_page_and_the_command_name_the_same_other_cards(kept: Kept) -> None:
    game = kept.game
    duel = place_of(game, "duel")
    said = next(one for one in review_view.inputs(game, duel, "en") if one["what"] == "Card of Chloé")
    assert "nearest other: moon/red" in said["details"]
    assert not any("may be" in detail for detail in said["details"])
    assert review_view.cards_shown(game.events[2]) == ["knot/red", "moon/red"]
    unread = flip(8_500_000, "Chloé", "?", may_be=["knot/red", "moon/red"])
    assert review_view.cards_shown(unread) == ["knot/red", "moon/red"]
