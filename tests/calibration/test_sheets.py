"""Printed sheets: every length from the PDF's own vectors, and everything read back from a rendering."""

from __future__ import annotations

import json
import math
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from calibration.boards import A4_BOARD
from calibration.sheets.charuco import charuco_drawing
from calibration.sheets.electrodes import Skin, electrode_drawing
from calibration.sheets.mat import QUIET_MM, TINT, Mat, mat_drawing, plan_mat
from calibration.sheets.pages import pdf_of
from calibration.sheets.paper import MARGIN_MM, PAPERS, fitting
from calibration.sheets.seat_pads import seat_pad_drawing
from referee.cli import main
from referee.deck.folder import Deck, picture, resolve_deck
from referee.errors import InputError
from referee.profile import read_profile
from referee.table.layouts import layout_of, make_layout
from referee.vision.reader import Reader, read_setup
from referee.vision.table import MARKER_SIDE_MM, find_markers
from tests.calibration.printed import Box, boxes, pictures, sizes_mm

BLACK = (0, 0, 0)
ZONE = tuple(int(TINT[at : at + 2], 16) for at in (1, 3, 5))
WITHIN_MM = 0.1


def mat(players: int, paper: str = "a2") -> Mat:
    return plan_mat(make_layout("jungle-speed", [str(n + 1) for n in range(players)]), PAPERS[paper])


def mat_pdf(made: Mat) -> bytes:
    return pdf_of([(mat_drawing(made), made.paper)])


def rulers(found: list[Box]) -> list[Box]:
    """Lines that are as long as a ruler."""
    return [box for box in found if box.fill is None and abs(box.size[0] - 100) < 1 and box.size[1] < 1]


@pytest.mark.parametrize(("paper", "page"), [("a2", (594, 420)), ("a3", (420, 297)), ("4xa4", (297, 210))])
def test_pages_are_as_large_as_their_paper(paper: str, page: tuple[float, float]) -> None:
    pages = sizes_mm(mat_pdf(mat(2, paper)))
    assert len(pages) == (4 if paper == "4xa4" else 1)
    assert all(size == pytest.approx(page, abs=WITHIN_MM) for size in pages)


@pytest.mark.parametrize("players", [2, 4, 7, 10])
def test_markers_and_zones_of_a_mat_are_true_to_scale_and_in_their_places(players: int) -> None:
    made = mat(players)
    found = boxes(mat_pdf(made))
    middle = (594 / 2, 420 / 2)
    markers = sorted((box for box in found if box.fill == BLACK), key=lambda box: (box.top, box.left))
    centres = sorted(made.centres_mm, key=lambda at: (at[1], at[0]))
    for box, (x, y) in zip(markers, centres, strict=True):
        assert box.size == pytest.approx((MARKER_SIDE_MM, MARKER_SIDE_MM), abs=WITHIN_MM)
        assert (box.left + box.right) / 2 - middle[0] == pytest.approx(x, abs=WITHIN_MM)
        assert (box.top + box.bottom) / 2 - middle[1] == pytest.approx(y, abs=WITHIN_MM)
    drawn = [box for box in found if box.fill == ZONE]
    for zone, box in zip(made.layout.zones.values(), drawn, strict=True):
        placed = (box.left - middle[0], box.top - middle[1], box.right - middle[0], box.bottom - middle[1])
        assert placed == pytest.approx(zone.rect, abs=WITHIN_MM)


@pytest.mark.parametrize("sheet", ["mat", "4xa4", "charuco", "electrodes", "seat"])
def test_every_page_has_a_ruler_of_a_hundred_millimetres(sheet: str) -> None:
    a4 = PAPERS["a4"]
    drawing = {
        "charuco": charuco_drawing,
        "electrodes": lambda: electrode_drawing(Skin()),
        "seat": lambda: seat_pad_drawing(1),
    }
    if sheet in drawing:
        made = drawing[sheet]()
        pdf = pdf_of([(made, fitting(a4, made.size_mm, sheet))])
    else:
        pdf = mat_pdf(mat(3, "4xa4" if sheet == "4xa4" else "a2"))
    for page in range(len(sizes_mm(pdf))):
        (ruler,) = rulers(boxes(pdf, page))
        assert ruler.size[0] == pytest.approx(100, abs=WITHIN_MM)


@pytest.mark.parametrize("players", [2, 3, 6, 9])
def test_the_markers_of_a_mat_are_read_back_with_their_ids_in_their_places(players: int) -> None:
    made = mat(players)
    scale = 4.0
    (page,) = pictures(mat_pdf(made), scale)
    found = find_markers(page)
    assert sorted(found) == [0, 1, 2, 3]
    for one, centre in enumerate(made.centres_mm):
        seen = found[one].mean(0) / scale - np.array([594, 420]) / 2
        assert seen == pytest.approx(centre, abs=0.2)
    # Corners go clockwise from a marker's own top left: none lies on its side.
    assert all(quad[0][0] < quad[1][0] and quad[0][1] < quad[3][1] for quad in found.values())


def glued(made: Mat, scale: float) -> NDArray[np.uint8]:
    """Pages cut at their margins and laid side by side."""
    edge, columns = round(MARGIN_MM * scale), made.paper.columns
    wide, high = (round(side * scale) for side in made.paper.tile_mm)
    cut = [page[edge : edge + high, edge : edge + wide] for page in pictures(mat_pdf(made), scale)]
    rows = [np.concatenate(cut[start : start + columns], axis=1) for start in range(0, len(cut), columns)]
    return np.ascontiguousarray(np.concatenate(rows, axis=0))


@pytest.mark.parametrize("paper", ["4xa4", "9xa4"])
def test_pages_that_are_cut_and_glued_make_one_mat(paper: str) -> None:
    made = mat(4, paper)
    scale = 4.0
    whole = glued(made, scale)
    found = find_markers(whole)
    assert sorted(found) == [0, 1, 2, 3]
    for one, centre in enumerate(made.centres_mm):
        seen = found[one].mean(0) / scale - np.array(made.paper.whole_mm) / 2
        assert seen == pytest.approx(centre, abs=0.5)


@given(st.integers(2, 10), st.sampled_from(sorted(PAPERS)))
def test_markers_stand_clear_of_cards_seams_and_edges_or_are_refused(players: int, paper: str) -> None:
    try:
        made = mat(players, paper)
    except InputError:
        assert paper in ("a4", "letter", "a3")
        return
    reach = MARKER_SIDE_MM / 2 + QUIET_MM - 1e-6
    wide, high = (side / 2 for side in made.paper.whole_mm)
    for x, y in made.centres_mm:
        assert abs(x) + reach <= wide
        assert abs(y) + reach <= high
        for zone in made.layout.zones.values():
            x0, y0, x1, y1 = zone.rect
            assert x - reach >= x1 or x + reach <= x0 or y - reach >= y1 or y + reach <= y0
    for name, over in made.beside().items():
        assert over > 0
        assert name in made.layout.zones


def test_on_a2_nothing_of_four_players_lies_beside_the_mat_and_on_nine_a4_nothing_of_six() -> None:
    assert mat(4).beside() == {}
    assert mat(6, "9xa4").beside() == {}
    assert mat(10).beside()


def test_a_mats_profile_is_read_back_with_its_markers_and_zones(tmp_path: Path) -> None:
    names = ["Ana", 'Bi"lal', "Chloé"]
    made = plan_mat(make_layout("jungle-speed", names), PAPERS["a2"])
    path = tmp_path / "table.toml"
    path.write_text(made.profile("builtin:totem-rush", "/dev/video0"), "utf-8")
    profile, setup = read_profile(path), read_setup(path)
    assert profile.players == tuple(names)
    assert (profile.totem.port, profile.camera["width"]) == (None, 1280)
    assert setup.centres_mm is not None
    for one, centre in enumerate(made.centres_mm):
        assert setup.centres_mm[one] == pytest.approx(centre, abs=0.06)
    read_back = layout_of(profile)
    assert {name: zone.rect for name, zone in read_back.zones.items()} == {
        name: zone.rect for name, zone in made.layout.zones.items()
    }


def seen(page: NDArray[np.uint8], random: np.random.Generator) -> NDArray[np.uint8]:
    """The page as a camera might show it: less light, a little blur and noise."""
    soft = cv2.GaussianBlur(page, (0, 0), 0.7)
    return np.clip(soft * 0.8 + random.normal(0, 3, soft.shape), 0, 255).astype(np.uint8)


def laid(page: NDArray[np.uint8], made: Mat, deck: Deck, scale: float) -> list[str]:
    """Lay a card on each face-up zone, askew; returns their ids."""
    random, ids = np.random.default_rng(5), []
    height, width = page.shape[:2]
    for place, zone in enumerate(z for z in made.layout.zones.values() if z.kind == "face_up"):
        card = deck.cards[(place * 17) % len(deck.cards)]
        face = picture(card)
        angle = random.uniform(-0.3, 0.3)
        turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * deck.card_mm[0] / 2
        quad = (corners @ turn.T + zone.centre_mm) * scale + [width / 2, height / 2]
        high, wide = face.shape[:2]
        h = cv2.getPerspectiveTransform(
            np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float32), quad.astype(np.float32)
        )
        over = cv2.warpPerspective(np.full((high, wide), 255, np.uint8), h, (width, height))
        page[over > 127] = cv2.warpPerspective(face, h, (width, height), flags=cv2.INTER_AREA)[over > 127]
        ids.append(card.id)
    return ids


def test_no_card_is_seen_on_an_empty_mat_and_cards_that_lie_on_it_are_read() -> None:
    deck, made, scale = resolve_deck("builtin:totem-rush"), mat(4), 2.0
    (page,) = pictures(mat_pdf(made), scale)
    reader, random = Reader(deck), np.random.default_rng(7)
    assert reader.read(seen(page, random)) == []
    ids = laid(page, made, deck, scale)
    assert sorted(one.card for one in reader.read(seen(page, random))) == sorted(ids)


def test_the_boards_squares_and_markers_are_true_to_scale() -> None:
    drawing = charuco_drawing()
    paper = fitting(PAPERS["a4"], drawing.size_mm, "the board")
    found = [box for box in boxes(pdf_of([(drawing, paper)])) if box.fill == BLACK]
    left, top = min(box.left for box in found), min(box.top for box in found)
    squares = [box for box in found if box.size[0] > 25]
    assert len(squares) == len(A4_BOARD.black_squares())
    for box, at in zip(squares, A4_BOARD.black_squares(), strict=True):
        assert (box.left - left, box.top - top) == pytest.approx(at, abs=WITHIN_MM)
        assert box.size == pytest.approx((A4_BOARD.square_mm,) * 2, abs=WITHIN_MM)
    markers = [box for box in found if box.size[0] < 25]
    for box, at in zip(markers, A4_BOARD.markers().values(), strict=True):
        assert (box.left - left, box.top - top) == pytest.approx(at, abs=WITHIN_MM)
        assert box.size == pytest.approx((A4_BOARD.marker_mm,) * 2, abs=WITHIN_MM)


@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_opencv_finds_the_whole_board_on_the_sheet_in_its_places(paper: str) -> None:
    drawing, scale = charuco_drawing(), 12.0
    pdf = pdf_of([(drawing, fitting(PAPERS[paper], drawing.size_mm, "the board"))])
    (page,) = pictures(pdf, scale)
    corners, ids, _, marker_ids = cv2.aruco.CharucoDetector(A4_BOARD.aruco_board()).detectBoard(page)
    assert sorted(np.asarray(marker_ids).reshape(-1).tolist()) == sorted(A4_BOARD.markers())
    places = np.asarray(corners).reshape(-1, 2)[np.argsort(np.asarray(ids).reshape(-1))] / scale
    assert places - places.mean(0) == pytest.approx(A4_BOARD.corners() - A4_BOARD.corners().mean(0), abs=WITHIN_MM)


@pytest.mark.parametrize("skin", [Skin(), Skin(8, 6), Skin(6, 4, 40.0, 150.0), Skin(10, 4, 25.5, 100.0, 0.8)], ids=str)
def test_the_pads_of_a_template_go_once_round_the_totem(skin: Skin) -> None:
    drawing = electrode_drawing(skin)
    found = boxes(pdf_of([(drawing, fitting(PAPERS["a4"], drawing.size_mm, "the skin"))]))
    pads = [box for box in found if box.fill is not None and box.fill != BLACK]
    assert len(pads) == skin.rings * skin.sectors
    left = min(box.left for box in pads) - skin.gap_mm / 2
    top = min(box.top for box in pads) - skin.gap_mm / 2
    for pad, box in enumerate(pads):
        ring, sector = divmod(pad, skin.sectors)
        assert box.size == pytest.approx(skin.pad_mm, abs=WITHIN_MM)
        assert box.left - left == pytest.approx(sector * skin.around_mm / skin.sectors + skin.gap_mm / 2, abs=WITHIN_MM)
        below = skin.height_mm - (box.bottom - top)
        assert below == pytest.approx(ring * skin.height_mm / skin.rings + skin.gap_mm / 2, abs=WITHIN_MM)
    outline = max((box for box in found if box.fill is None), key=lambda box: box.size[1])
    assert outline.size[1] == pytest.approx(skin.height_mm, abs=WITHIN_MM)
    assert outline.size[0] == pytest.approx(math.pi * skin.diameter_mm, abs=WITHIN_MM)


def test_the_recommended_skin_has_the_pads_of_the_hardware_page() -> None:
    assert Skin().pad_mm == pytest.approx((22.56, 9.0), abs=0.01)


def test_a_seat_pad_has_the_size_that_was_asked_for() -> None:
    drawing = seat_pad_drawing(2, (180.0, 120.0))
    found = boxes(pdf_of([(drawing, PAPERS["a4"])]))
    foil = max((box for box in found if box.fill is None), key=lambda box: box.size[0] * box.size[1])
    assert foil.size == pytest.approx((180.0, 140.0), abs=WITHIN_MM)


@pytest.mark.parametrize(
    "words",
    [
        ["mat", "--players", "1"],
        ["mat", "--players", "11"],
        ["mat", "--players", "Ana,Ana"],
        ["mat", "--players", "Ana,,Bilal"],
        ["mat", "--players", "4", "--paper", "a4"],
        ["mat", "--players", "2", "--deck", "builtin:nothing"],
        ["mat", "--players", "2", "--profile-out", "table.toml"],
        ["charuco", "--paper", "a4", "--out", "/"],
        ["electrodes", "--rings", "0"],
        ["electrodes", "--sectors", "24"],
        ["electrodes", "--height", "350"],
        ["electrodes", "--diameter", "nan"],
        ["seat-pads", "--players", "3", "--size", "10,10"],
        ["seat-pads", "--players", "3", "--size", "big"],
    ],
    ids=" ".join,
)
def test_what_cannot_be_printed_is_told_in_one_line(
    words: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out = [] if "--out" in words else ["--out", str(tmp_path / "sheet.pdf")]
    assert main(["print", *words, *out]) == 2
    assert capfd.readouterr().err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_sheet_and_profile_and_overwrites_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    out, profile = tmp_path / "mat.pdf", tmp_path / "table.toml"
    words = ["print", "mat", "--players", "Ana,Bilal,Chloé", "--out", str(out), "--profile-out", str(profile), "--json"]
    assert main(words) == 0
    rows = [json.loads(line) for line in capfd.readouterr().out.splitlines()]
    assert rows[0]["beside_mm"] == {"reserve/Chloé": pytest.approx(0.96, abs=0.1)}
    assert len(rows[0]["markers_mm"]) == 4
    assert rows[1] == {"profile": str(profile)}
    assert main(words) == 2
    assert main([*words, "--force"]) == 0
    for sheet in (["charuco"], ["electrodes"], ["seat-pads", "--players", "2"], ["deck", "builtin:jungle-bluff"]):
        assert main(["print", *sheet, "--out", str(tmp_path / f"{sheet[0]}.pdf")]) == 0
        assert (tmp_path / f"{sheet[0]}.pdf").read_bytes().startswith(b"%PDF")
    assert "print at 100 %" in capfd.readouterr().out


@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_words_beside_the_ruler_are_in_the_language_asked_for(language: str) -> None:
    layout = make_layout("jungle-speed", ["Ana", "Chloé"])
    a4 = PAPERS["a4"]
    drawings = (
        mat_drawing(plan_mat(layout, PAPERS["a2"]), language),
        charuco_drawing(A4_BOARD, language),
        electrode_drawing(Skin(), language),
        seat_pad_drawing(1, language=language),
    )
    assert all(drawing.language == language for drawing in drawings)
    other = mat_drawing(plan_mat(layout, PAPERS["a2"]), "fr" if language == "en" else "en")
    assert drawings[0].title != other.title
    assert pdf_of([(drawings[1], a4)]) != pdf_of([(charuco_drawing(A4_BOARD, "fr" if language == "en" else "en"), a4)])


def test_a_name_with_an_accent_stands_on_the_mat_and_one_that_cannot_be_drawn_does_not() -> None:
    def pieces(name: str) -> int:
        return len(mat_drawing(plan_mat(make_layout("jungle-speed", ["Ana", name]), PAPERS["a2"])).body)

    assert pieces("Chloé") == pieces("Chloe") > pieces("雪")


def test_a_zone_that_reaches_the_ruler_leaves_it_readable() -> None:
    """Six on A2: a pile lies where the ruler is; below ruler and title there is white."""
    found = boxes(mat_pdf(mat(6)))
    ruler = rulers(found)[0]
    ground = [box for box in found if box.fill == (255, 255, 255) and box.left < ruler.left and box.right > ruler.right]
    assert ground
    marker_boxes = [box for box in found if box.fill == BLACK]
    for white in ground:
        assert not any(
            box.left < white.right and white.left < box.right and box.top < white.bottom and white.top < box.bottom
            for box in marker_boxes
        )


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("paper", ["a4", "letter"])
def test_nothing_that_is_written_runs_over_the_edge_of_its_page(language: str, paper: str) -> None:
    for drawing in (
        charuco_drawing(A4_BOARD, language),
        electrode_drawing(Skin(), language),
        electrode_drawing(Skin(8, 6, 40.0, 150.0), language),
        seat_pad_drawing(10, language=language),
    ):
        page = fitting(PAPERS[paper], drawing.size_mm, "it")
        written = boxes(pdf_of([(drawing, page)]))
        assert max(box.right for box in written) < page.page_mm[0] - 3, drawing.title
        assert max(box.bottom for box in written) < page.page_mm[1] - 3, drawing.title
