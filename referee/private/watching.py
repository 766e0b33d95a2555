"""The hooded camera as it hangs: its door, its reader, and the hood that they serve.

Belongs here: opening, polling and closing. Does not belong here: when a card is sure (`hood`).
"""

from __future__ import annotations

from collections.abc import Callable

from referee.deck.folder import Deck
from referee.private.hood import Hood, Seen
from referee.private.vault import Vault
from referee.vision.camera import CameraSettings, Clock, Frame, FrameSource, open_camera
from referee.vision.reader import Reader

WIDTH, HEIGHT, FPS = 640, 480, 10.0  # one card fills the picture; more would only take time
MOST_A_TURN = 2


class HoodedCamera:
    """A hood with its camera; `told` hears whose card was read, or not, and when."""

    def __init__(self, source: FrameSource, deck: Deck, vault: Vault, told: Callable[[str, bool, int], None]) -> None:
        self._source = source
        self._reader = Reader(deck)
        self.hood = Hood(vault, self._read, told)

    @classmethod
    def open(
        cls, source: str, deck: Deck, vault: Vault, told: Callable[[str, bool, int], None], clock: Clock
    ) -> HoodedCamera:
        """Open the camera that a profile names; raises as `open_camera`."""
        return cls(open_camera(CameraSettings(source, WIDTH, HEIGHT, FPS), clock), deck, vault, told)

    def turn(self, now_us: int) -> None:
        """Look at what has come since the last turn."""
        for _ in range(MOST_A_TURN):
            frame = self._source.poll(0.0)
            if frame is None:
                break
            self.hood.frame(frame)
        self.hood.now(now_us)

    def close(self) -> None:
        """Let go of the camera."""
        self._source.close()

    def _read(self, frame: Frame) -> Seen:
        return [(seen.card, seen.confidence) for seen in self._reader.read(frame.picture)]
