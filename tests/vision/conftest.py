"""What the tests of the reader share: our own decks and one reader of each, made once."""

from __future__ import annotations

import pytest

from referee.deck.folder import resolve_deck
from referee.sim.tables import Conditions, Table
from referee.vision.reader import Reader


@pytest.fixture(scope="session")
def rush() -> Reader:
    """A reader of the deck Totem Rush."""
    return Reader(resolve_deck("builtin:totem-rush"))


@pytest.fixture(scope="session")
def rush_table() -> Table:
    """Totem Rush, ready to be laid on rendered tables."""
    return Table(resolve_deck("builtin:totem-rush"))


@pytest.fixture(scope="session")
def fifty_two() -> Reader:
    """A reader of the 52-card deck."""
    return Reader(resolve_deck("builtin:52"))


@pytest.fixture(scope="session")
def fifty_two_table() -> Table:
    """The 52-card deck, ready to be laid on rendered tables."""
    return Table(resolve_deck("builtin:52"))


@pytest.fixture
def easy() -> Conditions:
    """A picture as a good camera over a quiet table takes it."""
    return Conditions(
        size=(960, 540),
        side_px=90.0,
        tilt_deg=3.0,
        distortion=-0.05,
        surface="wood",
        warmth=1.1,
        exposure=0.9,
        shadow=0.0,
        glare=0.0,
        arms=0,
        blur_px=0.5,
        motion_px=0.0,
        noise=2.0,
        jpeg=90,
        markers=True,
        pile=1,
    )
