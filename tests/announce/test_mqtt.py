"""MQTT: payloads as Home Assistant wants them, and a real broker where one is installed (`mosquitto`)."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from referee.announce.mqtt import Broker, Mqtt
from referee.announce.mqtt_words import discovery, ruling_payload, status_payload
from referee.announce.outputs import Notice, Status
from tests.announce.samples import wait_until, won

MOSQUITTO = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
needs_broker = pytest.mark.skipif(MOSQUITTO is None, reason="no broker: mosquitto is not installed")


@pytest.mark.parametrize("language", ["en", "fr"])
def test_each_entity_tells_home_assistant_where_to_look(language: str) -> None:
    found = {
        where: json.loads(payload) for where, payload in discovery("salon", language, "homeassistant", "1").items()
    }
    assert len(found) == len({card["unique_id"] for card in found.values()}) >= 5
    for where, card in found.items():
        assert where.startswith(("homeassistant/sensor/referee_salon/", "homeassistant/binary_sensor/referee_salon/"))
        assert where.endswith("/config")
        assert card["availability_topic"] == "referee/salon/availability"
        assert card["state_topic"] in ("referee/salon/status", "referee/salon/ruling")
        assert card["device"]["identifiers"] == ["referee_salon"]
        assert card["name"]


def test_payloads_keep_their_keys_whatever_happens() -> None:
    told = json.loads(ruling_payload(Notice(4, won()), "fr", "jungle-speed"))
    assert told["place"] == 4
    assert told["sentence"].startswith("Ana l'emporte sur Bilal.")
    taken_back = json.loads(ruling_payload(None, "fr", "jungle-speed"))
    assert taken_back.keys() == told.keys()
    assert {*taken_back.values()} == {None}
    assert json.loads(status_payload(Status())).keys() == json.loads(status_payload(Status(turn="Ana"))).keys()


def test_without_the_library_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "paho.mqtt.client", None)
    mqtt = Mqtt(Broker("127.0.0.1"), "jungle-speed", "en")
    mqtt.ruled(Notice(0, won()))
    assert mqtt.health.sentence == 'nothing is published: pip install "referee[mqtt]"'
    mqtt.close(1.0)


class RealBroker:
    """mosquitto in a child process, on a port of this machine alone."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port: int = probe.getsockname()[1]
        self._settings = folder / "mosquitto.conf"
        self._settings.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\n")
        self._child: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        assert MOSQUITTO is not None
        self._child = subprocess.Popen(
            [MOSQUITTO, "-c", str(self._settings)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        assert wait_until(self._answers)

    def stop(self) -> None:
        if self._child is not None:
            self._child.kill()
            self._child.wait()

    def _answers(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0


class Listener:
    """Somebody who listens to everything the table says."""

    def __init__(self, port: int) -> None:
        self.heard: list[tuple[str, Any]] = []
        self._client = Client(CallbackAPIVersion.VERSION2)
        self._client.on_connect = lambda client, *_: client.subscribe("#", qos=1)
        self._client.on_message = lambda _client, _data, message: self.heard.append(
            (message.topic, message.payload.decode())
        )
        listening = threading.Event()
        self._client.on_subscribe = lambda *_: listening.set()
        self._client.reconnect_delay_set(1, 1)
        self._client.connect("127.0.0.1", port)
        self._client.loop_start()
        assert listening.wait(20)

    def last(self, topic: str) -> Any:
        found = [payload for where, payload in self.heard if where == topic]
        return found[-1] if found else None

    def count(self, topic: str) -> int:
        return sum(where == topic for where, _ in self.heard)

    def close(self) -> None:
        self._client.disconnect()
        self._client.loop_stop()


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[RealBroker]:
    made = RealBroker(tmp_path)
    yield made
    made.stop()


@pytest.fixture
def listener(broker: RealBroker) -> Iterator[Listener]:
    made = Listener(broker.port)
    yield made
    made.close()


def output(broker: RealBroker) -> Mqtt:
    return Mqtt(Broker("127.0.0.1", broker.port, "salon"), "jungle-speed", "en")


@needs_broker
def test_a_broker_hears_the_table_come_speak_and_leave(broker: RealBroker, listener: Listener) -> None:
    mqtt = output(broker)
    assert wait_until(lambda: listener.last("referee/salon/availability") == "online")
    assert wait_until(lambda: mqtt.health.sentence == "")
    mqtt.status(Status(turn="Ana", counts={"pot": 2}))
    mqtt.ruled(Notice(3, won()))
    assert wait_until(lambda: "Ana wins" in (listener.last("referee/salon/ruling") or ""))
    assert json.loads(listener.last("referee/salon/status"))["turn"] == "Ana"
    assert any(where.startswith("homeassistant/sensor/referee_salon/turn") for where, _ in listener.heard)
    mqtt.overturned(frozenset({3}))
    assert wait_until(lambda: json.loads(listener.last("referee/salon/ruling"))["sentence"] is None)
    mqtt.close(5.0)
    assert wait_until(lambda: listener.last("referee/salon/availability") == "offline")


@needs_broker
def test_only_what_has_changed_is_published(broker: RealBroker, listener: Listener) -> None:
    mqtt = output(broker)
    assert wait_until(lambda: mqtt.health.sentence == "")
    for turn in ("Ana", "Ana", "Ana", "Bilal"):
        mqtt.status(Status(turn=turn))
    assert wait_until(lambda: "Bilal" in (listener.last("referee/salon/status") or ""))
    assert listener.count("referee/salon/status") == 2
    mqtt.close(5.0)


@needs_broker
def test_the_last_will_says_that_the_table_is_gone(broker: RealBroker, listener: Listener) -> None:
    mqtt = output(broker)
    assert wait_until(lambda: listener.last("referee/salon/availability") == "online")
    mqtt._client.socket().shutdown(socket.SHUT_RDWR)  # as a power cut would: no word of farewell
    assert wait_until(lambda: "offline" in [payload for where, payload in listener.heard if "availability" in where])
    mqtt.close(5.0)


@needs_broker
def test_what_happened_while_the_broker_was_away_is_there_when_it_is_back(tmp_path: Path, broker: RealBroker) -> None:
    mqtt = output(broker)
    assert wait_until(lambda: mqtt.health.sentence == "")
    broker.stop()
    assert wait_until(lambda: mqtt.health.sentence.endswith(("is gone", "does not answer")))
    mqtt.status(Status(turn="Ana"))
    mqtt.status(Status(turn="Chloé"))
    broker.start()
    assert wait_until(lambda: mqtt.health.sentence == "", 40)
    listener = Listener(broker.port)
    assert wait_until(lambda: "Chloé" in (listener.last("referee/salon/status") or ""))
    assert listener.last("referee/salon/availability") == "online"
    listener.close()
    mqtt.close(5.0)
