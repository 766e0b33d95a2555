"""The monitor as a page: one picture, no actions, for this machine alone unless told otherwise.

Belongs here: a page and its numbers. Does not belong here: anything that changes anything; only GET is
answered, and only two addresses exist.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

LOCAL = "127.0.0.1"

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Totem</title>
<style>
 body { font: 16px system-ui, sans-serif; margin: 2em; background: #14161a; color: #e8e8e8 }
 #totem { display: grid; gap: 3px; width: 16em }
 #totem div { height: 1.4em; border-radius: 4px; text-align: center; font-size: .75em; line-height: 1.4em }
 #words { white-space: pre-line; min-height: 4em }
</style></head><body>
<h1>Totem</h1>
<p id="words" role="status">waiting…</p>
<div id="totem" aria-label="pads, highest ring on top"></div>
<script>
const words = document.getElementById("words"), totem = document.getElementById("totem");
async function turn() {
  try {
    const state = await (await fetch("state.json", {cache: "no-store"})).json();
    let text = state.health + (state.problem ? ": " + state.problem : "");
    if (state.levels) {
      text += `\\n${state.rate ?? "?"} scans/s, lost ${state.scans_lost}, faults ${state.faults}`;
      text += `\\ntilt ${state.tilt_deg}°`;
      if (state.yaw_deg !== null) text += `, turn ${state.yaw_deg}°`;
      if (state.seated !== null) text += state.seated ? ", in its place" : ", lifted";
      totem.style.gridTemplateColumns = `repeat(${state.sectors}, 1fr)`;
      const pads = [];
      for (let ring = state.rings - 1; ring >= 0; ring--)
        for (let sector = 0; sector < state.sectors; sector++) {
          const index = ring * state.sectors + sector;
          const pad = document.createElement("div");
          const level = state.levels[index];
          pad.style.background = `rgb(${40 + 215 * level}, ${40 + 60 * level}, 40)`;
          pad.textContent = state.counts[index];
          pads.push(pad);
        }
      totem.replaceChildren(...pads);
    }
    words.textContent = text;
  } catch (error) { words.textContent = "the monitor has stopped"; }
  setTimeout(turn, 100);
}
turn();
</script></body></html>
"""


class MonitorPage:
    """Serves the page on `host`:`port` (0: any free port) from a thread; `state` gives what is shown."""

    def __init__(self, state: Callable[[], dict[str, Any]], host: str = LOCAL, port: int = 0) -> None:
        class Handler(BaseHTTPRequestHandler):
            timeout = 10

            def do_GET(self) -> None:
                if not page.knows(self.headers.get("Host", "")):
                    # A page of elsewhere that points its own name at this machine (DNS rebinding) gets
                    # nothing.
                    self._answer(403, "text/plain", b"unknown host")
                elif self.path == "/":
                    self._answer(200, "text/html; charset=utf-8", PAGE.encode())
                elif self.path == "/state.json":
                    self._answer(200, "application/json", json.dumps(state()).encode())
                else:
                    self._answer(404, "text/plain", b"not here")

            def _answer(self, status: int, kind: str, body: bytes) -> None:
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Cache-Control", "no-store")
                self.send_header("X-Content-Type-Options", "nosniff")
                self.send_header(
                    "Content-Security-Policy",
                    "default-src 'none'; connect-src 'self'; script-src 'unsafe-inline'; "
                    "style-src 'unsafe-inline'; frame-ancestors 'none'",
                )
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """A line a request would fill the terminal that shows the picture."""

        page = self
        self._host = host
        self._server = ThreadingHTTPServer((host, port), Handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, name="monitor page", daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """Where a browser finds the page."""
        return f"http://{self._host}:{self.port}/"

    def knows(self, host: str) -> bool:
        """Whether a request names this page by an address it was opened under."""
        if self._host not in (LOCAL, "localhost", "::1"):
            return True
        name = host.rsplit(":", 1)[0]
        return name in (LOCAL, "localhost", "[::1]")

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)
