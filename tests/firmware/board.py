"""The firmware's own modules loaded as CPython sees them, byte loops included, for the tests."""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

from tests.firmware.desk_totem import FIRMWARE

_LOADED: dict[str, ModuleType] = {}
_ORDER = ("compat", "wire", "codec", "stamp", "outbox", "device", "angles", "sampling", "motion", "pads_mpr121")


def module(name: str) -> ModuleType:
    """One module of `firmware/totem`, its own imports satisfied by its neighbours."""
    if not _LOADED:
        shadowed = {each: sys.modules.get(each) for each in _ORDER}
        try:
            for each in _ORDER:
                spec = importlib.util.spec_from_file_location(f"board_{each}", FIRMWARE / f"{each}.py")
                assert spec is not None
                assert spec.loader is not None
                loaded = importlib.util.module_from_spec(spec)
                sys.modules[each] = loaded
                spec.loader.exec_module(loaded)
                _LOADED[each] = loaded
        finally:
            for each, earlier in shadowed.items():
                if earlier is None:
                    sys.modules.pop(each, None)
                else:
                    sys.modules[each] = earlier
    return _LOADED[name]
