"""A model is evaluated while operations are recorded for gradients that nobody computes."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.imports import spell
from deepperf.fixes.statements import put_under
from deepperf.knowledge.schema import Trait
from deepperf.records import Edit, Finding, Fix, Level, Role, Safety
from deepperf.rules.rule import Rule, each_loop
from deepperf.semantics.query import Call, Function, Kind, Loop, LoopKind, Value

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("abnormal-gpu-memory", "out-of-memory"),
    stage="evaluation",
    level=Level.WARNING,
    frameworks=("torch",),
)

_KINDS = frozenset((LoopKind.BATCH, LoopKind.TOKEN, LoopKind.ROW, LoopKind.UNKNOWN))
_ENDS = frozenset((Kind.COMPARE, Kind.TEST, Kind.FORMAT))
_ESCAPES = frozenset((Kind.RETURN, Kind.YIELD, Kind.SET_ATTRIBUTE, Kind.SET_ITEM))
_LONGEST = 3
"""Functions through which a flag is followed."""
_IN_IT = "record no gradients in it"
_LEARNS = (Trait.BACKPROPAGATES, Trait.STEPS_OPTIMIZER, Trait.TRAINS)


@each_loop
def check(loop: Loop) -> Iterator[Finding]:
    function = loop.function
    if loop.is_comprehension or not function.is_function or "step" in function.runs_for:
        return
    learns = any(function.reaches(trait) for trait in _LEARNS)
    flag = _flag(function) if loop.kind is LoopKind.STEP else None
    if flag is None and (loop.kind not in _KINDS or (learns and not _is_apart(loop))):
        return
    runs = [call for call in loop.calls() if call.loops[0] == loop and _runs_model(call)]
    runs = [call for call in runs if not call.is_gradient_free]
    # Where some parameters are frozen, or inputs ask for gradients, somebody thought of it.
    if not runs or loop.file.mentions("requires_grad") or loop.file.mentions("requires_grad_"):
        return
    uses = [_followed(call.result) for call in runs]
    if any(_is_refused(value) for ends in uses for value in ends):
        return
    escapes = any(value.kind in _ESCAPES for ends in uses for value in ends)
    is_cut = all(any(_is_cut(value) for value in ends) for ends in uses)
    is_evaluation = any(function.calls(Trait.SETS_EVALUATION)) and (flag is not None or not learns)
    if (is_cut and not escapes) or (is_evaluation and not _is_learnt_from(function)):
        fix = _wrapped(loop, flag) if escapes or learns else _decorated(function)
        yield _finding(loop, runs, flag, fix)


def _is_apart(loop: Loop) -> bool:
    """Whether it goes over batches of its own, beside the steps of a function that learns."""
    beside = all(outer.kind is not LoopKind.STEP for outer in loop.outer)
    return loop.kind is LoopKind.BATCH and beside and not loop.reaches(*_LEARNS)


def _flag(function: Function) -> Value | None:
    """The parameter that says whether a function learns, where some callers say it does not."""
    flags: set[Value] | None = None
    for call in function.calls():
        if call.way_to(*_LEARNS):
            tests = [part for test in call.conditions for part in (test, *test.operands)]
            here = {part for part in tests if part.kind is Kind.PARAMETER}
            flags = here if flags is None else flags & here
    return next((flag for flag in flags or () if _is_switch(flag, function)), None)


def _is_switch(flag: Value, function: Function) -> bool:
    """Whether both are passed; where nobody is seen to call, whether it switches to evaluation."""
    if function.callers():
        return _passed(flag, function) >= {True, False}
    switches = function.calls(Trait.SETS_EVALUATION)
    tests = [
        part for call in switches for test in call.conditions for part in (test, *test.operands)
    ]
    return flag in tests


def _passed(flag: Value, function: Function, steps: int = _LONGEST) -> set[object]:
    """The literals that are passed for a parameter where gradients are recorded."""
    place = flag.data - int(function.is_method)
    name, default = function.parameter_names[flag.data], flag.operands[1]
    found = set[object]()
    if place < 0:  # what the method belongs to, which no call passes
        return found
    for call in function.callers():
        given = call.argument(name, place) or default
        if steps and given.kind is Kind.PARAMETER and given != default:
            found |= _passed(given, call.function, steps - 1)
        elif not call.is_gradient_free:
            found.add(given.constant)
    return found


def _runs_model(call: Call) -> bool:
    """Whether it runs a model: one that is known, or what is given a batch that was moved."""
    if call.has(Trait.GENERATES, Trait.INFERS, Trait.SETS_EVALUATION):
        return False
    way = call.way_to(Trait.RUNS_MODULE)
    if way:
        varies = any(argument.dependence(call.loops[0]) for argument in call.arguments)
        return varies and not any(one.is_gradient_free for one in way)
    if call.facts or call.runs or not call.callee.is_unknown:
        return False
    if call.callee.kind not in (Kind.PARAMETER, Kind.NAME, Kind.ATTRIBUTE):
        return False
    given = [one.operands[0] if one.kind is Kind.STAR else one for one in call.arguments]
    return any(one.call is not None and one.call.has(Trait.MOVES) for one in given)


def _followed(made: Value) -> list[Value]:
    """Where what is made of a model's output ends: read on the host, given back, kept."""
    found, seen, pending = list[Value](), {made}, [made]
    while pending:
        one = pending.pop()
        is_last = one.kind in _ENDS or one.kind in _ESCAPES or _is_refused(one)
        if is_last or (one != made and _is_cut(one)):
            found.append(one)
            continue
        kept = one.call is not None and one.call.has(Trait.KEEPS_ARGUMENT)
        holder = one.call.receiver if kept and one.call else None
        new = [user for user in (*one.users, *(holder.users if holder else ())) if user not in seen]
        seen.update(new)
        pending += new
    return found


def _is_cut(value: Value) -> bool:
    call = value.call
    if call is not None:
        return call.has(Trait.CUTS_GRADIENT)
    return value.kind is Kind.COMPARE or (value.kind is Kind.ATTRIBUTE and value.data == "data")


def _is_refused(value: Value) -> bool:
    """Whether PyTorch would refuse: an array is asked of what gradients are recorded for."""
    return value.call is not None and value.is_numpy


def _is_learnt_from(function: Function) -> bool:
    """Whether a caller, which gets what it returns, computes gradients itself."""
    return any(any(call.function.calls(Trait.BACKPROPAGATES)) for call in function.callers())


def _wrapped(loop: Loop, flag: Value | None) -> Fix | None:
    """A `with` around the loop: somebody may compute gradients of what it gives."""
    spelling = spell(loop.file.text, "torch")
    if spelling is None or loop.function.is_generator:
        return None
    name = "" if flag is None else loop.function.parameter_names[flag.data]
    mode = f"set_grad_enabled({name})" if name else "no_grad()"
    start = loop.span[0]
    edits = put_under(loop.file.text, start, start, f"with {spelling.text}.{mode}")
    if edits is None:
        return None
    return Fix("record no gradients around it", (*edits, *spelling.edits), Safety.UNSAFE)


def _decorated(function: Function) -> Fix | None:
    """A decorator, but not on what runs on after it has returned.

    It holds for all that the function computes, not only for what the loop does.
    """
    spelling = spell(function.file_text, "torch")
    if spelling is None or function.is_generator or function.is_async:
        return None
    start = function.span[0]
    margin = " " * (function.location.column - 1)
    edit = Edit(start, start, f"@{spelling.text}.no_grad()\n{margin}")
    safety = Safety.UNSAFE if function.may_need_gradients else Safety.SAFE
    return Fix(_IN_IT, (edit, *spelling.edits), safety)


def _finding(loop: Loop, runs: list[Call], flag: Value | None, fix: Fix | None) -> Finding:
    first, *others = runs
    remedy = "put `with torch.no_grad():` around the loop"
    if flag is not None:
        name = loop.function.parameter_names[flag.data]
        remedy = f"put `with torch.set_grad_enabled({name}):` around what runs the model"
    elif fix is not None and fix.title == _IN_IT:
        remedy += f", or decorate `{loop.function.name}` with it"
    return rule.finding(
        first,
        f"`{first.name}` is run in each iteration of `{loop.header}` while operations are recorded"
        " for gradients that nobody computes",
        remedy,
        fix=fix,
        framework="torch",
        level=Level.WARNING if flag is None and _is_seen_to_record(loop, runs) else Level.NOTE,
        related=tuple([call.step(f"`{call.name}` is run, too") for call in others]),
        estimate=0.1,
    )


def _is_seen_to_record(loop: Loop, runs: list[Call]) -> bool:
    """Whether the program itself is seen to go over batches with it while gradients are recorded.

    A function that nobody calls, or only tests do, may be called without. For a model without
    parameters, or with frozen ones, nothing is recorded.
    """
    ways = [way for run in runs if (way := run.way_to(Trait.RUNS_MODULE))]
    if ways and not any(way[-1].is_seen_to_learn for way in ways):
        return False
    if loop.kind is not LoopKind.BATCH or loop.is_while or loop.reaches(Trait.DIFFERENTIATES):
        return False
    callers = [call for call in loop.function.callers() if call.file.role is Role.SOURCE]
    return any(call.is_recorded for call in callers)
