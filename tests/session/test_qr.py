"""Codes that phones can read."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from referee.qr import LONGEST, QUIET, qr_rows


@pytest.mark.parametrize("text", ["a", "http://192.168.1.23:8000/seat#abcdefghijklmnopqrstuvwxyz012345", "x" * LONGEST])
def test_a_code_reads_back_as_its_text(text: str) -> None:
    rows = qr_rows(text)
    picture = np.array([[255 * (module == "0") for module in row] for row in rows], np.uint8)
    large = cv2.resize(picture, None, fx=8, fy=8, interpolation=cv2.INTER_NEAREST)
    assert cv2.QRCodeDetector().detectAndDecode(large)[0] == text
    assert "1" not in "".join(rows[:QUIET]) + "".join(row[:QUIET] + row[-QUIET:] for row in rows)


@pytest.mark.parametrize("text", ["", "x" * (LONGEST + 1)])
def test_a_text_for_which_there_is_no_code_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected 1 to 300"):
        qr_rows(text)
