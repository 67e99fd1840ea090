"""Tells signals of the runs of TF1 sessions."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

from deepperf.dynamic.recording.tape import Tape

LISTENERS = "_deepperf_listeners"
"""Where `run` keeps who is told: wrapped once, it costs as much as for one."""

Ended = Callable[[float], None]
"""Is told how many seconds a run took."""
Begun = Callable[[Any, Any, Any], Ended | None]
"""Is given the session, what is fetched and what is fed; None where it is not interested."""


def before_runs(tape: Tape, what: str, begun: Begun) -> None:
    """Have a signal, `what`, told of each run before it begins."""
    tape.imports.after(
        "tensorflow.python.client.session", lambda module: _wrap(tape, what, begun, module)
    )


def _wrap(tape: Tape, what: str, begun: Begun, module: ModuleType) -> None:
    cls: Any = module.BaseSession
    run = cls.run
    others: list[tuple[str, Begun]] | None = getattr(run, LISTENERS, None)
    if others is not None:
        others.append((what, begun))
        return
    listeners = [(what, begun)]

    @functools.wraps(run)
    def watched(self: Any, fetches: Any, feed_dict: Any = None, *rest: Any, **named: Any) -> Any:
        if not tape.active:
            return run(self, fetches, feed_dict, *rest, **named)
        asked = [
            (signal, tape.uncounted(signal, functools.partial(listener, self, fetches, feed_dict)))
            for signal, listener in listeners
        ]
        begin = time.perf_counter()
        try:
            return run(self, fetches, feed_dict, *rest, **named)
        finally:
            seconds = time.perf_counter() - begin
            for signal, ended in asked:
                if ended is not None:
                    tape.guarded(signal, functools.partial(ended, seconds))

    setattr(watched, LISTENERS, listeners)
    cls.run = watched
