"""What holds for all tests, wherever they are started."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

# Examples of property tests may take as long as a machine that others share needs for them.
settings.register_profile("shared", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("shared")

# A shell ignores interrupts in what it starts in the background, and programs that tests start
# and interrupt would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def apart(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The caches of what tests check lie apart from the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DEEPPERF_CACHE_DIR", str(tmp_path_factory.mktemp("caches")))
        yield
