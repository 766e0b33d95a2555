"""What is proposed from costs, and that measuring gives them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.bench.propose import CORE_SHARE, RATES, Costs, Offer, SizeCost, propose
from referee.cli import main

SIZES = ((960, 540), (1280, 720), (1920, 1080))


def costs(watch_ms: float, totem_share: float = 0.05, decode_ms: float = 3.0, needs_px: int | None = 50) -> Costs:
    """A machine whose costs grow with the picture; `watch_ms` and `decode_ms` are those of 1280×720."""
    sizes = []
    for width, height in SIZES:
        share = width * height / (1280 * 720)
        worst_ms = 3 * watch_ms * share
        sizes.append(SizeCost(width, height, decode_ms * share, watch_ms * share, worst_ms, 20.0, 90 * width / 1280))
    return Costs(sizes, totem_share, 4.0, 6.0, needs_px)


def chosen(found: Offer | None) -> tuple[int, float | None]:
    assert found is not None
    return found.cost.width, found.rate


def test_a_fast_machine_takes_the_largest_picture_that_keeps_thirty_a_second() -> None:
    assert chosen(propose(costs(watch_ms=5.0)).best) == (1920, 30.0)
    assert chosen(propose(costs(watch_ms=8.0)).best) == (1920, 30.0)


def test_a_slower_machine_takes_a_smaller_picture_rather_than_a_slower_rate() -> None:
    assert chosen(propose(costs(watch_ms=18.0)).best) == (1280, 30.0)
    assert chosen(propose(costs(watch_ms=30.0)).best) == (960, 30.0)


def test_a_small_picture_is_no_choice_when_cards_are_too_small_in_it() -> None:
    # 960 pixels show cards of 68 pixels; this deck needs 60.
    assert chosen(propose(costs(watch_ms=30.0, needs_px=60)).best) == (1280, 20.0)


def test_a_machine_that_is_too_slow_for_all_is_told_so() -> None:
    assert propose(costs(watch_ms=400.0)).best is None
    assert propose(costs(watch_ms=5.0, totem_share=0.9)).best is None


def test_slow_decoding_and_slow_single_frames_count_too() -> None:
    assert chosen(propose(costs(watch_ms=5.0, decode_ms=40.0)).best) == (960, 30.0)
    slow = costs(watch_ms=5.0)
    hiccups = [SizeCost(s.width, s.height, s.decode_ms, s.watch_ms, 400.0, s.read_ms, s.card_px) for s in slow.sizes]
    assert propose(Costs(hiccups, 0.05, 4.0, 6.0, 50)).best is None


@given(st.floats(0.1, 500), st.floats(0, 1), st.floats(0.1, 200), st.one_of(st.none(), st.integers(20, 120)))
def test_no_offer_asks_for_more_than_the_core_has(
    watch_ms: float, totem_share: float, decode_ms: float, needs_px: int | None
) -> None:
    for offer in propose(costs(watch_ms, totem_share, decode_ms, needs_px)).offers:
        if offer.rate is not None:
            assert offer.rate in RATES
            assert offer.rate * offer.cost.watch_ms / 1000 + totem_share <= CORE_SHARE + 1e-9


def test_the_command_measures_this_machine(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    small = ["--size", "480x270", "--size", "640x360"]
    status = main(["bench", "--frames", "10", *small, "--json", "--folder", str(tmp_path)])
    rows = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert [row["width"] for row in rows[:2]] == [480, 640]
    assert all(row["watch_ms"] > 0 and row["decode_ms"] > 0 and row["read_ms"] > 0 for row in rows[:2])
    assert 0 < rows[2]["totem_share"] < 2
    assert rows[2]["sync_ms"] > 0
    assert status == (0 if rows[3]["proposal"] else 1)
    assert list(tmp_path.iterdir()) == []


def test_wrong_wishes_are_told_in_one_line(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--frames", "5"]) == 2
    assert main(["bench", "--players", "40"]) == 2
    assert main(["bench", "--size", "large"]) == 2
    assert main(["bench", "--folder", str(tmp_path / "nowhere")]) == 2
    assert capfd.readouterr().err.count("\n") == 4
