"""A player's own page and the operator's seats, in a real browser of a phone's size."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from referee.private.vault import Vault
from referee.qr import qr_rows
from referee.web.board import Board, Offer, ShownNotice, ShownRuling, TableSnapshot
from referee.web.desk import Desk, Say
from referee.web.seats import SeatDoors, Seats
from referee.web.server import WebServer, serve
from tests.web.tables import given
from tests.web.test_browser import PATIENCE_MS, PHONE, WIDE
from tests.web.test_seats import BLUFF, NAMES, opened

HELD = given(63_000_000, "holds", player="Ana", card="9")
PLAYED = replace(BLUFF, t_us=72_000_000, rulings=(ShownRuling(0, HELD),))
SPEED = TableSnapshot("speed", BLUFF.seats[:2], "playing", offers=(Offer("Ana", "blocked"), Offer("Bilal", "blocked")))
VALUES = tuple(str(value) for value in range(2, 13))
DOBRO = TableSnapshot(
    "dobro",
    BLUFF.seats,
    "playing",
    turn="Bilal",
    offers=(
        Offer("Bilal", "pass"),
        Offer("Bilal", "joker", VALUES),
        Offer("Bilal", "forgot", ("Ana", "Chloé")),
        Offer("Ana", "forgot", ("Bilal", "Chloé")),
    ),
)


@dataclass
class House:
    """A table's pages, the operator at this machine, and phones."""

    browser: Browser
    board: Board
    desk: Desk
    seats: Seats
    vault: Vault
    server: WebServer
    complaints: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    def open(self, path: str, size: tuple[int, int] = PHONE, **how: str) -> Page:
        """A page in a browser of its own."""
        context = self.browser.new_context(viewport={"width": size[0], "height": size[1]}, **how)  # type: ignore[arg-type]
        context.set_default_timeout(PATIENCE_MS)
        self.contexts.append(context)
        page = context.new_page()
        page.on("console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.goto(f"{self.server.address}{path}")
        return page

    def phone(self, player: str, language: str = "en") -> Page:
        """A phone that has taken a seat."""
        page = self.open(f"seat?lang={language}#{self.seats.hand_out(player)}")
        expect(page.locator("#player")).to_have_text(player)
        expect(page.locator("#game")).not_to_be_empty()
        return page


@pytest.fixture
def house(browser: Browser) -> Iterator[House]:
    expect.set_options(timeout=PATIENCE_MS)
    board, desk, seats, vault = Board(PLAYED), Desk(), Seats(NAMES), opened()
    server = serve(board, desk, port=0, seats=SeatDoors(seats, qr_rows, private=vault))
    made = House(browser, board, desk, seats, vault, server)
    yield made
    for context in made.contexts:
        context.close()
    server.stop()


def shot(page: Page, name: str) -> None:
    """A picture for whoever wants to look (`REFEREE_SHOTS` names a folder)."""
    if folder := os.environ.get("REFEREE_SHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def said(house: House, page: Page) -> Say:
    """The next thing that was said."""
    for _ in range(600):
        command = house.desk.take()
        if command is not None:
            assert isinstance(command, Say)
            return command
        page.wait_for_timeout(20)
    raise AssertionError("nothing reached the desk")


def test_the_code_that_the_operator_shows_gives_the_seat_it_is_for(house: House) -> None:
    operator = house.open("operator?lang=en", WIDE)
    row = operator.locator(".seat-row", has_text="Bilal")
    row.get_by_role("button", name="Show a code").click()
    expect(operator.locator("#code .address")).to_contain_text("/seat#")
    shot(operator, "operator-code")
    picture = np.frombuffer(operator.locator("#code svg").screenshot(), np.uint8)
    address = cv2.QRCodeDetector().detectAndDecode(cv2.imdecode(picture, cv2.IMREAD_COLOR))[0]
    assert address == operator.locator("#code .address").inner_text()
    phone = house.open(address.removeprefix(house.server.address))
    expect(phone.locator("#player")).to_have_text("Bilal")
    assert "#" not in phone.url
    expect(row.locator(".state")).to_have_text("on a phone")
    row.get_by_role("button", name="Take back").click()
    expect(row.locator(".state")).to_have_text("free")
    phone.reload()
    expect(phone.locator("#how")).to_be_visible()
    again = house.open(address.removeprefix(house.server.address))
    expect(again.locator("#trouble")).to_contain_text("does not work any more")


@pytest.mark.parametrize(("language", "headline"), [("en", "Bilal’s turn"), ("fr", "Au tour de Bilal")])
@pytest.mark.parametrize("game", ["jungle-bluff", "speed", "dobro"])
def test_the_page_fits_a_phone_and_the_browser_has_nothing_to_complain_of(
    house: House, game: str, language: str, headline: str
) -> None:
    notice = ShownNotice(70_000_000, "force-moved", {"player": "Bilal"})
    table = {"jungle-bluff": replace(PLAYED, notices=(notice,)), "speed": SPEED, "dobro": DOBRO}[game]
    house.board.update(table)
    page = house.phone("Bilal", language)
    if table.turn is not None:
        expect(page.locator("#headline")).to_have_text(headline)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    assert page.evaluate("document.documentElement.lang") == language
    expect(page.locator("#offers button").first).to_be_visible()
    shot(page, f"seat-{game}-{language}")
    assert house.complaints == []


def test_a_force_is_chosen_behind_a_tap_changed_and_laid(house: House) -> None:
    page = house.phone("Bilal")
    expect(page.locator("#force .said")).to_have_text("Choose it, then lay it face down.")
    expect(page.locator("#force .grid")).to_have_count(0)
    page.get_by_role("button", name="Show my cards").click()
    expect(page.locator("#force .grid button")).to_have_count(10)
    shot(page, "seat-force-en")
    page.locator("#force .grid").get_by_role("button", name="8", exact=True).click()
    expect(page.locator("#force .said")).to_contain_text("Until then you may change it.")
    expect(page.locator("#force .grid")).to_have_count(0)
    shot(page, "seat-chosen-en")
    page.get_by_role("button", name="Show my cards").click()
    page.locator("#force .grid").get_by_role("button", name="4", exact=True).click()
    expect(page.locator("#force .grid")).to_have_count(0)
    house.vault.happened({"t_us": 1, "event": "commit", "player": "Bilal"})
    house.board.update(replace(PLAYED, t_us=73_000_000))
    expect(page.locator("#force .said")).to_have_text("It lies. Nothing to do.")
    assert house.vault._forces == {(1, "Bilal"): "4"}
    assert "4" not in page.locator("#force").inner_text()
    assert house.desk.take() is None


def test_a_challenge_takes_two_taps_and_a_take_one(house: House) -> None:
    page = house.phone("Bilal")
    button = page.get_by_role("button", name="Challenge Ana")
    button.click()
    page.wait_for_timeout(200)
    assert house.desk.take() is None
    page.get_by_role("button", name="Challenge Ana – Sure?").click()
    assert said(house, page) == Say("Bilal", "challenge", "Ana")
    page.get_by_role("button", name="Take the 7").click()
    assert said(house, page) == Say("Bilal", "take", "7")


def test_being_stuck_a_pass_a_joker_and_a_forgotten_draw_are_said_with_one_tap(house: House) -> None:
    house.board.update(SPEED)
    page = house.phone("Bilal")
    page.get_by_role("button", name="I am stuck").click()
    assert said(house, page) == Say("Bilal", "blocked")
    house.board.update(DOBRO)
    page.get_by_role("button", name="I pass").click()
    assert said(house, page) == Say("Bilal", "pass")
    page.locator("#offers select").select_option("7")
    page.get_by_role("button", name="Say it").click()
    assert said(house, page) == Say("Bilal", "joker", "7")
    page.get_by_role("button", name="Chloé forgot").click()
    assert said(house, page) == Say("Bilal", "forgot", "Chloé")


def test_a_seat_that_is_taken_back_loses_its_stream_and_one_can_leave(house: House) -> None:
    page = house.phone("Bilal")
    house.seats.take_back("Bilal")
    expect(page.locator("#trouble")).to_be_visible()
    other = house.phone("Ana")
    other.get_by_role("button", name="Leave this seat").click()
    expect(other.locator("#how")).to_be_visible()
    assert house.seats.states()["Ana"] == "free"


def test_the_operator_says_what_any_player_may_say(house: House) -> None:
    page = house.open("operator?lang=fr", WIDE)
    page.get_by_role("button", name="Défier Ana").click()
    page.get_by_role("button", name="Défier Ana – Vraiment ?").click()
    assert said(house, page) == Say("Bilal", "challenge", "Ana")
    shot(page, "operator-fr")


def test_the_scoreboard_shows_who_holds_which_card_and_what_is_waited_for(house: House) -> None:
    page = house.open("?lang=en", WIDE)
    expect(page.locator("#players tr").first).to_contain_text("9")
    expect(page.locator("#headline")).to_have_text("Bilal’s turn")
    shot(page, "scoreboard-bluff-en")
    waiting = replace(PLAYED, turn=None, waiting_for="commit", waiting_on=("Ana", "Chloé"))
    house.board.update(waiting)
    expect(page.locator("#headline")).to_have_text("Forces: Ana and Chloé")
    shot(page, "scoreboard-bluff-commit-en")
    assert house.complaints == []
