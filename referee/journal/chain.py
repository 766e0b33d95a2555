"""The chain: each entry's hash covers the entry and the hash before it.

Belongs here: how a hash is made and what makes a chain whole. Does not belong here: where entries lie.
SHA-256 (FIPS 180-4) over: the previous hash (32 bytes) || kind || 0x00 || game key || 0x00 || line. Kinds and keys hold
no zero byte, so no two entries are written alike. A chain shows a changed, missing or inserted entry; whoever may write
the whole file can make a whole new chain, which only a head noted elsewhere shows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import NamedTuple

GENESIS = bytes(32)
"""What stands before the first entry."""


class Link(NamedTuple):
    """One entry as it lies in the journal."""

    sequence: int
    key: str
    kind: str
    line: bytes
    hash: bytes


def chain_hash(before: bytes, kind: str, key: str, line: bytes) -> bytes:
    """The hash of an entry that follows the hash `before` (32 bytes each)."""
    return sha256(b"%b%b\0%b\0%b" % (before, kind.encode(), key.encode(), line)).digest()


def find_breaks(links: Iterable[Link], before: bytes = GENESIS, sequence: int = 0) -> Iterator[tuple[int, str]]:
    """Where a chain that goes on after `before` and `sequence` is broken: (sequence, what is wrong)."""
    for link in links:
        if link.sequence != sequence + 1:
            yield link.sequence, f"entry {sequence + 1} is missing"
        elif chain_hash(before, link.kind, link.key, link.line) != link.hash:
            yield link.sequence, f"entry {link.sequence} is not what was kept, or follows another entry"
        before, sequence = link.hash, link.sequence
