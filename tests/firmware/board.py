"""The firmware's own modules as CPython sees them, byte loops included, for the tests."""

from __future__ import annotations

from types import ModuleType

from referee.sim import firmware

_LOADED = firmware.load(firmware.LOGIC)


def module(name: str) -> ModuleType:
    """One module of `firmware/totem`, its own imports satisfied by its neighbours."""
    return _LOADED[name]
