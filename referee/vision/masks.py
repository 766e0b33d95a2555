"""Which pixels are so.

Belongs here: counting them. Does not belong here: what it is that they are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Mask = NDArray[np.bool_]


def count(mask: Mask) -> int:
    """How many pixels of a mask are so (a tenth of the time `sum` takes), as a number of Python's own."""
    return int(np.count_nonzero(mask))
