"""The process in which the user's program runs, watched."""

from __future__ import annotations

import atexit
import functools
import os
import runpy
import signal
import sys
import types
from collections.abc import Callable, Collection
from importlib.machinery import PathFinder
from pathlib import Path
from types import TracebackType
from typing import NoReturn

from deepperf.dynamic import children
from deepperf.dynamic.frameworks import device_use, requests, step_hooks, torch_compiling
from deepperf.dynamic.recording import span
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.unseen import is_stand_in
from deepperf.dynamic.signals import signals


def main(words: list[str], began_with: Collection[str]) -> None:
    """Run what `words` say, as Python itself would, and leave the trace behind.

    They are the trace's path, and `script.py arguments…` or `-m module arguments…`; `began_with`
    names the modules that any Python process begins with.
    """
    tape = Tape(Path(words[0]).absolute(), [sys.executable, *words[1:]])
    run_for(tape, words[1:], began_with, record)


def run_for(
    tape: Tape, words: list[str], began_with: Collection[str], begin: Callable[[Tape], None]
) -> None:
    """Run what `words` say for a tape, which `begin` makes ready."""
    # Registered first, so run last: what the program does at its end is seen, too.
    atexit.register(tape.finish)
    finish_before_hard_exits(tape)
    folder = os.environ.get(children.FOLDER)
    if folder:
        children.have_recorded(Path(folder))
        tape.forks = Path(folder)
    begin(tape)
    if words[0] == "-m":
        sys.argv = words[1:]
        _look_first_in(os.getcwd(), began_with)
        _watched(lambda: runpy.run_module(words[1], run_name="__main__", alter_sys=True), tape)
    else:
        sys.argv = words[:]
        # Python, too, knows its script by the whole path.
        script = os.path.abspath(words[0])
        _look_first_in(os.path.dirname(os.path.realpath(script)), began_with)
        _watched(lambda: _run_script(script, tape), tape)


def _look_first_in(folder: str, began_with: Collection[str]) -> None:
    """Let the program import from its folder first, also what goes by the name of a module of
    Python's that we needed and it would not have found loaded."""
    if getattr(sys.flags, "safe_path", False):
        return
    sys.path.insert(0, folder)
    try:
        own = {name.partition(".")[0] for name in os.listdir(folder)} - {"deepperf", "__main__"}
    except OSError:
        return
    for name in [*sys.modules]:
        top = name.partition(".")[0]
        if top in own and name not in began_with and _is_found_in(folder, top):
            del sys.modules[name]


def _is_found_in(folder: str, name: str) -> bool:
    found = PathFinder.find_spec(name, [folder])
    return found is not None and found.origin is not None


def finish_before_hard_exits(tape: Tape) -> None:
    """`os._exit` calls nothing that was registered."""
    leave = os._exit

    @functools.wraps(leave)
    def finish(status: int) -> NoReturn:
        if tape.active:
            tape.guarded("the end", tape.finish)
        leave(status)

    os._exit = finish


def record(tape: Tape, before: float = 0.0) -> None:
    """Have all signals watch what this process does from now on; `before` is as `Tape.start` has
    it."""
    tape.guarded("the step clock", lambda: step_hooks.watch(tape))
    tape.guarded("torch.compile", lambda: torch_compiling.leave_out(tape))
    tape.guarded("requests", lambda: requests.time_requests(tape))
    tape.guarded("accelerators", lambda: device_use.follow(tape))
    for one in signals():
        tape.guarded(f"signal {one.NAME}", lambda one=one: one.watch(tape))  # type: ignore[misc]
    tape.start(before)
    tape.guarded("the part to watch", lambda: span.watch_only(tape, os.environ))


def _run_script(script: str, tape: Tape) -> None:
    module = types.ModuleType("__main__")
    module.__dict__.update(__file__=script, __builtins__=__builtins__, __cached__=None)
    sys.modules["__main__"] = module
    try:
        with open(script, "rb") as stream:
            source = stream.read()
    except OSError as error:
        print(
            f"{sys.executable}: can't open file {script!r}: [Errno {error.errno}] {error.strerror}",
            file=sys.stderr,
        )
        sys.exit(2)
    tape.main = compile(source, script, "exec", dont_inherit=True)
    exec(tape.main, module.__dict__)


def _watched(program: Callable[[], object], tape: Tape) -> None:
    try:
        program()
    except SystemExit:
        raise
    except KeyboardInterrupt as error:
        _tell(error)
        tape.finish("interrupted")
        # Whoever waits for the program learns that it was interrupted, as from Python itself.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException as error:  # noqa: BLE001 - the user's own, told as Python tells it
        if isinstance(error, ImportError) and _is_of_runpy(error.__traceback__):
            print(f"{sys.executable}: {error}", file=sys.stderr)
        else:
            _tell(error)
        sys.exit(1)


def _is_of_runpy(trace: TracebackType | None) -> bool:
    """Whether it was raised where Python looks for what `-m` names."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    name = trace.tb_frame.f_code.co_filename if trace is not None else ""
    return name == "<frozen runpy>" or name.endswith(os.sep + "runpy.py")


def _tell(error: BaseException) -> None:
    """Print the traceback, from where it reaches the user's code."""
    told = error.with_traceback(_own(error.__traceback__))
    sys.excepthook(type(told), told, told.__traceback__)


def _own(trace: TracebackType | None) -> TracebackType | None:
    """What of a traceback is not ours, from where it reaches the user's code."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    while trace is not None and trace.tb_next is not None:
        name = trace.tb_frame.f_code.co_filename
        if not name.startswith((home, "<frozen runpy>")) and not name.endswith(os.sep + "runpy.py"):
            break
        trace = trace.tb_next
    return _without(home, trace)


def _without(home: str, trace: TracebackType | None) -> TracebackType | None:
    """A traceback without the frames of what listens to a framework."""
    kept = []
    while trace is not None:
        code = trace.tb_frame.f_code
        if not code.co_filename.startswith(home) and not is_stand_in(code):
            kept.append(trace)
        trace = trace.tb_next
    made: TracebackType | None = None
    for part in reversed(kept):
        made = TracebackType(made, part.tb_frame, part.tb_lasti, part.tb_lineno)
    return made
