"""Forks of a watched program, of which Python warns where threads run beside: ours are some."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Callable

THREADS = "deepperf"
"""How the names of all threads of ours begin."""
_MESSAGE = r"This process \(pid=\d+\) is multi-threaded, use of fork\(\)"


def after_fork(done: Callable[[], None]) -> None:
    """Have a forked child do something; Windows has none."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=done)


def keep_forks_quiet() -> None:
    """Have no warning of a fork in a program that alone would have no second thread."""
    if sys.version_info >= (3, 12) and hasattr(os, "register_at_fork"):  # the first that warns
        os.register_at_fork(before=_before_fork)


def _before_fork() -> None:
    others = [one for one in threading.enumerate() if not one.name.startswith(THREADS)]
    if others == [threading.current_thread()]:
        # Put in front each time: the program may have set filters of its own since.
        warnings.filterwarnings("ignore", _MESSAGE, DeprecationWarning)
