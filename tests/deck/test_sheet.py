"""How cards lie on a sheet."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.deck.sheet import PAPERS_MM, Sheet, furniture, sheet_for
from referee.errors import DeckError

SIDE = st.floats(20, 120)


@given(st.sampled_from(sorted(PAPERS_MM)), SIDE, SIDE)
def test_all_cards_of_a_page_lie_on_it_side_by_side(paper: str, width: float, height: float) -> None:
    sheet = sheet_for(paper, (width, height))
    left, top, right, bottom = sheet.block_mm
    assert left >= 9 - 1e-9
    assert top >= 14 - 1e-9
    assert left + right == pytest.approx(sheet.page_mm[0])
    assert top + bottom == pytest.approx(sheet.page_mm[1])
    corners = [sheet.corner_mm(place) for place in range(sheet.places)]
    assert len(set(corners)) == sheet.places
    assert corners[0] == (left, top)
    assert corners[-1] == pytest.approx((right - width, bottom - height))


@given(st.sampled_from(sorted(PAPERS_MM)), SIDE, SIDE)
def test_a_back_lies_behind_its_front_when_the_sheet_is_turned_about_its_long_edge(
    paper: str, width: float, height: float
) -> None:
    sheet = sheet_for(paper, (width, height))
    for place in range(sheet.places):
        x, y = sheet.corner_mm(place)
        behind_x, behind_y = sheet.corner_mm(sheet.behind(place))
        if sheet.page_mm[0] < sheet.page_mm[1]:
            assert (behind_x, behind_y) == pytest.approx((sheet.page_mm[0] - x - width, y))
        else:
            assert (behind_x, behind_y) == pytest.approx((x, sheet.page_mm[1] - y - height))
        assert sheet.behind(sheet.behind(place)) == place


@pytest.mark.parametrize(
    ("paper", "card_mm", "grid"),
    [
        ("a4", (60.0, 60.0), (3, 4)),
        ("letter", (60.0, 60.0), (3, 4)),
        ("a4", (63.0, 88.0), (3, 3)),
        ("letter", (63.0, 88.0), (4, 2)),
    ],
)
def test_usual_cards_fill_usual_paper(paper: str, card_mm: tuple[float, float], grid: tuple[int, int]) -> None:
    sheet = sheet_for(paper, card_mm)
    assert (sheet.columns, sheet.rows) == grid


def test_a_card_larger_than_the_paper_is_refused() -> None:
    with pytest.raises(DeckError, match="does not fit on a4"):
        sheet_for("a4", (280.0, 280.0))


def test_every_cut_has_its_marks_outside_the_cards() -> None:
    sheet = Sheet((210.0, 297.0), (60.0, 60.0), 3, 4)
    assert furniture(sheet, "", ruler=False).count("<path") == 2 * (4 + 5)
