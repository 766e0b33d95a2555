"""The errors of the referee: one root, each leaf also a class of the standard library.

Belongs here: every exception class that crosses a room's wall. A player's fault is a ruling and never an
exception; our own bug is an `EngineError` and never a ruling.

    RefereeError
    ├── InputError   (ValueError)    what was handed in is wrong: a file, a line, an option
    │   ├── RecordError              a game record
    │   ├── DeckError                a deck folder
    │   ├── PictureError             a picture or a video
    │   ├── TraceError               a totem trace
    │   └── ProfileError             a table profile
    ├── HardwareError (OSError)      a device is missing, busy or gone
    └── EngineError  (RuntimeError)  our bug
"""


class RefereeError(Exception):
    """Root of all errors raised on purpose by the referee."""


class InputError(RefereeError, ValueError):
    """Something handed in is wrong; the message says which file, which line, what was expected."""


class RecordError(InputError):
    """A game record is wrong."""


class DeckError(InputError):
    """A deck folder is wrong."""


class PictureError(InputError):
    """A picture or a video cannot be used."""


class TraceError(InputError):
    """A totem trace is wrong."""


class ProfileError(InputError):
    """A table profile is wrong."""


class HardwareError(RefereeError, OSError):
    """A device is missing, busy or gone."""


class EngineError(RefereeError, RuntimeError):
    """The referee contradicts itself: our bug, never a player's fault."""
