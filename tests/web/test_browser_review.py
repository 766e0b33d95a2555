"""The whole of a review in a real browser, at a game that really runs.

A journal holds an interrupted game with its evidence; `referee run --resume` goes on with it (its camera is not there
yet), and its pages are used as a head referee uses them.
"""

from __future__ import annotations

import base64
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from referee.journal.entries import Settings
from referee.journal.store import Journal
from referee.ledger import Ledger
from referee.profile import read_profile
from referee.session import header_of
from referee.web.accounts import Accounts, Role
from referee.words import Event
from tests.review.kept import DUEL_US, EVENTS, add_evidence, from_us, picture, place_of, play, read, whole_game

WIDE, PHONE = (1280, 720), (360, 740)
PATIENCE_MS = 30_000
PASSWORD = "correct horse battery"
PROFILE = """
game = "jungle-speed"
players = ["Ana", "Bilal", "Chloé"]
deck = "builtin:totem-rush"
[camera]
source = "/dev/video63"
width = 640
height = 360
fps = 30
[announce]
language = "en"
[review]
appeals = 1
{more}
"""
SHAPES = {"knot": "loops-5", "star": "swirl-left", "moon": "loops-6", "sun": "swirl-right"}
NASTY = "<img src=x onerror=document.title=1>"


def of_the_deck(event: Event) -> Event:
    """An event with cards of a deck that ships."""
    changed = dict(event)
    for key in ("card", "runner_up"):
        if key in changed:
            shape, _, colour = changed[key].partition("/")
            changed[key] = f"{SHAPES[shape]}/{colour}"
    return changed


@dataclass
class Table:
    """A game that runs, and a browser at its pages."""

    address: str
    key: str
    place: int
    journal: Path
    page: Page
    complaints: list[str] = field(default_factory=list)

    def go(self, path: str) -> None:
        """Open a page."""
        self.page.goto(f"{self.address}{path}")

    def log_in(self, name: str = "Hanna") -> None:
        """On the page to which one is led."""
        self.page.get_by_label("Name").fill(name)
        self.page.get_by_label("Password").fill(PASSWORD)
        self.page.get_by_role("button", name="Log in").click()

    @property
    def ruling(self) -> str:
        """The address of the duel's ruling."""
        return f"games/{self.key}/rulings/{self.place}"


def kept_game(folder: Path, profile: Path) -> tuple[str, int]:
    """An interrupted game of the profile's table in a journal, and the place of its duel; and a game that has ended."""
    found = read_profile(profile)
    header = header_of(found)
    with Journal.open(folder) as journal:
        whole_game(journal, ("Ana", "Bilal", NASTY), EVENTS[:2])
        settings = Settings(begun="2026-11-29T20:15:00+01:00", engine="0.1.0", profile=found.text)
        keeper = journal.begin(header, settings)
        play(keeper, Ledger(header), [of_the_deck(event) for event in EVENTS])
        place = place_of(read(folder, keeper.key), "won")
        add_evidence(journal, keeper.key, [place])
        keeper.close()
    accounts = Accounts(folder)
    accounts.add("Hanna", Role.HEAD, PASSWORD)
    accounts.add("Vera", Role.VIEWER, PASSWORD)
    return keeper.key, place


@pytest.fixture
def running(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    profile, folder = tmp_path / "profile.toml", tmp_path / "journal"
    profile.write_text(PROFILE.format(more=getattr(request, "param", "")), "utf-8")
    key, place = kept_game(folder, profile)
    command = [sys.executable, "-m", "referee", "run", "--profile", str(profile), "--journal", str(folder)]
    process = subprocess.Popen(
        [*command, "--resume", "--game", key, "--dry", "--web", "0"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    address = next((word for line in process.stderr for word in line.split() if word.startswith("http")), None)
    assert address is not None
    yield address, key, place, folder
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 0, error
    assert "Traceback" not in error


@pytest.fixture
def table(running: Any, browser: Browser) -> Iterator[Table]:
    expect.set_options(timeout=PATIENCE_MS)
    context = browser.new_context(viewport={"width": WIDE[0], "height": WIDE[1]}, locale="en-GB")
    context.set_default_timeout(PATIENCE_MS)
    made = Table(*running, context.new_page())

    def complain(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            made.complaints.append(message.text)

    made.page.on("console", complain)
    made.page.on("pageerror", lambda error: made.complaints.append(str(error)))
    yield made
    context.close()


def test_log_in_find_the_closest_duel_step_its_frames_overturn_it_and_see_the_scoreboard_follow(table: Table) -> None:
    page = table.page
    board = page.context.new_page()
    board.goto(f"{table.address}?lang=en")
    expect(board.locator("main")).to_contain_text("Ana wins against Chloé.")

    table.go("games")
    expect(page).to_have_url(re.compile("/login"))
    table.log_in()
    page.get_by_role("link", name="Closest calls").click()
    page.get_by_role("link", name="48 ms").click()
    expect(page).to_have_url(re.compile(f"{table.ruling}"))
    expect(page.locator(".ruling-said")).to_contain_text("Ana wins against Chloé.")

    frame = page.locator("output.frame")
    expect(frame).to_have_text("frame 31 of 60 · exposed at 9.0270 s")
    page.locator("#said").click()
    for key, shown in (("ArrowRight", 32), (".", 33), ("ArrowLeft", 32), (",", 31), ("Home", 1), ("End", 60)):
        page.keyboard.press(key)
        expect(frame).to_contain_text(f"frame {shown} of 60")
    page.get_by_role("button", name="To the first touch").click()
    expect(frame).to_contain_text("frame 31 of 60")
    expect(page.locator(".first-name")).to_have_text(["Ana 9.0270 s", "Chloé 9.0753 s"])

    page.get_by_label("Reason", exact=True).fill("Chloé closes first on frame 31")
    page.get_by_role("button", name="Overturn …").click()
    page.locator(".way select").first.select_option("Chloé")
    page.get_by_role("button", name="Show what it changes").click()
    expect(page.locator(".difference")).to_contain_text("Chloé wins against Ana.")
    assert read(table.journal, table.key).events[-1]["event"] != "correct"
    page.get_by_role("button", name="Overturn as shown").click()
    expect(page.locator(".ruling-said")).to_have_class(re.compile("overturned"))
    expect(page.locator("#said")).to_contain_text("overturned by Hanna: Chloé closes first on frame 31")

    expect(board.locator("main")).to_contain_text("Chloé wins against Ana.")
    expect(board.locator(".overturned").first).to_contain_text("Ana wins against Chloé.")
    assert read(table.journal, table.key).events[-1]["by"] == "Hanna"
    page.get_by_role("link", name=re.compile("Chloé wins against Ana")).click()
    expect(page.locator(".ruling-said")).to_contain_text("Chloé wins against Ana.")
    assert table.complaints == []


THERE = """n => {
  const video = document.querySelector("video");
  return !video.seeking && Math.floor(video.currentTime * 30) === n;
}"""
LOOK = """() => {
  const video = document.querySelector("video");
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
  canvas.getContext("2d").drawImage(video, 0, 0);
  return canvas.toDataURL("image/png").split(",")[1];
}"""


def test_every_frame_shown_is_the_frame_named(table: Table) -> None:
    table.go(table.ruling)
    table.log_in()
    page = table.page
    expect(page.locator("output.frame")).to_contain_text("frame 31 of 60")
    pictures = np.array(
        [picture(number, from_us(DUEL_US) + 33_333 * number, DUEL_US) for number in range(60)], np.int16
    )
    slider = page.locator(".stepper input[type=range]")
    for frame in (1, 2, 17, 31, 32, 44, 60):
        slider.evaluate("(field, n) => { field.value = n; field.dispatchEvent(new Event('input')); }", str(frame - 1))
        page.wait_for_function(THERE, arg=frame - 1)
        page.wait_for_timeout(100)  # for the frame to be drawn
        shown = cv2.imdecode(np.frombuffer(base64.b64decode(page.evaluate(LOOK)), np.uint8), cv2.IMREAD_COLOR)
        apart = np.abs(pictures - shown.astype(np.int16)).mean((1, 2, 3))
        assert int(apart.argmin()) == frame - 1


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_page_fits_across_the_screen_and_the_browser_has_nothing_to_complain_of(
    table: Table, language: str, size: tuple[int, int]
) -> None:
    page = table.page
    page.set_viewport_size({"width": size[0], "height": size[1]})
    table.go("games")
    table.log_in()
    page.wait_for_url(re.compile("/games"))
    for path, there in (
        ("games?", "#list li"),
        ("games?view=closest&", "#list li"),
        (f"games/{table.key}?", "#lines li"),
        (f"{table.ruling}?", ".plot"),
        (f"games/{table.key}/rulings/0?", "#clauses p"),
        ("operator?", "#rulings li"),
        ("login?", "form"),
    ):
        table.go(f"{path}lang={language}")
        expect(page.locator(there).first).to_be_visible()
        for opened in page.locator("#decide .buttons .quiet", has_text="…").all():  # what may be said takes room too
            opened.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0], path
        assert page.evaluate("document.documentElement.lang") == language
    assert table.complaints == []


def test_each_event_a_ruling_rests_on_is_offered_and_its_difference_shown(table: Table) -> None:
    page = table.page
    table.go(table.ruling)
    table.log_in()
    page.get_by_role("button", name="Overturn …").click()
    page.get_by_label("Reason").fill("frame 12")
    events = page.get_by_label("Which event")
    assert events.locator("option").count() == 3  # the scramble and the two cards of the duel
    events.select_option(index=2)
    page.get_by_role("radio", name="It never happened").check()
    page.get_by_role("button", name="Show what it changes").click()
    expect(page.locator(".difference")).to_contain_text("No longer stands")
    assert table.complaints == []


def test_names_are_text_and_never_markup_on_the_review_pages(table: Table) -> None:
    table.go("games")
    table.log_in()
    expect(table.page.locator("#list")).to_contain_text(NASTY)
    table.page.get_by_role("link", name=re.compile("Jungle Speed")).last.click()
    expect(table.page.locator("#about")).to_contain_text(NASTY)
    expect(table.page.locator("#standing")).to_contain_text(NASTY)
    assert table.page.locator("img").count() == 0
    assert table.page.title() != "1"
    assert table.complaints == []


def test_a_viewer_is_told_that_the_game_is_being_played(table: Table) -> None:
    table.go(table.ruling)
    table.log_in("Vera")
    expect(table.page.locator("h1")).to_have_text("This game is still being played; it can be seen when it is over.")
    assert table.page.locator("video").count() == 0


def test_upholding_appealing_and_marking_take_one_tap_and_show(table: Table) -> None:
    table.go(table.ruling)
    table.log_in()
    page = table.page
    page.get_by_role("button", name="Appeal: Chloé (1)").click()
    expect(page.locator("#said")).to_contain_text("Appeals: Chloé")
    page.get_by_role("button", name="Bookmark").click()
    expect(page.get_by_role("button", name="Remove the bookmark")).to_be_visible()
    page.get_by_role("button", name="Uphold").click()
    expect(page.locator("#answer")).to_contain_text("Reason")
    page.get_by_label("Reason", exact=True).fill("clear")
    page.get_by_role("button", name="Uphold").click()
    expect(page.locator("#said")).to_contain_text("upheld by Hanna: clear")


def test_logging_out_closes_the_pages(table: Table) -> None:
    table.go("operator")
    table.log_in()
    table.page.get_by_role("button", name="Log out").click()
    expect(table.page).to_have_url(re.compile("/login"))
    table.go("operator")
    expect(table.page).to_have_url(re.compile("/login"))


def test_a_wrong_password_is_said(table: Table) -> None:
    table.go("operator?lang=en")
    table.page.get_by_label("Name").fill("Hanna")
    table.page.get_by_label("Password").fill("wrong")
    table.page.get_by_role("button", name="Log in").click()
    expect(table.page.locator("#trouble")).to_have_text("Name or password is wrong.")


@pytest.mark.parametrize("running", ['replay = "pictures"'], indirect=True)
def test_one_hand_alone_was_not_close_to_anything_and_is_not_replayed(table: Table) -> None:
    table.go("?lang=en")
    expect(table.page.locator("#latest")).to_contain_text("Fault.")
    table.page.wait_for_timeout(500)
    expect(table.page.locator("#replay")).to_be_hidden()
    assert table.complaints == []


@pytest.mark.parametrize("running", ["", 'replay = "totem"', 'replay = "pictures"'], indirect=True)
def test_pictures_reach_the_scoreboard_only_where_the_table_has_chosen_them(
    table: Table, request: pytest.FixtureRequest
) -> None:
    chosen = request.node.callspec.params["running"]
    head = table.page.context.new_page()
    head.goto(f"{table.address}games/{table.key}/rulings/2?lang=en")
    head.get_by_label("Name").fill("Hanna")
    head.get_by_label("Password").fill(PASSWORD)
    head.get_by_role("button", name="Log in").click()
    head.get_by_label("Reason", exact=True).fill("he only reached over")
    head.get_by_role("button", name="Overturn …").click()
    head.get_by_label("It never happened").check()
    head.get_by_role("button", name="Show what it changes").click()
    head.get_by_role("button", name="Overturn as shown").click()
    expect(head.locator(".ruling-said")).to_have_class(re.compile("overturned"))

    table.go("?lang=en")  # now the duel is the last ruling that stands
    expect(table.page.locator("main")).to_contain_text("Ana wins against Chloé.")
    if chosen:
        expect(table.page.locator("#replay")).to_contain_text("Chloé +48.3 ms")
    else:
        table.page.wait_for_timeout(500)
        expect(table.page.locator("#replay")).to_be_hidden()
    if "pictures" in chosen:
        expect(table.page.locator("#replay video")).to_be_visible()
        table.page.wait_for_function("() => document.querySelector('#replay video')?.readyState >= 2")
    else:
        assert table.page.locator("video").count() == 0
    assert table.complaints == []
