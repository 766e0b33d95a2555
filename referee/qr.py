"""A text as a QR code: rows of `0` and `1`, with the quiet edge that readers need.

Belongs here: making the code (OpenCV has an encoder; no library of its own is needed). Does not belong here: what the
text is, how the code is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

QUIET = 4  # modules of light about the code (ISO/IEC 18004, 6.3.8)
LONGEST = 300


def qr_rows(text: str) -> Sequence[str]:
    """The code of a text, light `0` and dark `1`; raises `ValueError` for one of more than 300 characters."""
    if not 0 < len(text) <= LONGEST:
        raise ValueError(f"a code for {len(text)} characters; expected 1 to {LONGEST}")
    params = cv2.QRCodeEncoder.Params()
    params.correction_level = cv2.QRCODE_ENCODER_CORRECT_LEVEL_M
    code = np.asarray(cv2.QRCodeEncoder.create(params).encode(text))
    dark = np.argwhere(code < 128)
    (top, left), (bottom, right) = dark.min(0), dark.max(0)
    code = np.pad(code[top : bottom + 1, left : right + 1], QUIET, constant_values=255)
    return ["".join("1" if value < 128 else "0" for value in row) for row in code]
