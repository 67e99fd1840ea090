"""deepperf finds, proves and fixes performance problems in deep-learning code."""

from __future__ import annotations

TYPE_CHECKING = False  # importing typing for it would cost more than all the rest
if TYPE_CHECKING:
    from deepperf.check.paths import check_paths as check_paths
    from deepperf.check.run import check_text as check_text
    from deepperf.config.options import Options as Options
    from deepperf.dynamic.region import watch as watch
    from deepperf.records import Finding as Finding
    from deepperf.records import Report as Report

__version__ = "0.1.0"
__all__ = ["Finding", "Options", "Report", "__version__", "check_paths", "check_text", "watch"]

_HOMES = {
    "Finding": "deepperf.records",
    "Options": "deepperf.config.options",
    "Report": "deepperf.records",
    "check_paths": "deepperf.check.paths",
    "check_text": "deepperf.check.run",
    "watch": "deepperf.dynamic.region",
    "load_ipython_extension": "deepperf.surfaces.notebook",
}


def __getattr__(name: str) -> object:
    """Load the public names on first use, so that importing the package costs nothing."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(home), name)
