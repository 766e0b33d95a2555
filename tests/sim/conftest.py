"""Simulated tables that several tests look at; made once."""

from __future__ import annotations

import cv2
import pytest

from referee.sim.settings import Settings, TableSetUp, set_up

cv2.setNumThreads(1)


@pytest.fixture(scope="session")
def small_table() -> TableSetUp:
    """Three people for a quarter of a minute, in daylight, on a printed mat."""
    return set_up(
        Settings(("Ana", "Bilal", "Chloé"), 15.0, 4, light="day", surface="felt", mat="printed", size=(960, 540))
    )
