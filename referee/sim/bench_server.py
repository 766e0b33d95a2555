"""The bench that never was, to be opened from outside: a camera's address, a totem's port, and what is going on there.

Belongs here: serving the pictures as MJPEG on this machine alone, each with its time as a camera's driver would stamp
it, a page with a link for everything people at the bench would do. Does not belong here: the bench itself
(`referee.sim.set_up`), whoever looks.
"""

from __future__ import annotations

import html
import threading
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import cv2

from referee.errors import HardwareError
from referee.sim.set_up import BenchCamera, BenchTotem, paced

LOCAL = "127.0.0.1"
QUALITY = 92
BOUNDARY = "picture"
DOINGS = {
    "table": ("the empty table", "table", "rest"),
    "board": ("somebody holds the board", "board", "rest"),
    "card": ("one card lies under the camera", "card", "rest"),
    "lamp": ("the totem's lamp is in sight", "lamp", "rest"),
    "finger": ("a finger on the totem, again and again", "table", "finger"),
    "hands": ("whole hands all over the totem", "table", "hands"),
    "players": ("each player takes the totem once", "table", "players"),
}
"""What can go on: in words, what the camera sees, what the totem feels."""


class BenchServer:
    """The bench behind an address, in threads of its own until `close`."""

    def __init__(
        self, camera: BenchCamera, totem: BenchTotem | None, port: int, fps: float, prepared: bool = True
    ) -> None:
        """`prepared`: what takes long to draw is drawn now. Raises `HardwareError` when the address cannot be had."""
        self._camera, self._totem, self._fps = camera, totem, fps
        if prepared:
            camera.prepare()
        self._lock = threading.Lock()
        bench = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                bench.answer(self)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                """Nothing is said of requests."""

        try:
            self._server = ThreadingHTTPServer((LOCAL, port), Handler)
        except (OSError, OverflowError) as error:
            raise HardwareError(f"the bench cannot be served at port {port} ({error})") from error
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])
        self.closed = False
        threading.Thread(target=self._server.serve_forever, name="simulated bench", daemon=True).start()

    @property
    def address(self) -> str:
        """The page with what can go on."""
        return f"http://{LOCAL}:{self.port}/"

    @property
    def camera_address(self) -> str:
        """What a profile calls the camera."""
        return f"{self.address}camera.mjpg"

    def go_on(self, name: str) -> None:
        """Let something go on at the bench; a name of `DOINGS`."""
        _, self._camera.scene, hands = DOINGS[name]
        if self._totem is not None:
            self._totem.hands = hands

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        """One request."""
        if request.path == "/camera.mjpg":
            self._stream(request)
        elif request.path.removeprefix("/now/") in DOINGS:
            self.go_on(request.path.removeprefix("/now/"))
            request.send_response(HTTPStatus.SEE_OTHER)
            request.send_header("Location", "/")
            request.end_headers()
        elif request.path == "/":
            self._page(request)
        else:
            request.send_error(HTTPStatus.NOT_FOUND)

    def _page(self, request: BaseHTTPRequestHandler) -> None:
        hands = "rest" if self._totem is None else self._totem.hands
        rows = []
        for name, (words, scene, doing) in DOINGS.items():
            if self._totem is None and doing != "rest":
                continue
            now = scene == self._camera.scene and doing == hands
            mark = "<b>now:</b> " if now else ""
            rows.append(f'<li>{mark}<a href="/now/{name}">{html.escape(words)}</a></li>')
        text = (
            '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            "<title>The bench</title><h1>What goes on at the bench</h1><p>Simulated: a camera and a totem.</p>"
            f"<ul>{''.join(rows)}</ul></html>"
        ).encode()
        request.send_response(HTTPStatus.OK)
        request.send_header("Content-Type", "text/html; charset=utf-8")
        request.send_header("Content-Length", str(len(text)))
        request.end_headers()
        request.wfile.write(text)

    def _stream(self, request: BaseHTTPRequestHandler) -> None:
        request.send_response(HTTPStatus.OK)
        request.send_header("Content-Type", f"multipart/x-mixed-replace; boundary={BOUNDARY}")
        request.end_headers()
        try:
            for end_us, picture in paced(self._camera, self._fps, self._lock):
                if self.closed:
                    return
                packed = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])[1].tobytes()
                stamp = f"{end_us // 1_000_000}.{end_us % 1_000_000:06d}"
                head = f"Content-Type: image/jpeg\r\nContent-Length: {len(packed)}\r\nX-Timestamp: {stamp}\r\n\r\n"
                request.wfile.write(f"--{BOUNDARY}\r\n{head}".encode() + packed + b"\r\n")
        except OSError:  # whoever looked has gone
            return

    def close(self) -> None:
        """Stop serving; may be called twice."""
        self.closed = True
        self._server.shutdown()
        self._server.server_close()
