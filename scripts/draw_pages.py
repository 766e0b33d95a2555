#!/usr/bin/env python3
"""Draws the pictures of docs/web.md and docs/review.md: the pages as a real browser shows them.

    .venv/bin/python scripts/draw_pages.py [FOLDER]

Needs the `dev` extra and a Chromium on the path. Players, rulings and evidence are made up (the review pages show the
small game of the tests).
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from referee.health import Freshness
from referee.journal.store import Journal
from referee.private.vault import Vault
from referee.qr import qr_rows
from referee.totem.curves import read_curves
from referee.web.board import Board, Correctable, Offer, Question, Seat, SourceState, TableSnapshot, shown_rulings
from referee.web.desk import Desk
from referee.web.reviews import Reviews
from referee.web.seats import SeatDoors, Seats
from referee.web.server import serve
from tests.review.kept import add_evidence, place_of, read, whole_game

WIDE, PHONE = (1280, 720), (360, 740)


def ruling(t_us: int, what: str, **keys: Any) -> dict[str, Any]:
    """A ruling that may be said aloud."""
    return {"t_us": t_us, "ruling": what, "clauses": [], "public": True, **keys}


WHO = ruling(81_400_000, "undecided", why="who", candidates=["Ana", "David"], margin={"by": "time", "us": 9000})
GIVEN = [
    ruling(13_100_000, "won", winner="Bilal", losers=["Ana"], picks_up={"Ana": 6}, next="Ana"),
    ruling(31_000_000, "fault", player="David", kind="wrong-grab", picks_up={"David": 9}, next="David"),
    ruling(31_000_000, "overturned", refs=[1]),
    ruling(44_200_000, "arrow", player="Chloé", kind="in"),
    ruling(45_000_000, "to-pot", player="Ana", cards=3, pot=3, next="Ana"),
    ruling(
        63_000_000,
        "won",
        winner="Chloé",
        losers=["Bilal"],
        picks_up={"Bilal": 7},
        next="Bilal",
        margin={"by": "time", "us": 27_000},
    ),
]
TABLE = TableSnapshot(
    game="jungle-speed",
    seats=tuple(
        Seat(name, {"reserve": reserve, "face_up": up})
        for name, reserve, up in (("Ana", 14, 3), ("Bilal", 19, 0), ("Chloé", 6, 4), ("David", 21, 2))
    ),
    phase="playing",
    t_us=72_000_000,
    turn="Bilal",
    colour_mode=False,
    facts={"pot": 3},
    rulings=shown_rulings(GIVEN),
    recountable=("reserve",),
    camera=SourceState(Freshness.FRESH, 40_000),
    totem=SourceState(Freshness.FRESH, 2_000),
)
ASKED = TableSnapshot(
    game="jungle-speed",
    seats=TABLE.seats,
    phase="playing",
    t_us=82_000_000,
    colour_mode=False,
    facts={"pot": 3},
    rulings=shown_rulings([*GIVEN, WHO]),
    question=Question(1, WHO),
    correctable=Correctable(24, {"t_us": 80_900_000, "event": "flip", "player": "David", "card": "knot/green"}, "card"),
    recountable=("reserve",),
    camera=SourceState(Freshness.FRESH, 40_000),
    totem=SourceState(Freshness.STALE, 1_200_000),
)


HELD = ruling(66_000_000, "holds", player="Ana", card="9")
NAMES = ("Ana", "Bilal", "Chloé")
BLUFF = TableSnapshot(
    game="jungle-bluff",
    seats=tuple(Seat(name, {"holds": "9" if name == "Ana" else "", "piles": 2}) for name in NAMES),
    phase="playing",
    t_us=72_000_000,
    turn="Bilal",
    facts={"round": 3, "first": "Ana"},
    rulings=shown_rulings([HELD]),
    offers=(Offer("Bilal", "challenge", ("Ana",), sure=True), Offer("Bilal", "take", ("3", "7"))),
)


def draw_seat(browser: Browser, folder: Path) -> None:
    """A player's own page, with the cards to choose from."""
    seats, vault = Seats(NAMES), Vault({"record": "referee/1", "game": "jungle-bluff", "players": list(NAMES)})
    vault.happened({"t_us": 0, "event": "centre", "cards": ["3", "7", "9"]})
    server = serve(Board(BLUFF), Desk(), port=0, seats=SeatDoors(seats, qr_rows, private=vault))
    page = browser.new_page(viewport={"width": PHONE[0], "height": PHONE[1]})
    page.goto(f"{server.address}seat?lang=en#{seats.hand_out('Bilal')}")
    page.get_by_role("button", name="Show my cards").click()
    page.locator("#force .grid").wait_for()
    page.screenshot(path=folder / "web-seat.png")
    server.stop()


def draw_review(browser: Browser, folder: Path) -> None:
    """The pages over a journal of two games."""
    with tempfile.TemporaryDirectory() as place, Journal.open(Path(place)) as journal:
        whole_game(journal, ("Zoé", "Karim", "Lena"), [{"t_us": 61_000_000, "event": "fall", "player": "Karim"}])
        key = whole_game(journal)
        won = place_of(read(journal.folder, key), "won")
        add_evidence(journal, key, [won])
        server = serve(None, Desk(), port=0, reviews=Reviews(journal.folder, read_curves, journal))
        try:
            for name, path, size, at in (
                ("review-games", "games?lang=en", WIDE, ""),
                ("review-game", f"games/{key}?lang=en", WIDE, ""),
                ("review-ruling", f"games/{key}/rulings/{won}?lang=en", WIDE, ""),
                ("review-totem", f"games/{key}/rulings/{won}?lang=en", WIDE, "#totem"),
                ("review-phone", f"games/{key}/rulings/{won}?lang=fr", PHONE, ""),
                ("review-decide", f"games/{key}/rulings/{won}?lang=en", WIDE, "#decide"),
            ):
                page = browser.new_page(viewport={"width": size[0], "height": size[1]})
                page.goto(server.address + path)
                page.locator("#list li, #lines li, .plot").first.wait_for()
                page.wait_for_timeout(1500)  # until the video stands at its frame
                if at == "#decide":
                    page.get_by_label("Reason", exact=True).fill("Chloé closes first on frame 31")
                    page.get_by_role("button", name="Overturn …").click()
                    page.locator(".way select").first.select_option("Chloé")
                    page.get_by_role("button", name="Show what it changes").click()
                    page.locator(".difference .armed").wait_for()
                picture = folder / f"{name}.png"
                page.locator(at).screenshot(path=picture) if at else page.screenshot(path=picture)
                page.close()
        finally:
            server.stop()


def main() -> int:
    """Serve, open, draw."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/pictures")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        print("There is no Chromium on the path (Debian, Raspberry Pi OS: sudo apt install chromium).", file=sys.stderr)
        return 2
    board = Board(TABLE)
    server = serve(board, Desk(), port=0)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, path, snapshot, size in (
            ("web-scoreboard", "?lang=en", TABLE, (1280, 720)),
            ("web-operator", "operator?lang=fr", ASKED, (360, 740)),
        ):
            board.update(snapshot)
            page = browser.new_page(viewport={"width": size[0], "height": size[1]})
            page.goto(server.address + path)
            page.locator("#players tr, #question .said").first.wait_for()
            page.screenshot(path=folder / f"{name}.png")
        draw_seat(browser, folder)
        draw_review(browser, folder)
        browser.close()
    server.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
