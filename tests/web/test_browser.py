"""The scoreboard and the operator's page in a real browser."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Route, expect

from referee.web import streams
from referee.web.board import Board, Correctable, Seat, ShownRuling
from referee.web.desk import (
    Choose,
    Command,
    Correct,
    Desk,
    End,
    Pause,
    Recount,
    Resume,
    Settle,
    Share,
    Start,
)
from referee.web.server import WebServer, serve
from tests.web.tables import ALL, CARD, CHOICE, HELD_BACK, OVER, PAUSED, SHARE, TABLE, TEN, WAITING, WHO

WIDE, PHONE = (1280, 720), (360, 740)
PATIENCE_MS = 30_000


@dataclass
class Open:
    """A page open on a board."""

    board: Board
    desk: Desk
    server: WebServer
    page: Page
    complaints: list[str] = field(default_factory=list)

    def go(self, path: str = "", language: str = "en") -> None:
        """Open a page and wait until it shows the table."""
        self.page.goto(f"{self.server.address}{path}?lang={language}")
        expect(self.page.locator("#game")).not_to_be_empty()

    def command(self) -> Command:
        """The next command that reaches the desk."""
        end_s = time.monotonic() + PATIENCE_MS / 1000
        while time.monotonic() < end_s:
            command = self.desk.take()
            if command is not None:
                return command
            self.page.wait_for_timeout(20)
        raise AssertionError("no command reached the desk")

    def tap(self, name: str) -> None:
        """Tap the button of this name."""
        self.page.get_by_role("button", name=name, exact=True).click()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Open]:
    expect.set_options(timeout=PATIENCE_MS)
    board, desk = Board(TABLE), Desk()
    server = serve(board, desk, port=0)
    context = browser.new_context(viewport={"width": WIDE[0], "height": WIDE[1]})
    context.set_default_timeout(PATIENCE_MS)
    made = Open(board, desk, server, context.new_page())

    def complain(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            made.complaints.append(message.text)

    made.page.on("console", complain)
    made.page.on("pageerror", lambda error: made.complaints.append(str(error)))
    yield made
    context.close()
    server.stop()


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("path", ["", "operator"], ids=["scoreboard", "operator"])
def test_every_table_fits_across_the_screen_and_the_browser_has_nothing_to_complain_of(
    opened: Open, path: str, language: str, size: tuple[int, int]
) -> None:
    opened.page.set_viewport_size({"width": size[0], "height": size[1]})
    opened.go(path, language)
    long = Seat("W" * 64, {"reserve": 1000, "face_up": 1000})
    for minute, snapshot in enumerate(ALL.values(), 1):
        opened.board.update(replace(snapshot, seats=(long, *snapshot.seats), t_us=minute * 60_000_000))
        expect(opened.page.locator("#clock")).to_have_text(f"{minute}:00")
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= size[0]
    assert opened.page.evaluate("document.documentElement.lang") == language
    assert opened.complaints == []


def test_the_scoreboard_shows_the_table(opened: Open) -> None:
    opened.go()
    page = opened.page
    expect(page.locator("#headline")).to_have_text("Ana’s turn")
    expect(page.locator("#mode")).to_have_text("Colours count")
    expect(page.locator("#facts")).to_have_text("Pot: 6")
    expect(page.locator("#health")).to_contain_text("Totem no signal (8 s)")
    expect(page.locator("#players tr")).to_have_text(["Ana143", "Bilal95", "Chloé out00", "David212"])
    expect(page.locator("#players tr.turn")).to_have_text("Ana143")
    expect(page.locator("#latest .said")).to_contain_text("Chloé wins against Ana and Bilal.")
    expect(page.locator("#latest .margin")).to_have_text("first by 27 ms")
    expect(page.locator("#rulings .overturned .mark")).to_have_text("overturned")
    expect(page).to_have_title("Ana’s turn – Jungle Speed")


def test_the_scoreboard_in_french_is_one_tap_away(opened: Open) -> None:
    opened.go()
    opened.page.get_by_role("link", name="Français").click()
    expect(opened.page.locator("#headline")).to_have_text("Au tour d'Ana")
    expect(opened.page.locator("thead th")).to_have_text(["pioche", "visibles"])


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_whose_turn_it_is_how_many_cards_and_the_mode_are_seen_without_scrolling(
    opened: Open, size: tuple[int, int]
) -> None:
    opened.page.set_viewport_size({"width": size[0], "height": size[1]})
    opened.board.update(TABLE if size == PHONE else TEN)
    opened.go()
    for place in ("#headline", "#mode", "#health", "#latest .said", "#players tr:last-child"):
        box = opened.page.locator(place).bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= size[1], place


def test_what_is_read_from_three_metres_is_large_on_a_wide_screen(opened: Open) -> None:
    opened.go()

    def letters_px(place: str) -> float:
        size = opened.page.locator(place).first.evaluate("element => parseFloat(getComputedStyle(element).fontSize)")
        return float(size)

    # At 3 m, letters of 10 mm are read with ease; on a 24-inch screen 1280 pixels across, a pixel is 0.41 mm and
    # a capital letter 0.7 of the font's size.
    for place in ("#headline", "#players th", "#players td", "#latest .said"):
        assert letters_px(place) * 0.7 * 0.41 >= 9, place


def test_changes_arrive_by_themselves(opened: Open) -> None:
    opened.go()
    opened.board.update(replace(TABLE, turn="Bilal", colour_mode=False, facts={"pot": 7}))
    expect(opened.page.locator("#headline")).to_have_text("Bilal’s turn")
    expect(opened.page.locator("#mode")).to_have_text("Shapes count")
    expect(opened.page.locator("#facts")).to_have_text("Pot: 7")


def test_a_duel_that_is_held_back_is_not_on_the_scoreboard_before_the_totem_is_taken(opened: Open) -> None:
    opened.board.update(replace(TABLE, rulings=(ShownRuling(0, HELD_BACK),)))
    opened.go()
    assert "duel" not in opened.page.content().lower()
    opened.board.update(replace(TABLE, rulings=(ShownRuling(0, {**HELD_BACK, "public": True}),)))
    expect(opened.page.locator("#latest")).to_contain_text("Duel by shape: Ana and Bilal.")


@pytest.mark.parametrize("path", ["", "operator"])
def test_names_are_text_and_never_markup(opened: Open, path: str) -> None:
    nasty = "<img src=x onerror=document.title=1><script>document.title=2</script>"
    ruling = {"t_us": 0, "ruling": "out", "clauses": [], "public": True, "player": nasty, "rank": 1}
    opened.board.update(
        replace(
            TABLE,
            seats=(Seat(nasty, {"reserve": 1, nasty: 2}),),
            turn=nasty,
            facts={nasty: nasty},
            rulings=(ShownRuling(0, ruling),),
            correctable=Correctable(1, {"t_us": 0, "event": nasty}, "who", (nasty,)),
            ranking=((nasty,),),
        )
    )
    opened.go(path)
    expect(opened.page.locator("#rulings" if path else "#latest")).to_contain_text(nasty)
    assert opened.page.locator("img").count() == 0
    assert opened.page.locator("script").count() == 1
    assert opened.page.title() not in ("1", "2")
    assert opened.complaints == []


def test_the_end_shows_the_places(opened: Open) -> None:
    opened.board.update(OVER)
    opened.go()
    expect(opened.page.locator("#headline")).to_have_text("The game is over")
    expect(opened.page.locator("#ranking li")).to_have_text(["1. Chloé", "2. Ana, Bilal", "4. David"])


def test_one_tap_says_who_it_was(opened: Open) -> None:
    opened.go("operator")
    expect(opened.page.locator("#question")).to_contain_text("Nothing to decide.")
    opened.board.update(WHO)
    opened.page.locator("#question").get_by_role("button", name="It was David", exact=True).click()
    assert opened.command() == Settle(5, "David")
    expect(opened.page.locator("#answer")).to_have_text("Done.")


def test_that_it_was_nobody_is_asked_twice(opened: Open) -> None:
    opened.board.update(WHO)
    opened.go("operator")
    opened.tap("Nobody: it does not count")
    assert opened.desk.take() is None
    opened.page.get_by_role("button", name="Nobody: it does not count – Sure?").click()
    assert opened.command() == Settle(5, None)


def test_a_card_that_could_not_be_read_is_chosen_from_a_list(opened: Open) -> None:
    opened.board.update(CARD)
    opened.go("operator", "fr")
    opened.page.get_by_label("Quelle carte ?").select_option("octagon/red")
    opened.page.locator("#question").get_by_role("button", name="Valider").click()
    assert opened.command() == Settle(6, "octagon/red")


def test_the_player_who_may_choose_chooses(opened: Open) -> None:
    opened.board.update(CHOICE)
    opened.go("operator")
    opened.tap("The arrow")
    assert opened.command() == Choose(7, "arrow")


def test_cards_are_shared_out_to_the_last_one(opened: Open) -> None:
    opened.board.update(SHARE)
    opened.go("operator")
    question = opened.page.locator("#question")
    ready = question.get_by_role("button", name="Share out")
    expect(ready).to_be_disabled()
    question.get_by_label("Ana").fill("5")
    expect(question).to_contain_text("4 left to share")
    # What is typed stays when the table changes meanwhile.
    opened.board.update(replace(SHARE, t_us=SHARE.t_us + 2_000_000))
    expect(opened.page.locator("#clock")).to_have_text("1:14")
    question.get_by_label("Bilal").fill("4")
    expect(ready).to_be_enabled()
    ready.click()
    assert opened.command() == Share(8, (("Ana", 5), ("Bilal", 4)))


def test_the_last_event_is_corrected_or_taken_back_with_two_taps(opened: Open) -> None:
    opened.go("operator")
    correct = opened.page.locator("#correct")
    expect(correct).to_contain_text("On the totem: Chloé")
    correct.get_by_role("button", name="It was Bilal").click()
    assert opened.desk.take() is None
    correct.get_by_role("button", name="It was Bilal – Sure?").click()
    assert opened.command() == Correct(17, "Bilal")
    correct.get_by_role("button", name="It never happened").click()
    correct.get_by_role("button", name="It never happened – Sure?").click()
    assert opened.command() == Correct(17, None)


def test_counting_again_sends_what_was_changed(opened: Open) -> None:
    opened.go("operator")
    opened.page.get_by_text("Cards counted by hand: reserve").click()
    opened.page.locator("#recount").get_by_label("Bilal").fill("7")
    opened.page.locator("#recount").get_by_role("button", name="Set").click()
    assert opened.command() == Recount("reserve", (("Bilal", 7),))


def test_a_game_is_started_paused_and_ended(opened: Open) -> None:
    opened.board.update(WAITING)
    opened.go("operator")
    opened.tap("Start a game")
    assert opened.command() == Start()
    opened.board.update(TABLE)
    opened.tap("Pause")
    assert opened.command() == Pause()
    opened.board.update(PAUSED)
    expect(opened.page.locator("#headline")).to_have_text("Paused")
    opened.tap("Go on")
    assert opened.command() == Resume()
    opened.tap("End the game")
    opened.tap("End the game – Sure?")
    assert opened.command() == End()


def test_a_tap_that_comes_too_late_says_so_and_does_nothing(opened: Open) -> None:
    opened.board.update(WHO)
    opened.go("operator")

    # The question is answered elsewhere while the tap is on its way.
    def overtake(route: Route) -> None:
        opened.board.update(TABLE)
        route.continue_()

    opened.page.route("**/operator/command", overtake)
    button = opened.page.locator("#question").get_by_role("button", name="It was Ana", exact=True)
    button.click()
    expect(opened.page.locator("#answer")).to_have_text("Too late: something else has happened since.")
    assert opened.desk.take() is None


def test_a_page_says_when_the_referee_is_gone_and_finds_it_again(opened: Open) -> None:
    opened.go()
    expect(opened.page.locator("#trouble")).to_be_hidden()
    port = opened.server.port
    opened.server.stop()
    expect(opened.page.locator("#trouble")).to_have_text("No connection to the referee")
    board = Board(replace(TABLE, turn="David"))
    again = serve(board, opened.desk, port=port)
    try:
        expect(opened.page.locator("#headline")).to_have_text("David’s turn")
        expect(opened.page.locator("#trouble")).to_be_hidden()
    finally:
        again.stop()


def test_a_page_says_when_the_session_has_stopped_talking(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SILENT_AFTER_S", 0.5)
    monkeypatch.setattr(streams, "BEAT_S", 0.2)
    opened.go()
    expect(opened.page.locator("#trouble")).to_have_text("The referee has stopped answering")


def test_the_operators_page_can_be_used_with_the_keyboard(opened: Open) -> None:
    opened.board.update(CHOICE)
    opened.go("operator")
    opened.page.get_by_role("button", name="The duel").focus()
    opened.page.keyboard.press("Enter")
    assert opened.command() == Choose(7, "duel")


def test_buttons_are_large_enough_for_a_thumb(opened: Open) -> None:
    opened.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    opened.board.update(WHO)
    opened.go("operator")
    for button in opened.page.get_by_role("button").all():
        box = button.bounding_box()
        assert box is not None
        assert box["height"] >= 44
