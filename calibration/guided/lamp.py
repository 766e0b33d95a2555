"""The step for the time: the totem's lamp blinks, the camera looks on.

Does not belong here: blinking and fitting (`calibration.lamp`).
"""

from __future__ import annotations

from contextlib import closing
from typing import Any

from calibration.devices import device_name
from calibration.guided.bench import Bench, Step, Values, unknown
from calibration.lamp import SECONDS, measure_offset, time_part
from calibration.lamp_time import CameraOffset
from referee.errors import InputError


class TimeStep(Step):
    """Blink when asked to, fit, keep."""

    name = "time"
    seconds = SECONDS

    def __init__(self, bench: Bench) -> None:
        super().__init__(bench)
        self._share: float | None = None
        self._found: CameraOffset | None = None
        self._totem = ""

    def do(self, word: str, values: Values) -> None:
        if word == "go":
            self._blink()
        elif word == "keep":
            if self._found is None:
                raise InputError("the time was not measured yet")
            self.bench.write(time_part(self._found, device_name(self.bench.eye.source), self._totem))
        else:
            raise unknown(self.name, word)

    def _blink(self) -> None:
        if not self.bench.eye.live:
            raise InputError(
                f"{self.bench.eye.source}: is a recording, expected a live camera that sees the totem's lamp"
            )
        self._share, self._found = 0.0, None
        try:
            with closing(self.bench.open_totem()) as link:
                self._totem = device_name(link.name)
                self._found = measure_offset(
                    link, self.bench.eye.camera, self.bench.clock, self.seconds, told=self._told
                )
        finally:
            self._share = None

    def _told(self, share: float) -> None:
        self._share = share
        self.bench.breathe()

    def words(self) -> dict[str, Any]:
        found = self._found
        said: dict[str, Any] = {
            "share": None if self._share is None else round(self._share, 2),
            "live": self.bench.eye.live,
            "seconds": round(self.seconds),
            "found": None,
        }
        if found is not None:
            said["found"] = {
                "offset_ms": round(found.offset_us / 1000, 1),
                "error_ms": round(found.error_us / 1000, 1),
                "drift_ppm": round(found.drift_ppm),
                "changes": found.changes,
            }
        return said
