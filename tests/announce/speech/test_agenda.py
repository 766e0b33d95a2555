"""What is said next: rulings in their order, nothing out of date."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from referee.announce.manners import Importance
from referee.announce.speech.agenda import LATE_US, MOST, Agenda, Utterance


def ruling(place: int, born_us: int = 0, text: str = "Ana wins.") -> Utterance:
    return Utterance((text,), Importance.RULING, born_us, place=place, kind="won")


def notice(place: int, expires_us: int, kind: str = "arrow", replaces: bool = False) -> Utterance:
    return Utterance(("Look.",), Importance.NOTICE, 0, expires_us, place, kind, replaces)


def reminder(text: str = "Ana, it is your turn.") -> Utterance:
    return Utterance((text,), Importance.REMINDER, 0, kind="reminder")


def drained(agenda: Agenda, now_us: int = 0) -> list[int | None]:
    found = []
    while (utterance := agenda.next(now_us)) is not None:
        found.append(utterance.place)
    return found


def test_rulings_are_said_in_the_order_in_which_they_came() -> None:
    agenda = Agenda()
    for place in (3, 4, 7):
        agenda.add(ruling(place))
    assert drained(agenda) == [3, 4, 7]


def test_a_ruling_never_expires_and_a_notice_does() -> None:
    agenda = Agenda()
    agenda.add(ruling(0))
    agenda.add(notice(1, expires_us=100))
    agenda.add(notice(2, expires_us=300))
    assert drained(agenda, now_us=200) == [0, 2]


def test_a_ruling_drops_the_notices_before_it_and_the_reminder() -> None:
    agenda = Agenda()
    agenda.remind(0, reminder())
    agenda.add(notice(0, expires_us=1_000))
    agenda.add(ruling(1))
    agenda.add(notice(2, expires_us=1_000))
    assert drained(agenda) == [1, 2]


def test_a_newer_notice_of_a_kind_takes_the_place_of_the_one_that_waits() -> None:
    agenda = Agenda()
    agenda.add(notice(0, 1_000, "value", replaces=True))
    agenda.add(notice(1, 1_000, "arrow"))
    agenda.add(notice(2, 1_000, "value", replaces=True))
    assert drained(agenda) == [1, 2]


def test_a_reminder_is_said_when_it_is_due_and_once() -> None:
    agenda = Agenda()
    agenda.remind(500, reminder("first"))
    agenda.remind(600, reminder("second"))
    assert agenda.wait_us(100) == 500
    assert agenda.next(599) is None
    due = agenda.next(600)
    assert due is not None
    assert due.phrases == ("second",)
    assert agenda.next(10_000) is None
    assert agenda.wait_us(10_000) is None


def test_a_reminder_can_be_taken_back() -> None:
    agenda = Agenda()
    agenda.remind(500, reminder())
    agenda.remind(500, None)
    assert agenda.next(1_000) is None


def test_what_is_withdrawn_before_it_is_said_is_not_said() -> None:
    agenda = Agenda()
    for place in range(4):
        agenda.add(ruling(place))
    assert agenda.withdraw({1, 2, 9}) == {1, 2}
    assert drained(agenda) == [0, 3]


def test_a_late_ruling_is_cut_to_its_first_phrase_that_tells_something() -> None:
    fault = Utterance(("Fault.", "Ana takes the totem.", "Ana picks up 2 cards."), Importance.RULING, 0, place=0)
    won = Utterance(("Ana wins against Bo.", "Bo picks up 2 cards."), Importance.RULING, 0, place=0)
    assert fault.due_phrases(LATE_US) == fault.phrases
    assert fault.due_phrases(LATE_US + 1) == ("Fault.", "Ana takes the totem.")
    assert won.due_phrases(LATE_US + 1) == ("Ana wins against Bo.",)


def test_of_rulings_that_restate_what_was_overturned_the_last_three_are_said() -> None:
    agenda = Agenda()
    agenda.add(ruling(0))
    for place in range(1, 9):
        agenda.add(Utterance(("Ana wins.",), Importance.RULING, 0, place=place, restated=True))
    agenda.add(ruling(9))
    assert drained(agenda) == [0, 6, 7, 8, 9]


def test_a_flood_of_rulings_is_bounded_and_counted() -> None:
    agenda = Agenda()
    for place in range(MOST + 3):
        agenda.add(ruling(place))
    assert agenda.lost == 3
    assert drained(agenda) == list(range(3, MOST + 3))


def test_a_flood_gives_up_notices_before_rulings() -> None:
    agenda = Agenda()
    for place in range(MOST - 1):
        agenda.add(ruling(place))
    for place in range(MOST, MOST + 5):
        agenda.add(notice(place, 1_000))
    assert agenda.lost == 0
    assert drained(agenda) == [*range(MOST - 1), MOST + 4]


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("ruling"), st.integers(0, 40)),
        st.tuples(st.just("notice"), st.integers(0, 40)),
        st.tuples(st.just("withdraw"), st.integers(0, 40)),
        st.tuples(st.just("remind"), st.integers(0, 40)),
        st.tuples(st.just("next"), st.integers(0, 5)),
    ),
    max_size=60,
)


@given(ACTIONS)
def test_every_ruling_is_said_once_in_order_unless_it_was_withdrawn(actions: list[tuple[str, int]]) -> None:
    agenda, now_us, place = Agenda(), 0, 0
    given_places: list[int] = []
    withdrawn: set[int] = set()
    said: list[Utterance] = []

    def take() -> None:
        utterance = agenda.next(now_us)
        if utterance is not None:
            assert utterance.expires_us is None or now_us <= utterance.expires_us
            said.append(utterance)

    for what, number in actions:
        now_us += 1
        if what == "ruling":
            agenda.add(ruling(place))
            given_places.append(place)
            place += 1
        elif what == "notice":
            agenda.add(notice(place, now_us + number))
            place += 1
        elif what == "withdraw":
            withdrawn |= agenda.withdraw({number})
        elif what == "remind":
            agenda.remind(now_us + number, reminder())
        else:
            now_us += number
            take()
    now_us += 1_000
    while len(agenda):
        take()
    rulings = [utterance.place for utterance in said if utterance.importance is Importance.RULING]
    assert rulings == [one for one in given_places if one not in withdrawn]
    assert not withdrawn & {utterance.place for utterance in said}
