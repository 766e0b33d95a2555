"""The monitor: what is felt as a picture and as a page that can do nothing."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from rich.console import Console

from referee.totem.links import Freshness, LinkHealth
from referee.totem.monitor import View, picture
from referee.totem.monitor_page import MonitorPage
from tests.totem_link.back_to_back import trace

HEALTH = LinkHealth(Freshness.FRESH, 1000, None, 10)


def touched_view() -> View:
    """A still totem whose pad 5 (ring 1, sector 1) is touched in the last scans."""
    scans = trace(400, rings=3, sectors=4)
    counts = np.full((400, 12), 800, dtype=np.int32)
    counts[390:, 5] = 1400
    view = View()
    view.update(replace(scans, counts=counts))
    return view


def test_a_touched_pad_stands_out_and_the_others_do_not() -> None:
    levels = touched_view().snapshot(HEALTH)["levels"]
    assert levels[5] == 1.0
    assert max(levels[:5] + levels[6:]) < 0.05


def test_the_rate_is_that_of_the_scans() -> None:
    view = View()
    scans = trace(8)
    for turn in range(20):
        view.update(replace(scans, t_us=scans.t_us + 8_000 * turn))
    assert view.snapshot(HEALTH)["rate"] == pytest.approx(1000, rel=0.05)


def test_the_picture_has_a_row_for_each_ring_with_the_highest_on_top() -> None:
    console = Console(width=80, record=True)
    with console.capture() as capture:
        console.print(picture(touched_view().snapshot(HEALTH)))
    rows = [line.split()[0] for line in capture.get().splitlines() if line.split()[:1] and line.split()[0].isdigit()]
    assert rows == ["2", "1", "0"]
    assert "@" in capture.get()


def test_a_totem_that_is_not_there_is_shown_with_its_problem() -> None:
    health = LinkHealth(Freshness.LOST, None, "there is no such port")
    state = View().snapshot(health)
    assert state["problem"] == "there is no such port"
    console = Console(width=80)
    with console.capture() as capture:
        console.print(picture(state))
    assert "there is no such port" in capture.get()


@pytest.fixture
def page() -> Iterator[MonitorPage]:
    view = touched_view()
    served = MonitorPage(lambda: view.snapshot(HEALTH))
    yield served
    served.close()


def ask(page: MonitorPage, path: str, method: str = "GET", host: str | None = None) -> tuple[int, bytes, str]:
    line = http.client.HTTPConnection("127.0.0.1", page.port, timeout=5)
    line.request(method, path, headers={} if host is None else {"Host": host})
    answer = line.getresponse()
    found = answer.status, answer.read(), answer.headers.get("Content-Security-Policy", "")
    line.close()
    return found


def test_the_page_and_its_numbers_are_served_to_this_machine(page: MonitorPage) -> None:
    assert page.address.startswith("http://127.0.0.1:")
    status, body, policy = ask(page, "/")
    assert status == 200
    assert b"Totem" in body
    assert "default-src 'none'" in policy
    status, body, _ = ask(page, "/state.json")
    assert status == 200
    assert json.loads(body)["levels"][5] == 1.0


@pytest.mark.parametrize("path", ["/nothing", "/../pyproject.toml", "/state.json/.."])
def test_there_is_nothing_else_to_be_had(page: MonitorPage, path: str) -> None:
    assert ask(page, path)[0] == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
def test_nothing_can_be_done_on_it(page: MonitorPage, method: str) -> None:
    assert ask(page, "/", method)[0] == 501


def test_a_page_of_elsewhere_under_its_own_name_gets_nothing(page: MonitorPage) -> None:
    assert ask(page, "/state.json", host="evil.example:80")[0] == 403
