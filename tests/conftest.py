"""What holds for every test: none depends on how fast this machine is just now."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("referee", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("referee")
