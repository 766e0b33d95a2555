"""What every door for scans must keep: one class of tests, run for each of them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pytest

from referee.totem.links import Freshness, Link
from referee.totem.scans import ScanBatch


class Bench(Protocol):
    """A door with something behind it: `sent` is what the totem says; `break_` and `mend` are its plug."""

    link: Link
    sent: ScanBatch
    exact: bool

    def break_(self) -> None:
        """Unplug."""
        ...

    def mend(self) -> None:
        """Plug in again."""
        ...


@dataclass
class Heard:
    """Batches that came within a time."""

    batches: list[ScanBatch]

    @property
    def scans(self) -> int:
        return sum(len(batch) for batch in self.batches)


def hear(link: Link, scans: int, seconds: float = 6.0) -> Heard:
    """Poll until so many scans have come, or the time is over."""
    heard = Heard([])
    end_s = time.monotonic() + seconds
    while heard.scans < scans and time.monotonic() < end_s and not link.ended:
        heard.batches += link.poll(0.05)
    return heard


class LinkContract:
    """Tests for one back end; a subclass gives the fixture `bench`."""

    @pytest.fixture
    def bench(self) -> Iterator[Bench]:
        raise NotImplementedError

    def test_scans_come_with_rising_stamps_and_one_layout(self, bench: Bench) -> None:
        heard = hear(bench.link, 60)
        assert heard.scans >= 60
        t_us = np.concatenate([batch.t_us for batch in heard.batches])
        assert (np.diff(t_us) > 0).all()
        assert {batch.layout for batch in heard.batches} == {bench.sent.layout} == {bench.link.layout}

    def test_readings_are_the_ones_that_were_made(self, bench: Bench) -> None:
        counts = np.concatenate([batch.counts for batch in hear(bench.link, 60).batches])
        if bench.exact:
            np.testing.assert_array_equal(counts, bench.sent.counts[: len(counts)])
        else:
            # A door that samples a totem by itself sees some of its states, in their order.
            where = {tuple(row): place for place, row in enumerate(bench.sent.counts.tolist())}
            assert (np.diff([where[tuple(row)] for row in counts.tolist()]) >= 0).all()

    def test_polling_waits_no_longer_than_it_is_told(self, bench: Bench) -> None:
        bench.break_()
        hear(bench.link, 10_000, seconds=0.3)
        start_s = time.monotonic()
        bench.link.poll(0.2)
        # Generous: what must not happen is to wait for ever.
        assert time.monotonic() - start_s < 10

    def test_health_is_fresh_while_scans_come(self, bench: Bench) -> None:
        heard = hear(bench.link, 40)
        health = bench.link.health()
        assert health.freshness is Freshness.FRESH
        assert health.problem is None
        assert health.scans >= heard.scans > 0
        assert health.age_us is not None
        assert health.age_us < 100_000

    def test_a_totem_that_is_unplugged_is_lost_and_found_again(self, bench: Bench) -> None:
        hear(bench.link, 40)
        bench.break_()
        assert hear(bench.link, 10_000, seconds=0.3).scans < 10_000
        health = bench.link.health()
        assert health.freshness is Freshness.LOST
        assert health.problem
        bench.mend()
        assert hear(bench.link, 40).scans >= 40
        assert bench.link.health().freshness is Freshness.FRESH

    def test_a_closed_link_gives_nothing_and_may_be_closed_twice(self, bench: Bench) -> None:
        hear(bench.link, 10)
        bench.link.close()
        bench.link.close()
        assert bench.link.poll(0.05) == []
        assert bench.link.ended
        assert bench.link.health().freshness is Freshness.LOST

    def test_it_has_a_name_a_person_can_read(self, bench: Bench) -> None:
        assert bench.link.name.strip()
