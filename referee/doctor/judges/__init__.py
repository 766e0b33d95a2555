"""From facts to findings, one module a family of probes: pure, no device and no clock.

Each module has the facts of its family as a frozen dataclass, the limits they are held against with where those come
from, and `judge`.
"""
