"""Where the files live that ship with the program.

Belongs here: finding `seeds`, `firmware` and the like, in a checkout or in an installed wheel.
Does not belong here: reading them.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def resource(name: str) -> Path:
    """Path of a shipped file or folder, for example `seeds` or `decks/totem-rush`.

    An installed wheel carries the top-level folders under `referee/data`; a checkout has them beside the
    package. Raises `FileNotFoundError` when neither has it.
    """
    for base in (_PACKAGE / "data", _PACKAGE.parent):
        path = base / name
        if path.exists():
            return path
    raise FileNotFoundError(f"{name}: this file ships with the referee and is missing from the installation")
