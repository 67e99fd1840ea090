"""How long a web service takes for its requests, by the function that answers them."""

from __future__ import annotations

import functools
import time
from typing import Any

from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.unseen import standing_for

REQUESTS = "requests"
"""What is noted of a function's first line: how many requests, and the seconds that they took."""


def time_requests(tape: Tape) -> None:
    """Note how long requests take in Starlette, on which FastAPI stands, and in Flask."""
    tape.imports.after("starlette.routing", functools.partial(_watch_starlette, tape))
    tape.imports.after("flask.app", functools.partial(_watch_flask, tape))


def _watch_starlette(tape: Tape, module: Any) -> None:
    cls: Any = module.Route
    handle = cls.handle

    @standing_for(handle)
    async def timed(self: Any, *arguments: Any, **named: Any) -> Any:
        begin = time.perf_counter()
        try:
            return await handle(self, *arguments, **named)
        finally:
            _note(tape, self.endpoint, time.perf_counter() - begin)

    cls.handle = timed


def _watch_flask(tape: Tape, module: Any) -> None:
    cls: Any = module.Flask
    dispatch = cls.dispatch_request

    @standing_for(dispatch)
    def timed(self: Any, *arguments: Any, **named: Any) -> Any:
        begin = time.perf_counter()
        try:
            return dispatch(self, *arguments, **named)
        finally:
            seconds = time.perf_counter() - begin
            tape.guarded(REQUESTS, lambda: _note(tape, _view_of(self), seconds))

    cls.dispatch_request = timed


def _view_of(app: Any) -> Any:
    import flask  # type: ignore[import-not-found, unused-ignore]

    rule = flask.request.url_rule
    return app.view_functions.get(rule.endpoint) if rule is not None else None


def _note(tape: Tape, endpoint: Any, seconds: float) -> None:
    function = getattr(endpoint, "__wrapped__", endpoint)
    code = getattr(function, "__code__", None)
    if code is None or not tape.active:
        return
    path = tape.code.path_of(code.co_filename)
    if path:
        place = Place(path, code.co_firstlineno, code.co_name)
        tape.note(REQUESTS, place, seconds=seconds)
        detail = tape.detail(REQUESTS, place)
        detail["longest"] = max(seconds, detail.get("longest", 0.0))
