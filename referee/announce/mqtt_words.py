"""What is told over MQTT: topics and payloads, and the cards by which Home Assistant finds them by itself.

Belongs here: pure functions. Does not belong here: connections (`mqtt`).

Topics under `referee/NODE`: `availability` (`online`, `offline`), `status` (how the game stands), `ruling` (the last
one made known, or null when it was overturned). Discovery as Home Assistant describes it for MQTT: a retained
configuration under `homeassistant/COMPONENT/NODE/KEY/config`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from referee.announce.outputs import Notice, Status
from referee.announce.sentences import ruling_sentence

ONLINE, OFFLINE = "online", "offline"

_SENSORS: tuple[tuple[str, str, Mapping[str, str], str, str, str], ...] = (
    # component, key, name in each language, topic, template, icon
    (
        "sensor",
        "turn",
        {"en": "Turn", "fr": "Tour"},
        "status",
        "{{ value_json.turn or '-' }}",
        "mdi:account-arrow-right",
    ),
    (
        "sensor",
        "asked",
        {"en": "Has to answer", "fr": "Doit répondre"},
        "status",
        "{{ value_json.asked or '-' }}",
        "mdi:account-question",
    ),
    (
        "sensor",
        "ruling",
        {"en": "Last ruling", "fr": "Dernière décision"},
        "ruling",
        "{{ (value_json.sentence or '-')[:255] }}",
        "mdi:gavel",
    ),
    (
        "sensor",
        "pot",
        {"en": "Pot", "fr": "Pot"},
        "status",
        "{{ '?' if value_json.counts.pot is none else value_json.counts.pot | default('-') }}",
        "mdi:cards",
    ),
    (
        "binary_sensor",
        "over",
        {"en": "Game over", "fr": "Partie finie"},
        "status",
        "{{ 'ON' if value_json.over else 'OFF' }}",
        "mdi:flag-checkered",
    ),
    (
        "binary_sensor",
        "problem",
        {"en": "A source is missing", "fr": "Une source manque"},
        "status",
        "{{ 'ON' if value_json.sources.values() | reject('eq', 'fresh') | list else 'OFF' }}",
        "mdi:camera-off",
    ),
)


def topic(node: str, name: str) -> str:
    """The topic of one kind of word from one table."""
    return f"referee/{node}/{name}"


def status_payload(status: Status) -> str:
    """How the game stands, as one JSON object."""
    return _json(
        {
            "turn": status.turn,
            "asked": status.asked,
            "waiting_for": status.waiting_for,
            "over": status.over,
            "counts": dict(status.counts),
            "sources": dict(status.sources),
        }
    )


def ruling_payload(notice: Notice | None, language: str, game: str) -> str:
    """A ruling with its sentence; without one, the same keys with null."""
    if notice is None:
        return _json({"place": None, "ruling": None, "sentence": None, "t_us": None})
    ruling = notice.ruling
    said = ruling_sentence(ruling, language, game)
    return _json({"place": notice.place, "ruling": ruling["ruling"], "sentence": said, "t_us": ruling["t_us"]})


def discovery(node: str, language: str, prefix: str, version: str) -> dict[str, str]:
    """Topic and payload of each entity that Home Assistant is to show."""
    device = {"identifiers": [f"referee_{node}"], "name": f"Referee {node}", "model": "Referee", "sw_version": version}
    found = {}
    for component, key, names, about, template, icon in _SENSORS:
        found[f"{prefix}/{component}/referee_{node}/{key}/config"] = _json(
            {
                "name": names[language],
                "unique_id": f"referee_{node}_{key}",
                "state_topic": topic(node, about),
                "value_template": template,
                "availability_topic": topic(node, "availability"),
                "payload_available": ONLINE,
                "payload_not_available": OFFLINE,
                "icon": icon,
                "device": device,
            }
        )
    return found


def _json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
