#!/usr/bin/env python3
"""Draws the pictures of the set-up pages in docs/set-up.md, as a real browser shows them over the simulated bench.

    .venv/bin/python scripts/draw_set_up.py [FOLDER]

Needs the `dev` extra and a Chromium on the path.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from referee.sim.set_up import BenchCamera
from referee.web.desk import Desk
from referee.web.server import serve
from tests.calibration.benches import set_up_at

WIDE, PHONE = (1280, 640), (390, 900)


def main(folder: Path) -> int:
    """Set a table up and take two pictures on the way."""
    camera = BenchCamera(3, (1280, 720))
    camera.prepare()
    with tempfile.TemporaryDirectory() as work, sync_playwright() as playwright:
        setup = set_up_at(Path(work) / "table.toml", camera)
        server = serve(None, Desk(), port=0, set_up=setup.room)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        try:
            setup.ask("people", players=["Ana", "Bilal", "Chloé"], deck="builtin:totem-rush")
            phone, wide = (browser.new_page(viewport={"width": size[0], "height": size[1]}) for size in (PHONE, WIDE))
            phone.goto(f"{server.address}setup?lang=en")
            wide.goto(f"{server.address}setup?lang=en")
            camera.scene = "board"
            setup.ask("open", step="camera")
            setup.until(lambda state: state["step"].get("taken", 0) >= 3)
            phone.wait_for_timeout(700)
            phone.screenshot(path=folder / "set-up-lens.png")
            setup.until(lambda state: state["step"].get("solved"))
            setup.ask("keep")
            camera.scene = "table"
            setup.ask("open", step="table")
            setup.until(lambda state: state["step"].get("card"))
            wide.wait_for_timeout(1500)
            wide.screenshot(path=folder / "set-up-table.png")
        finally:
            browser.close()
            server.stop()
            setup.room.close()
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("docs/pictures")))
