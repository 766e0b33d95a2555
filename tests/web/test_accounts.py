"""Accounts, sessions and the limit on attempts."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import InputError
from referee.web.accounts import FILE_NAME, Account, Accounts, Role, new_password
from referee.web.attempts import ACCOUNT_TRIES, ADDRESS_TRIES, WINDOW_S, Attempts, Limit
from referee.web.sessions import IDLE_S, LONGEST_S, MOST_OF_ONE, MOST_SESSIONS, Sessions, is_cookie, new_cookie

PASSWORD = "correct horse battery"


@pytest.fixture
def accounts(tmp_path: Path) -> Accounts:
    made = Accounts(tmp_path)
    made.add("Hanna", Role.HEAD, PASSWORD)
    return made


def test_looking_for_accounts_makes_no_file(tmp_path: Path) -> None:
    accounts = Accounts(tmp_path)
    assert not accounts.exist()
    assert accounts.all() == []
    assert accounts.check("Hanna", PASSWORD) is None
    assert list(tmp_path.iterdir()) == []


def test_the_right_password_names_the_account_and_a_wrong_one_nobody(accounts: Accounts) -> None:
    found = accounts.check("Hanna", PASSWORD)
    assert found is not None
    assert (found.name, found.role) == ("Hanna", Role.HEAD)
    for name, password in (
        ("Hanna", PASSWORD + " "),
        ("Hanna", ""),
        ("hannah", PASSWORD),
        ("", ""),
        ("Hanna", "x" * 9999),
    ):
        assert accounts.check(name, password) is None


def test_a_name_is_the_same_however_it_is_typed(accounts: Accounts) -> None:
    assert accounts.check(" HANNA ", PASSWORD) is not None
    with pytest.raises(InputError, match="there is an account of this name"):
        accounts.add("ｈanna", Role.VIEWER, PASSWORD)


def test_the_file_holds_no_password_and_is_the_owners_alone(accounts: Accounts, tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    content = path.read_bytes()
    assert PASSWORD.encode() not in content
    assert b"$argon2id$" in content
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_two_equal_passwords_are_kept_differently(accounts: Accounts, tmp_path: Path) -> None:
    accounts.add("Otto", Role.OPERATOR, PASSWORD)
    assert (tmp_path / FILE_NAME).read_bytes().count(b"$argon2id$") == 2
    assert accounts.check("Otto", PASSWORD) != accounts.check("Hanna", PASSWORD)


def test_the_first_account_is_a_head_referees(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has to be a head referee's"):
        Accounts(tmp_path).add("Otto", Role.OPERATOR, PASSWORD)


def test_the_last_head_referee_stays(accounts: Accounts) -> None:
    accounts.add("Otto", Role.OPERATOR, PASSWORD)
    with pytest.raises(InputError, match="is the last head referee"):
        accounts.remove("Hanna")
    accounts.add("Ida", Role.HEAD, PASSWORD)
    accounts.remove("Hanna")
    assert [one.name for one in accounts.all()] == ["Ida", "Otto"]


def test_of_two_head_referees_removed_at_once_one_stays(accounts: Accounts) -> None:
    accounts.add("Ida", Role.HEAD, PASSWORD)

    def remove(name: str) -> None:
        try:
            accounts.remove(name)
        except InputError:
            refused.append(name)

    refused: list[str] = []
    threads = [threading.Thread(target=remove, args=(name,)) for name in ("Hanna", "Ida")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(accounts.all()) == len(refused) == 1


def test_a_new_password_ends_what_was_open_with_the_old_one(accounts: Accounts) -> None:
    before = accounts.check("Hanna", PASSWORD)
    assert before is not None
    assert accounts.current(before.name, before.stamp) == before
    accounts.set_password("Hanna", "another long password")
    assert accounts.current(before.name, before.stamp) is None
    assert accounts.check("Hanna", PASSWORD) is None
    assert accounts.check("Hanna", "another long password") is not None


@pytest.mark.parametrize("password", ["short", "Hanna", "hannahannahanna", "x" * 257, ""])
def test_a_password_that_is_easily_guessed_is_refused(accounts: Accounts, password: str) -> None:
    with pytest.raises(InputError, match="password: expected"):
        accounts.set_password("Hanna", password)


@pytest.mark.parametrize("name", ["", "  ", "x" * 65, "a\nb", "a\x00b"])
def test_a_name_that_cannot_be_shown_is_refused(accounts: Accounts, name: str) -> None:
    with pytest.raises(InputError, match="name: expected"):
        accounts.add(name, Role.VIEWER, PASSWORD)


@pytest.mark.parametrize("content", [b"rubbish" * 200, b"SQLite format 3\x00" + b"\xff" * 4096])
def test_a_damaged_file_is_an_error_and_never_no_accounts(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)
    for ask in (Accounts(tmp_path).exist, Accounts(tmp_path).all, lambda: Accounts(tmp_path).check("a", "b")):
        with pytest.raises(InputError, match="cannot be read"):
            ask()


def test_an_empty_file_is_an_error_and_never_no_accounts(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).touch()
    with pytest.raises(InputError, match="cannot be read"):
        Accounts(tmp_path).exist()


def test_passwords_that_are_made_are_long_and_differ() -> None:
    made = {new_password() for _ in range(100)}
    assert len(made) == 100
    assert all(len(password) == 23 for password in made)


# ---- sessions

ANA = Account("Ana", Role.VIEWER, "1")


def test_a_cookie_names_who_logged_in_until_logging_out() -> None:
    sessions = Sessions()
    cookie = sessions.open(ANA)
    assert sessions.account(cookie) == ANA
    assert sessions.account(new_cookie()) is None
    sessions.close(cookie)
    assert sessions.account(cookie) is None


@pytest.mark.parametrize(("step_s", "steps"), [(IDLE_S + 1, 1), (IDLE_S - 1, int(LONGEST_S // (IDLE_S - 1)) + 1)])
def test_a_session_ends_when_it_is_left_alone_and_some_day_anyway(step_s: float, steps: int) -> None:
    now_s = 0.0
    sessions = Sessions(lambda: now_s)
    cookie = sessions.open(ANA)
    for step in range(steps):
        assert step == 0 or sessions.account(cookie) == ANA
        now_s += step_s
    assert sessions.account(cookie) is None


def test_sessions_are_bounded_in_all_and_for_each() -> None:
    sessions = Sessions()
    first = [sessions.open(ANA) for _ in range(MOST_OF_ONE + 1)]
    assert [sessions.account(cookie) is not None for cookie in first] == [False] + [True] * MOST_OF_ONE
    for number in range(MOST_SESSIONS):
        sessions.open(Account(f"{number}", Role.VIEWER, ""))
    assert not any(sessions.account(cookie) for cookie in first)


def test_a_token_is_bound_to_its_cookie_and_to_this_process() -> None:
    sessions, cookie = Sessions(), new_cookie()
    assert sessions.is_token(sessions.token(cookie), cookie)
    assert not sessions.is_token(sessions.token(cookie), new_cookie())
    assert not sessions.is_token(Sessions().token(cookie), cookie)
    assert not sessions.is_token("", cookie)
    assert not sessions.is_token(sessions.token(""), "")


@given(st.text(max_size=60))
def test_only_what_we_make_can_be_a_cookie(value: str) -> None:
    assert is_cookie(new_cookie())
    if is_cookie(value):
        assert len(value) == 43
        assert value.isascii()


# ---- attempts


class Clock:
    """A time that is set."""

    def __init__(self) -> None:
        self.s = 0.0

    def __call__(self) -> float:
        return self.s


def test_an_account_is_tried_so_often_and_then_after_the_window_again() -> None:
    clock = Clock()
    attempts = Attempts(clock)
    for number in range(ACCOUNT_TRIES):
        assert attempts.begin("ana", f"10.0.0.{number}") == 0
    assert attempts.begin("ana", "10.0.1.1") == WINDOW_S
    assert attempts.begin("bilal", "10.0.1.1") == 0
    clock.s = WINDOW_S + 1
    assert attempts.begin("ana", "10.0.1.1") == 0


def test_an_address_is_held_back_whatever_names_it_tries() -> None:
    attempts = Attempts(Clock())
    for number in range(ADDRESS_TRIES):
        assert attempts.begin(f"name {number}", "10.0.0.1") == 0
    assert attempts.begin("another", "10.0.0.1") > 0
    assert attempts.begin("another", "10.0.0.2") == 0


def test_the_addresses_of_one_ipv6_network_are_one() -> None:
    attempts = Attempts(Clock())
    for number in range(ADDRESS_TRIES):
        attempts.begin(f"name {number}", f"2001:db8::{number:x}")
    assert attempts.begin("another", "2001:db8::ffff") > 0
    assert attempts.begin("another", "2001:db8:0:1::1") == 0


def test_a_right_password_is_no_failure_and_forgets_the_accounts_others() -> None:
    attempts = Attempts(Clock())
    for _ in range(5 * ADDRESS_TRIES):
        assert attempts.begin("ana", "10.0.0.1") == 0
        attempts.right("ana", "10.0.0.1")


def test_tries_at_the_same_time_count_before_they_are_answered() -> None:
    attempts = Attempts(Clock())
    waits = [attempts.begin("ana", "10.0.0.1") for _ in range(100)]
    assert waits.count(0) == ACCOUNT_TRIES


def test_what_is_remembered_is_bounded_and_a_flood_washes_nothing_away() -> None:
    limit = Limit(tries=1, most_keys=10)
    limit.failed("ana", 0.0)
    for number in range(1000):
        if limit.wait_s(f"flood {number}", 1.0) == 0:
            limit.failed(f"flood {number}", 1.0)
    assert limit.wait_s("ana", 1.0) > 0
    assert limit.wait_s("somebody new", 1.0) > 0
    assert limit.wait_s("somebody new", WINDOW_S + 2) == 0
