"""Calibration's sentences in French: every one that a page may show is known."""

from __future__ import annotations

import ast
import tomllib
from pathlib import Path

import pytest

import calibration
from calibration.guided import french
from calibration.guided.french import in_french, is_known

ROOM = Path(calibration.__file__).parent
PLAIN = "looks charuco camera lens table seats placing light totem lamp lamp_light lamp_time speaker card_photo scale"
GUIDED = "bench camera table light sound lamp totem people cards room"
MODULES = [*(f"{name}.py" for name in PLAIN.split()), *(f"guided/{name}.py" for name in GUIDED.split())]
SAYERS = {"InputError", "HardwareError", "Refused", "say"}
# What only a terminal can bring about: the pages check it before, or have no such question.
NEVER_SHOWN = (
    "the board and the mat disagree",
    "expected points within",
    "the set-up is busy, try again",
    "language: expected one of",
)
# Their beginning is a sentence of its own; the whole ones are tried below.
PUT_TOGETHER = ("7 (edges 7 px wide", "7: is it this mat")


def told(node: ast.expr) -> str | None:
    """A text in the code as it may come out, with numbers where something is put in; None for anything else."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "7"
            for part in node.values
        )
    if isinstance(node, ast.IfExp):
        return told(node.body)
    return None


def sentences() -> list[str]:
    found: dict[str, None] = {}
    for name in MODULES:
        for node in ast.walk(ast.parse((ROOM / name).read_text("utf-8"))):
            texts: list[ast.expr] = []
            if isinstance(node, ast.Call):
                called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                if called in SAYERS and node.args:
                    texts.append(node.args[-1])
                if called == "append" and isinstance(node.args[0], ast.JoinedStr | ast.Constant):
                    texts.append(node.args[0])
            for text in texts:
                words = told(text)
                if words is not None and " " in words and not words.startswith((*NEVER_SHOWN, *PUT_TOGETHER)):
                    found[words] = None
    return list(found)


def test_there_are_sentences_to_look_for() -> None:
    assert len(sentences()) > 60


@pytest.mark.parametrize("sentence", sentences())
def test_what_a_page_may_show_is_known_in_french(sentence: str) -> None:
    assert is_known(sentence), sentence


def test_each_sentence_has_as_many_places_in_french() -> None:
    table = tomllib.loads(Path(french.__file__).with_suffix(".toml").read_text("utf-8"))
    for group in table.values():
        for english, words in group.items():
            assert english.count("{}") >= words.count("{}"), english
            assert words.strip()


def test_what_is_put_in_is_put_in_french_too() -> None:
    assert in_french("move the board to the top left of the picture") == "portez la planche en haut à gauche de l'image"
    said = in_french(
        "cards are 31 px wide at face_up/Ana and this deck needs 50: move the camera 12 cm down or choose pictures of "
        "1920x1080 (if the camera sees as much in them)"
    )
    assert "descendez la caméra de 12 cm ou choisissez des images de 1920x1080" in said
    assert is_known("blurred: hold still, more light, focus (edges 3.1 px wide, 2.0 at most)")
    assert is_known("the markers lie 1.4 mm beside their places: is it this mat, lying flat, the right way up?")
    assert in_french("something nobody has written down") == "something nobody has written down"
