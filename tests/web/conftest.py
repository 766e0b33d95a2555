"""What the tests of the pages have in common: a journal with accounts, and a real browser.

The browser is headless Chromium, driven by Playwright.

Playwright's own browsers are not used: they would have to be downloaded. Any Chromium of the system does
(`REFEREE_CHROMIUM` names one that is not on the path). Without one the tests that ask for it are skipped, unless
`REFEREE_BROWSER=required` says that this machine must have it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from referee.journal.store import Journal
from referee.totem.curves import read_curves
from referee.web.accounts import Accounts
from referee.web.desk import Desk
from referee.web.reviews import Reviews
from tests.web.houses import NAMES, PASSWORD, House


def chromium() -> str | None:
    """The system's Chromium, if there is one."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return os.environ.get("REFEREE_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    path = chromium()
    if path is None:
        reason = "no Chromium on this machine (Debian, Raspberry Pi OS: sudo apt install chromium)"
        if os.environ.get("REFEREE_BROWSER") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        # The sandbox of Chromium does not work for root, as whom builders run; only our own pages are opened.
        made = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-dev-shm-usage"])
        yield made
        made.close()


@pytest.fixture(scope="module")
def accounts(tmp_path_factory: pytest.TempPathFactory) -> Accounts:
    found = Accounts(tmp_path_factory.mktemp("accounts"))
    for role, name in NAMES.items():
        found.add(name, role, PASSWORD)
    return found


@pytest.fixture
def house(tmp_path: Path, accounts: Accounts) -> Iterator[House]:
    with Journal.open(tmp_path / "journal") as journal:
        yield House(journal.folder, journal, Reviews(journal.folder, read_curves, journal), accounts, Desk())
