"""The output that publishes over MQTT, for Home Assistant and whoever listens.

Belongs here: the connection, and that only what has changed is published. Does not belong here: topics and payloads
(`mqtt_words`).

The client library keeps a thread of its own that connects and connects again; this output never waits for it. What
was to be published while the broker was away is published when it is back, the latest of each topic. The last will
makes the broker say `offline` when this program is gone without a word.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee import __version__
from referee.announce.mqtt_words import OFFLINE, ONLINE, discovery, ruling_payload, status_payload, topic
from referee.announce.outputs import Health, Notice, Status

_KEEPALIVE_S = 30
_MOST_RETRY_S = 30


@dataclass(frozen=True)
class Broker:
    """Where the broker is and who we are; `node` names this table among others. The password stands in a file."""

    host: str
    port: int = 1883
    node: str = "table"
    username: str = ""
    password_file: Path | None = None
    tls: bool = False
    discovery: str = "homeassistant"


class Mqtt:
    """Publishes status and rulings, retained, each only when it has changed."""

    name = "mqtt"

    def __init__(self, broker: Broker, game: str, language: str) -> None:
        self.health = Health()
        self._broker = broker
        self._game = game
        self._language = language
        self._lock = threading.Lock()
        self._latest: dict[str, str] = discovery(broker.node, language, broker.discovery, __version__)
        self._shown: Notice | None = None
        self._connected = False
        self._client: Any = None
        # Said before the client's thread begins: it may be connected before this one goes on.
        self.health.ill(f"nothing is published yet: {self._where} has not answered")
        try:
            self._client = self._connecting()
        except ImportError:
            self.health.ill('nothing is published: pip install "referee[mqtt]"')
        except (OSError, ValueError) as error:
            self.health.ill(f"nothing is published: {error}")

    def ruled(self, notice: Notice) -> None:
        """Publish a ruling as the last one."""
        self._shown = notice
        self._publish(topic(self._broker.node, "ruling"), ruling_payload(notice, self._language, self._game))

    def overturned(self, places: frozenset[int]) -> None:
        """Take the last ruling back when it does not hold any more."""
        if self._shown is not None and self._shown.place in places:
            self._shown = None
            self._publish(topic(self._broker.node, "ruling"), ruling_payload(None, self._language, self._game))

    def status(self, status: Status) -> None:
        """Publish how the game stands."""
        self._publish(topic(self._broker.node, "status"), status_payload(status))

    def close(self, wait_s: float) -> None:
        """Say `offline` and leave."""
        client, self._client = self._client, None
        if client is None:
            return
        with self._lock:
            connected, self._connected = self._connected, False
        if connected:
            last = client.publish(topic(self._broker.node, "availability"), OFFLINE, qos=1, retain=True)
            end_s = time.monotonic() + min(wait_s, 2.0)
            while not last.is_published() and time.monotonic() < end_s:
                time.sleep(0.01)
        client.disconnect()
        client.loop_stop()

    @property
    def _where(self) -> str:
        return f"the MQTT broker {self._broker.host}:{self._broker.port}"

    def _connecting(self) -> Any:
        from paho.mqtt.client import Client
        from paho.mqtt.enums import CallbackAPIVersion

        broker = self._broker
        client = Client(CallbackAPIVersion.VERSION2, client_id=f"referee-{broker.node}")
        if broker.username:
            password = None if broker.password_file is None else broker.password_file.read_text("utf-8").strip()
            client.username_pw_set(broker.username, password)
        if broker.tls:
            client.tls_set()
        client.will_set(topic(broker.node, "availability"), OFFLINE, qos=1, retain=True)
        client.reconnect_delay_set(1, _MOST_RETRY_S)
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_connect_fail = self._on_connect_fail
        client.connect_async(broker.host, broker.port, _KEEPALIVE_S)
        client.loop_start()
        return client

    def _publish(self, where: str, payload: str) -> None:
        with self._lock:
            if self._latest.get(where) == payload:
                return
            self._latest[where] = payload
            if self._connected and self._client is not None:
                self._client.publish(where, payload, qos=1, retain=True)

    # --- called by the client's thread ------------------------------------------------------------------

    def _on_connect(self, client: Any, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        if reason.is_failure:
            self.health.ill(f"nothing is published: {self._where} refuses ({reason})")
            return
        with self._lock:
            self._connected = True
            for where, payload in self._latest.items():
                client.publish(where, payload, qos=1, retain=True)
            client.publish(topic(self._broker.node, "availability"), ONLINE, qos=1, retain=True)
        self.health.well()

    def _on_disconnect(self, _client: Any, _data: Any, _flags: Any, _reason: Any, _properties: Any) -> None:
        with self._lock:
            was_connected, self._connected = self._connected, False
        if was_connected:
            self.health.ill(f"nothing is published: {self._where} is gone")

    def _on_connect_fail(self, _client: Any, _data: Any) -> None:
        self.health.ill(f"nothing is published: {self._where} does not answer")
