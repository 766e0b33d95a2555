"""The firmware's files as CPython runs them.

Belongs here: loading `firmware/totem/*.py` under the bare names by which they import each other on a board, without
leaving those names behind. Does not belong here: what stands in for hardware (`totem_device`, `pico`).
"""

from __future__ import annotations

import ast
import contextlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

from referee.resources import resource

# In an order in which each finds what it imports; the files that know the board come after those that do not.
LOGIC = ("compat", "wire", "codec", "stamp", "outbox", "device", "angles", "motion", "sampling", "pads_mpr121")
BOARD = ("switches", "pads_pico", "secondary", "defaults")

# A board's collector is its own; this process's must not be run or switched off by a simulated board.
_GARBAGE = SimpleNamespace(collect=lambda: None, disable=lambda: None, enable=lambda: None)


def folder() -> Path:
    """Where the firmware's files are."""
    return resource("firmware") / "totem"


@contextlib.contextmanager
def _names(given: Mapping[str, Any]) -> Iterator[None]:
    """Modules under these names for a while; what stood there before comes back."""
    earlier = {name: sys.modules.get(name) for name in given}
    sys.modules.update(given)
    try:
        yield
    finally:
        for name, before in earlier.items():
            if before is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = before


def load(
    names: Sequence[str],
    given: Mapping[str, Any] | None = None,
    files: Mapping[str, Path] | None = None,
    rewrite: Callable[[ast.Module], ast.Module] | None = None,
) -> dict[str, ModuleType]:
    """Load files of the firmware in this order, each seeing those before it and what is `given` in their place.

    `files` says where a module of another place is, for example the settings of a build; `rewrite` may change a
    file's syntax tree before it runs. Raises what a file raises.
    """
    given = {"gc": _GARBAGE, **(given or {})}
    loaded: dict[str, ModuleType] = {}
    wanted = [name for name in names if name not in given]
    modules = {name: ModuleType(name) for name in wanted}
    with _names({**given, **modules}):
        for name in wanted:
            file = (files or {}).get(name, folder() / f"{name}.py")
            tree = ast.parse(file.read_text(encoding="utf-8"), str(file))
            if rewrite is not None:
                tree = ast.fix_missing_locations(rewrite(tree))
            module = modules[name]
            module.__file__ = str(file)
            exec(compile(tree, str(file), "exec"), vars(module))
            loaded[name] = module
    return loaded
