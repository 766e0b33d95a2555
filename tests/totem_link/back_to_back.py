"""The firmware's logic and the host's, wired back to back in memory: no port, no thread, no waiting."""

from __future__ import annotations

import numpy as np

from referee.sim.totem_device import TracePads, TraceSettings, load_logic
from referee.totem.receiver import Receiver
from referee.totem.scans import Layout, ScanBatch

LOGIC = load_logic()


def trace(scans: int, rings: int = 3, sectors: int = 4, seats: int = 0, seed: int = 0) -> ScanBatch:
    """Readings drawn at random: a transport must not care what they are."""
    draw = np.random.default_rng(seed)
    layout = Layout(rings, sectors, tuple(5.0 + 10 * ring for ring in range(rings)), seats=seats)
    steps = draw.integers(900, 1100, scans)
    return ScanBatch(
        layout=layout,
        boot_id=7,
        t_us=np.cumsum(steps).astype(np.int64),
        counts=draw.integers(0, 1 << 16, (scans, layout.pads)).astype(np.int32),
        tilt_deg=(draw.integers(0, 18_000, scans) / 100).astype(np.float32),
        yaw_deg=(draw.integers(-18_000, 18_000, scans) / 100).astype(np.float32),
        seated=draw.random(scans) < 0.5,
        seat_index=draw.integers(-1, seats, scans).astype(np.int8) if seats else None,
        seat_delta=draw.integers(-(1 << 15), 1 << 15, (scans, layout.pads)).astype(np.int16) if seats else None,
    )


class MemoryPort:
    """The firmware's port as two byte arrays; `open_` off is a host that does not read."""

    def __init__(self) -> None:
        self.to_totem = bytearray()
        self.from_totem = bytearray()
        self.open_ = True

    def read_byte(self) -> int:
        return self.to_totem.pop(0) if self.to_totem else -1

    def ready(self) -> bool:
        return self.open_

    def write(self, block: bytearray) -> int:
        self.from_totem += block
        return len(block)


class Pair:
    """A totem that plays `scans` and a host, sharing one clock that moves only with the scans."""

    def __init__(
        self, scans: ScanBatch, batch: int = 4, window_bytes: int = 64 * 1024, boot_id: bytes = b"\1\2\3\4"
    ) -> None:
        self.scans = scans
        self.port = MemoryPort()
        self.pads = TracePads(scans)
        self.now_us = int(scans.t_us[0])
        self.device = LOGIC.Device(
            TraceSettings(scans, batch, window_bytes),
            self.pads,
            self.pads,
            self.pads,
            self.port,
            boot_id,
            lambda: self.now_us & 0x3FFFFFFF,
        )
        self.receiver = Receiver()
        self.got: list[ScanBatch] = []

    def take_bytes(self) -> bytes:
        """What the totem has sent since the last call."""
        data = bytes(self.port.from_totem)
        self.port.from_totem.clear()
        return data

    def step(self) -> bytes:
        """One scan of the totem; returns what it sent."""
        self.now_us = self.pads.next_us()
        self.device.step()
        return self.take_bytes()

    def talk(self, data: bytes) -> None:
        """Hand bytes to the host and its answer to the totem."""
        self.got += self.receiver.receive(data, self.now_us)
        self.port.to_totem += self.receiver.to_send(self.now_us)

    def run(self, steps: int) -> None:
        """So many scans with an undisturbed line."""
        for _ in range(steps):
            self.talk(self.step())
