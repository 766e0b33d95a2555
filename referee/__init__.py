"""A referee for fast physical card games.

Belongs here: the version. Nothing else; every word lives in its own room (see docs/house.md).
"""

__version__ = "0.1.0"
