"""What is said of a source that does not work."""

from __future__ import annotations

from referee.listeners import Troubles


def test_a_trouble_is_said_once_when_it_begins_and_once_when_it_is_over() -> None:
    said: list[str] = []
    troubles = Troubles(said.append)
    for problem in (None, "cannot be opened", "cannot be opened", None, None, "is gone", "sends nonsense"):
        troubles.look("camera", problem)
    assert said == [
        "the camera: cannot be opened",
        "the camera is there again",
        "the camera: is gone",
        "the camera: sends nonsense",
    ]
