"""The set-up pages in a real browser, over a table that is set up on simulated devices."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from referee.profile import read_profile
from referee.sim.set_up import BenchCamera
from referee.web.desk import Desk
from referee.web.server import WebServer, serve
from tests.calibration.benches import SMALL, SetUp, set_up_at

WIDE, PHONE = (1280, 720), (360, 740)
PATIENCE_MS = 60_000
PLAYERS = ["Ana", "Bilal", "Chloé"]


@dataclass
class Open:
    """A page open on a set-up."""

    setup: SetUp
    server: WebServer
    page: Page
    complaints: list[str] = field(default_factory=list)

    def go(self, language: str = "en") -> None:
        self.page.goto(f"{self.server.address}setup?lang={language}")
        expect(self.page.locator("#steps .step").first).to_be_visible()

    def tap(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def step(self, name: str) -> None:
        """Open a step from the list."""
        self.page.locator("#steps").get_by_role("button", name=name).click()
        expect(self.page.locator("#step-title")).to_have_text(name)

    def name_players(self) -> None:
        for place, name in enumerate(PLAYERS, 1):
            self.page.get_by_label(f"Player {place}").fill(name)
        self.tap("Keep")
        expect(self.page.locator("#answer")).to_contain_text("kept in the profile")


@pytest.fixture(scope="module")
def camera() -> BenchCamera:
    return BenchCamera(5_701, SMALL)


@pytest.fixture
def opened(browser: Browser, tmp_path: Path, camera: BenchCamera) -> Iterator[Open]:
    expect.set_options(timeout=PATIENCE_MS)
    camera.scene = "table"
    setup = set_up_at(tmp_path / "table.toml", camera)
    server = serve(None, Desk(), port=0, set_up=setup.room)
    context = browser.new_context(viewport={"width": WIDE[0], "height": WIDE[1]}, has_touch=True)
    context.set_default_timeout(PATIENCE_MS)
    made = Open(setup, server, context.new_page())

    def complain(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            made.complaints.append(message.text)

    made.page.on("console", complain)
    made.page.on("pageerror", lambda error: made.complaints.append(str(error)))
    yield made
    context.close()
    server.stop()
    setup.room.close()


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
@pytest.mark.parametrize("language", ["en", "fr"])
def test_every_step_fits_across_the_screen_and_the_browser_has_nothing_to_complain_of(
    opened: Open, language: str, size: tuple[int, int]
) -> None:
    opened.page.set_viewport_size({"width": size[0], "height": size[1]})
    # The first picture may be asked for before there is one, which is no mistake of the page.
    opened.setup.until(lambda state: state["picture"] is not None)
    opened.go(language)
    for step in ("deck", "cards", "camera", "table", "light", "time", "speaker"):
        assert opened.setup.ask("open", step=step)["ok"]
        expect(opened.page.locator("#step .body")).to_have_attribute("data-step", step)
        assert opened.page.evaluate("document.documentElement.scrollWidth") <= size[0], step
        for button in opened.page.locator("#step").get_by_role("button").all():
            box = button.bounding_box()
            assert box is None or box["height"] >= 44
    assert opened.page.evaluate("document.documentElement.lang") == language
    assert opened.complaints == []


def test_a_table_is_set_up_from_nothing_to_a_profile_that_can_be_played_on(opened: Open, camera: BenchCamera) -> None:
    opened.go()
    opened.name_players()
    expect(opened.page.locator("#steps .step.done")).to_have_count(1)
    camera.scene = "board"
    opened.step("Lens")
    expect(opened.page.locator(".advice")).to_be_visible()
    expect(opened.page.locator("#step")).to_contain_text("The lens is known")
    opened.tap("Keep")
    expect(opened.page.locator("#steps .step.done")).to_have_count(2)
    camera.scene = "table"
    opened.step("Table and seats")
    expect(opened.page.locator("#over .zone")).to_have_count(7)
    expect(opened.page.locator("#step")).to_contain_text("needs 50")
    opened.tap("Keep")
    expect(opened.page.locator("#steps .step.done")).to_have_count(3)
    opened.tap("Finished: play")
    expect(opened.page.locator("#steps")).to_contain_text("The table is set up.")
    assert opened.setup.room.finished.is_set()
    profile = read_profile(opened.setup.profile)
    assert [seat.player for seat in profile.seats] == PLAYERS


def test_a_seat_is_dragged_into_place_and_stays_where_it_cannot_lie(opened: Open) -> None:
    opened.go()
    opened.name_players()
    opened.step("Table and seats")
    zone = opened.page.locator('#over .zone[data-zone="face_up/Ana"]')
    expect(zone).to_be_visible()

    def where() -> tuple[float, float]:
        # Drawn anew in this very moment, it has no place for an instant.
        while (box := zone.locator("polygon").bounding_box()) is None:
            opened.page.wait_for_timeout(50)
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    x, y = where()
    opened.page.mouse.move(x, y)
    opened.page.mouse.down()
    opened.page.mouse.move(x + 10, y - 4, steps=4)
    opened.page.mouse.move(x + 25, y - 8, steps=4)
    opened.page.mouse.up()
    opened.page.wait_for_function(
        "([x]) => { const b = document.querySelector('#over .zone[data-zone=\"face_up/Ana\"] polygon')"
        ".getBoundingClientRect(); return Math.abs(b.x + b.width / 2 - x) < 4; }",
        arg=[x + 25],
    )
    moved = where()
    # Onto the pot it cannot go: why is said, and it is drawn where it was.
    pot = opened.page.locator('#over .zone[data-zone="pot"] polygon').bounding_box()
    assert pot is not None
    opened.page.mouse.move(*moved)
    opened.page.mouse.down()
    opened.page.mouse.move(pot["x"] + pot["width"] / 2, pot["y"] + pot["height"] / 2, steps=6)
    opened.page.mouse.up()
    expect(opened.page.locator("#answer")).to_contain_text("would lie")
    opened.page.wait_for_timeout(800)
    assert where() == pytest.approx(moved, abs=4)


def test_an_arrow_key_moves_a_seat_too(opened: Open) -> None:
    opened.go()
    opened.name_players()
    opened.step("Table and seats")
    opened.setup.until(lambda state: state["step"].get("zones"))

    def middle() -> float:
        zones = opened.setup.step()["zones"]
        return float(next(zone["middle"][0] for zone in zones if zone["name"] == "face_up/Ana"))

    before = middle()
    opened.page.locator('#over .zone[data-zone="face_up/Ana"]').focus()
    opened.page.keyboard.press("ArrowRight")
    opened.setup.until(lambda _: abs(middle() - before - 12) < 2)


def test_four_corners_are_tapped_on_a_phone(opened: Open, camera: BenchCamera) -> None:
    opened.page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    opened.go()
    opened.name_players()
    opened.step("Table and seats")
    opened.tap("By four corners")
    expect(opened.page.locator(".corner-next")).to_have_text("Corner 1 of 4")
    corners = camera.scenery.optics.pixels(
        np.array([(-200.0, -120.0), (200.0, -120.0), (200.0, 120.0), (-200.0, 120.0)])
    )
    for place, (x, y) in enumerate(corners, 1):
        box = opened.page.locator("#over").bounding_box()
        assert box is not None
        opened.page.touchscreen.tap(box["x"] + x / SMALL[0] * box["width"], box["y"] + y / SMALL[1] * box["height"])
        expect(opened.page.locator("#over .corner")).to_have_count(place)
    opened.page.get_by_label("Width (mm)").fill("400")
    opened.page.get_by_label("Height (mm)").fill("240")
    opened.tap("Use these corners")
    expect(opened.page.locator("#step")).to_contain_text("The table is seen.")
    opened.tap("Keep")
    expect(opened.page.locator("#answer")).to_contain_text("table is kept")
    assert "homography" in tomllib.loads(opened.setup.profile.read_text("utf-8"))["table"]


def test_what_a_calibration_says_is_said_in_the_pages_language(opened: Open) -> None:
    opened.go("fr")
    assert opened.setup.ask("open", step="camera")["ok"]
    expect(opened.page.locator(".advice")).to_contain_text("aucune planche en vue")


def test_a_name_that_looks_like_markup_is_shown_as_it_is(opened: Open) -> None:
    opened.go()
    name = "<b onclick=alert(1)>Ana"
    opened.page.get_by_label("Player 1").fill(name)
    opened.page.get_by_label("Player 2").fill("Ben")
    opened.page.get_by_label("Player 3").fill("Cleo")
    opened.tap("Keep")
    opened.step("Table and seats")
    expect(opened.page.locator("#over .zone text").filter(has_text=name)).to_have_count(2)


def test_a_camera_that_is_gone_is_said_at_the_top(opened: Open) -> None:
    opened.go()
    opened.setup.eye.lost = True
    expect(opened.page.locator("#trouble")).to_contain_text("The camera gives no picture")
    opened.setup.eye.lost = False
    expect(opened.page.locator("#trouble")).to_be_hidden()
