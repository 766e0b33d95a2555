"""A real browser: headless Chromium, driven by Playwright.

Playwright's own browsers are not used: they would have to be downloaded. Any Chromium of the system does
(`REFEREE_CHROMIUM` names one that is not on the path). Without one the tests that ask for it are skipped, unless
`REFEREE_BROWSER=required` says that this machine must have it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright


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
