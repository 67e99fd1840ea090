"""What holds for all tests, wherever they are started."""

from __future__ import annotations

import signal

from hypothesis import HealthCheck, settings

# Examples of property tests may take as long as a machine that others share needs for them.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")

# A shell ignores interrupts in what it starts in the background, and programs that tests start
# and interrupt would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
