"""Saving, drawing, logging, or a metric over all that was seen, takes a part of each step."""

from __future__ import annotations

import ast
import itertools
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis
from deepperf.dynamic.frameworks.torch_compiling import after_optimizer_steps
from deepperf.dynamic.program.text import tree_of
from deepperf.dynamic.program.turns import Loop, loops_around, names_in
from deepperf.dynamic.recording.frame_variables import user_frames
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Samples, Trace

NAME = "step-chores"
RULES = ()
COSTLY = 0.05
"""Share of the run from which on something that trains nothing is worth doing less often."""
COSTLY_SELDOM = 0.2
"""The same where the program already does it only now and then, on purpose."""
FEWEST_STEPS = 32
"""Steps of an optimizer: with fewer, a run is a trial, and what it says at each is welcome."""
LOOKED_AT = (4, 8, 16)
LOOK_EVERY = 256
"""Steps between two looks at where they are made."""
MOST_WAYS = 16
"""Ways to one line that steps."""
OUTERMOST = 6
"""Lines of the user's from a step outwards that are kept."""
INCIDENTAL = frozenset(
    [
        "item",
        "float",
        "int",
        "str",
        "len",
        "round",
        "format",
        "detach",
        "cpu",
        "numpy",
        "tolist",
        "state_dict",
        "join",
        "dict",
        "list",
        "min",
        "max",
        "sum",
        "mean",
        "time",
        "perf_counter",
        "get_last_lr",
        "exp",
        "sqrt",
        "size",
        "abs",
        "append",
        "zip",
        "enumerate",
        "range",
        "items",
        "keys",
        "values",
        "path",
        "Path",
        "exists",
        "figure",
        "title",
        "xlabel",
        "ylabel",
        "legend",
        "grid",
        "close",
        "clf",
        "cla",
        "gca",
        "gcf",
        "subplots",
        "flush_secs",
        "parameters",
        "to",
    ]
)
"""What may be called along the way, and costs little."""


@dataclass(frozen=True, slots=True)
class _Chore:
    names: frozenset[str]
    message: str
    remedy: str


CHORES = (
    _Chore(
        frozenset(
            [
                "save",
                "save_pretrained",
                "save_checkpoint",
                "save_model",
                "save_weights",
                "save_file",
                "dump",
            ]
        ),
        "a checkpoint is written in the loop of steps",
        "write one at the end of an epoch, or every so many minutes",
    ),
    _Chore(
        frozenset(
            [
                "savefig",
                "show",
                "pause",
                "draw",
                "plot",
                "imshow",
                "imsave",
                "imwrite",
                "add_figure",
                "scatter",
                "hist",
            ]
        ),
        "something is drawn in the loop of steps",
        "keep the numbers, and draw them every so many steps or when the training is over",
    ),
    _Chore(
        frozenset(
            [
                "print",
                "info",
                "debug",
                "warning",
                "log",
                "add_scalar",
                "add_scalars",
                "add_histogram",
                "add_image",
                "log_metric",
                "log_metrics",
                "write",
                "writelines",
                "writerow",
                "to_csv",
                "flush",
                "set_postfix",
                "set_postfix_str",
                "set_description",
            ]
        ),
        "each step is logged",
        "gather the numbers, and log them every so many steps",
    ),
)
OVER_ALL = _Chore(
    frozenset(),
    "each step computes anew over all that was gathered so far",
    "keep running sums, or compute it once, after the loop",
)


def watch(tape: Tape) -> None:
    """Learn from which lines optimizers are asked to step."""
    steps = itertools.count(1)

    def ended(optimizer: Any) -> None:
        step = next(steps)
        if tape.active and (step in LOOKED_AT or step % LOOK_EVERY == 0):
            frame = sys._getframe(1)
            tape.guarded(NAME, lambda: _note(tape, optimizer, frame))

    after_optimizer_steps(tape, ended)


def _note(tape: Tape, optimizer: Any, frame: Any) -> None:
    lines = [
        [tape.code.path_of(one.f_code.co_filename), one.f_lineno]
        for one in user_frames(tape.code, frame)
    ][:OUTERMOST]
    place = tape.code.place(frame)
    if place is None:
        return
    device = optimizer.param_groups[0]["params"][0].device.type
    tape.note(NAME, place, detail={"device": device})
    ways = tape.detail(NAME, place).setdefault("ways", [])
    if lines not in ways and len(ways) < MOST_WAYS:
        ways.append(lines)


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The statements of loops of steps that train nothing, and take long."""
    if max(trace.steps.values(), default=0) < FEWEST_STEPS:
        return
    told: set[tuple[str, int]] = set()
    for seen in trace.observations:
        # What waits for a device waits for the step itself.
        if seen.kind != NAME or seen.detail.get("device") != "cpu":
            continue
        for lines in seen.detail.get("ways", ()):
            file, loop = _loop_of_steps(lines)
            for statement, chore, share in _chores(trace, file, loop):
                if (file, statement.lineno) not in told:
                    told.add((file, statement.lineno))
                    yield _diagnosis(trace, file, statement, chore, share)


def _chores(trace: Trace, file: str, loop: Loop | None) -> Iterator[tuple[ast.stmt, _Chore, float]]:
    """The chores of a loop that cost enough, and the share of each."""
    if loop is None:
        return
    for statement, is_seldom in _statements(file, loop):
        share = _share(trace, file, statement)
        if share >= (COSTLY_SELDOM if is_seldom else COSTLY):
            chore = _chore(statement, loop)
            if chore is not None:
                yield statement, chore, share


def _loop_of_steps(lines: Iterable[Any]) -> tuple[str, Loop | None]:
    """The innermost loop around the line that steps, or around what calls that."""
    for file, line in lines:
        around = loops_around(file, line)
        if around:
            return file, around[0]
    return "", None


def _statements(file: str, loop: Loop) -> Iterator[tuple[ast.stmt, bool]]:
    """The simple statements of a loop and of functions of the same file that it calls by name,
    each with whether it is run only in some turns."""
    yield from _within(loop.body, is_seldom=False)
    tree = tree_of(file)
    called = {_called(node) for node in ast.walk(loop) if isinstance(node, ast.Call)}
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.FunctionDef) and node.name in called:
            yield from _within(node.body, is_seldom=False)


def _within(body: list[ast.stmt], *, is_seldom: bool) -> Iterator[tuple[ast.stmt, bool]]:
    for statement in body:
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef, ast.For, ast.While)):
            continue
        inner = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
        if not any(inner):
            yield statement, is_seldom
        is_chosen = isinstance(statement, ast.If)
        for part in inner:
            yield from _within(part, is_seldom=is_seldom or is_chosen)


def _called(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _chore(statement: ast.stmt, loop: Loop) -> _Chore | None:
    """What a statement does that trains nothing; None where it does anything else as well."""
    calls = [node for node in ast.walk(statement) if isinstance(node, ast.Call)]
    named = {_called(call) for call in calls}
    if isinstance(statement, ast.Expr):
        for chore in CHORES:
            if named & chore.names and not named - INCIDENTAL - chore.names:
                return chore
    gathered = _gathered(loop)
    for call in calls:
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        if any(ast.unparse(one) in gathered for one in given) and _called(call) != "len":
            return OVER_ALL
    return None


def _gathered(loop: Loop) -> set[str]:
    """What a loop appends to, and never empties."""
    found = set()
    emptied = set()
    for node in ast.walk(loop):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr in ("append", "extend"):
                found.add(ast.unparse(node.func.value))
            elif node.func.attr in ("clear", "pop", "popleft"):
                emptied.add(ast.unparse(node.func.value))
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                emptied |= names_in(target)
    return found - emptied


def _share(trace: Trace, file: str, statement: ast.stmt) -> float:
    """The share of the run in which it was the innermost statement of the user's."""
    lines = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
    own = sum(one.own for one in trace.samples if one.file == file and one.line in lines)
    return own / trace.sampled if trace.sampled else 0.0


def _diagnosis(
    trace: Trace, file: str, statement: ast.stmt, chore: _Chore, share: float
) -> Diagnosis:
    at = next(
        (one for one in trace.samples if (one.file, one.line) == (file, statement.lineno)),
        Samples(file, statement.lineno, "", 0, 0, 0),
    )
    steps = max(trace.steps.values())
    return Diagnosis(
        signal=NAME,
        cause="inefficient-api-usage",
        file=file,
        line=statement.lineno,
        function=at.function,
        message=chore.message,
        evidence=f"{share:.0%} of the time of a run of {steps:,} steps is spent at it",
        remedy=chore.remedy,
        share=share,
    )
