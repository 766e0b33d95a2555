"""The settings of each way to build a totem: pins that exist, each used once, and can do what is asked of them."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType

import pytest

from referee.sim import firmware
from referee.totem.scans import Layout
from tests.firmware.desk_totem import FIRMWARE

BUILDS = sorted((FIRMWARE.parent / "builds").glob("*.py"))
PICO_PINS = {*range(23), 26, 27, 28}
LIGHT = 25
# RP2040 data sheet, section 1.4.3: functions of the pins
I2C0_SDA, I2C0_SCL = {0, 4, 8, 12, 16, 20}, {1, 5, 9, 13, 17, 21}
UART0_TX = {0, 12, 16, 28}
UART_RX = {0: {1, 13, 17}, 1: {5, 9, 21}}


def settings(file: Path) -> ModuleType:
    """A settings file as the board imports it."""
    return firmware.load(("defaults", "config"), files={"config": file})["config"]


def used_pins(config: ModuleType) -> list[int]:
    """Every pin that something is wired to."""
    pins = [*config.PAD_PINS, *config.SEAT_PINS, *config.SEAT_ADDRESS_PINS]
    pins += [pin for _, pin, _ in config.SECONDARIES]
    single = [config.SYNC_PIN, config.UART_TX_PIN, config.SEAT_ENABLE_PIN, config.BASE_PIN, config.LAMP_PIN]
    if config.MOTION_SENSOR or config.BUILD == "A":
        single += [config.I2C_SDA_PIN, config.I2C_SCL_PIN]
    return pins + [pin for pin in single if pin is not None]


@pytest.mark.parametrize("file", [*BUILDS, FIRMWARE / "config.py"], ids=lambda file: file.stem)
class TestEachBuild:
    def test_every_pin_exists_and_is_used_once(self, file: Path) -> None:
        pins = used_pins(settings(file))
        assert len(pins) == len(set(pins))
        assert set(pins) <= PICO_PINS | {LIGHT}

    def test_buses_are_on_pins_that_can_carry_them(self, file: Path) -> None:
        config = settings(file)
        if config.MOTION_SENSOR or config.BUILD == "A":
            assert config.I2C_SDA_PIN in I2C0_SDA
            assert config.I2C_SCL_PIN in I2C0_SCL
        assert config.UART_TX_PIN is None or config.UART_TX_PIN in UART0_TX
        numbers = [number for number, _, _ in config.SECONDARIES]
        assert len(numbers) == len(set(numbers))
        assert all(pin in UART_RX[number] for number, pin, _ in config.SECONDARIES)

    def test_pads_and_layout_agree(self, file: Path) -> None:
        config = settings(file)
        if config.ROLE == "secondary":
            return
        rings = tuple(tenths / 10 for tenths in config.RING_TENTHS)
        layout = Layout(config.RINGS, config.SECTORS, rings, seats=config.SEATS)
        wired = len(config.PAD_PINS) + sum(pads for _, _, pads in config.SECONDARIES)
        if config.BUILD == "A":
            wired = 12 * len(config.MPR121_ADDRESSES)
        assert layout.pads == wired
        if config.SEATS:
            assert config.SEATS <= max(len(config.SEAT_PINS), 2 ** len(config.SEAT_ADDRESS_PINS))


@pytest.mark.parametrize("kind", ["c2", "c3"])
def test_primary_and_secondary_agree_on_pulses_and_pads(kind: str) -> None:
    folder = FIRMWARE.parent / "builds"
    primary, secondary = settings(folder / f"{kind}-primary.py"), settings(folder / f"{kind}-secondary.py")
    assert primary.SEATS == secondary.SEATS
    assert primary.BAUD == secondary.BAUD
    assert all(pads == len(secondary.PAD_PINS) for _, _, pads in primary.SECONDARIES)
