"""Doors through which scans come in: a serial totem, MPR121 boards on the Pi, a recording; one contract.

A simulated totem has no door of its own: it speaks the wire through a pty and comes in by the serial one.
"""

from referee.health import Freshness
from referee.totem.links.base import Link, LinkHealth

__all__ = ["Freshness", "Link", "LinkHealth"]
