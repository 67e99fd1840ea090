"""Examples of property tests may take as long as a machine that others share needs for them."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")
