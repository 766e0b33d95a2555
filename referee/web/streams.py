"""Streams of server-sent events: how the table stands, to everybody who looks.

Belongs here: what is sent when, how many streams there may be, their end. Does not belong here: who may open one
(`guard`), what is shown (`view`).
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

from referee.web import view
from referee.web.board import Board, TableSnapshot

LARGEST_STREAMS = 64
BEAT_S = 2.0
QUIETEST_S = 0.1  # between two messages of a stream: a page need not follow every frame
SILENT_AFTER_S = 5.0  # a session that has said nothing for so long is reported as such

Show = Callable[[TableSnapshot, str], view.View]


class Streams:
    """The open streams of one board."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._closing = asyncio.Event()
        self._open = 0
        self._loop: asyncio.AbstractEventLoop | None = None
        self._said: dict[tuple[Show, str], tuple[int, str]] = {}

    @property
    def are_full(self) -> bool:
        """Whether no further stream can be opened now."""
        return self._open >= LARGEST_STREAMS

    def close(self) -> None:
        """End every stream; from any thread."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop may have ended by itself
                self._loop.call_soon_threadsafe(self._closing.set)

    async def follow(self, show: Show, language: str, may_go_on: Callable[[], bool]) -> AsyncIterator[str]:
        """What is there now, then every change, and a beat in between, until `may_go_on` says no at a beat."""
        loop = self._loop = asyncio.get_running_loop()
        changed = asyncio.Event()

        def wake() -> None:
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(changed.set)

        seen, shown = -1, ""
        self._open += 1
        try:
            with self._board.watched(wake):
                yield "retry: 1000\n\n"
                while not self._closing.is_set() and may_go_on():
                    changed.clear()
                    version, snapshot = self._board.current()
                    if version != seen:
                        seen = version
                        said = self._words(show, language, version, snapshot)
                        if said != shown:
                            shown = said
                            yield f"id: {version}\nevent: board\ndata: {said}\n\n"
                    silent = self._board.age_s() > SILENT_AFTER_S
                    yield f"event: beat\ndata: {json.dumps({'silent': silent})}\n\n"
                    await asyncio.sleep(QUIETEST_S)
                    await self._either(changed)
        finally:
            self._open -= 1

    def _words(self, show: Show, language: str, version: int, snapshot: TableSnapshot) -> str:
        """A snapshot as it is sent, worked out once for all streams: the game needs the processor more."""
        known = self._said.get((show, language))
        if known is None or known[0] != version:
            known = self._said[show, language] = (version, json.dumps(show(snapshot, language), ensure_ascii=False))
        return known[1]

    async def _either(self, changed: asyncio.Event) -> None:
        """Wait for a change, the end or the next beat."""
        waits = [asyncio.ensure_future(changed.wait()), asyncio.ensure_future(self._closing.wait())]
        try:
            await asyncio.wait(waits, timeout=BEAT_S, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
