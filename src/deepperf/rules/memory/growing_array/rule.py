"""An array is copied into a longer one in every iteration, so that copying grows quadratically."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_function, each_loop
from deepperf.semantics.query import (
    Call,
    Cost,
    Dependence,
    Function,
    Guard,
    Iteration,
    Kind,
    Loop,
    LoopKind,
    Residence,
    Value,
    level_of,
    share,
)

rule = Rule(
    module=__name__,
    cause="missed-efficient-api",
    symptoms=("increasing-time", "slow-execution"),
    stage="unknown",
    level=Level.NOTE,
    frameworks=("torch", "numpy", "jax", "tensorflow"),
)

_SHORT = frozenset(
    (LoopKind.EPOCH, LoopKind.FEW, LoopKind.PARAMETER, LoopKind.LAYER, LoopKind.TOKEN)
)
_FEW_TIMES = 32
_OFTEN = frozenset(("step", "batch", "item", "row", "unknown"))
_ON_HOST = 10.0  # so much longer takes the host to copy than an accelerator
_WORKS = (Trait.RUNS_MODULE, Trait.READS_FILE, Trait.TRAINS, Trait.BACKPROPAGATES)
_MEETINGS = frozenset((Kind.PHI, Kind.CYCLE, Kind.CHOICE))
_DISPLAYS = frozenset((Kind.LIST, Kind.TUPLE))
_SKETCH = """\
parts = []
{header}:
    ...
    parts.append({part})  # instead of `{call}`
{grown} = {join}({arguments})  # once, after the loop
"""
_GRAPH_SKETCH = """\
parts = tf.TensorArray({grown}.dtype, size=0, dynamic_size=True)
{header}:
    ...
    parts = parts.write(parts.size(), {part})  # instead of `{call}`
{grown} = parts.concat()  # once, after the loop
"""
_LOOKS = frozenset((Kind.COMPARE, Kind.TEST, Kind.LOGIC, *_MEETINGS))
_KEPT = frozenset((Kind.ATTRIBUTE, Kind.ITEM))
_KEEPING = frozenset((Kind.SET_ATTRIBUTE, Kind.SET_ITEM))
_SIZES = frozenset(("shape", "size", "numel", "ndim", "dim", "empty"))


@each_loop
def check(loop: Loop) -> Iterator[Finding]:
    count = loop.trip_count
    if loop.is_comprehension or loop.kind in _SHORT or (count or _FEW_TIMES) < _FEW_TIMES:
        return
    for call in loop.calls(Trait.GROWS):
        around = [outer for outer in call.loops if outer.kind is not LoopKind.FEW]
        grown = _grown(call, loop) if around[:1] == [loop] and not _multiplies(call) else ""
        if grown and call.guard(loop) is Guard.UNKNOWN:
            estimate = _estimate(call, loop)
            if level_of(estimate) is not None:
                yield _finding(call, grown, loop, estimate)


@each_function
def check_method(function: Function) -> Iterator[Finding]:
    """An attribute that a method makes longer grows with each call of the method."""
    for call in function.calls(Trait.GROWS) if function.is_method else ():
        grown = [one for one in _operands(call) if one.kind is Kind.ATTRIBUTE]
        if call.loops or call.guard() is not Guard.UNKNOWN or not grown or _multiplies(call):
            continue
        if function.name == "__init__" or grown[0].operands[0] in function.parameters[1:]:
            continue  # what a caller makes, or passes, is mostly another one each time
        if not function.runs_for & _OFTEN:
            return
        if any(_sets(user, grown[0]) for user in call.result.readers):
            yield rule.finding(
                call,
                f"each call of `{function.name}` copies all of `{grown[0].text}` to make it longer",
                "append to a list, or write into an array of its final length: "
                f"`{call.name}` copies everything that was there before",
                framework=call.framework if call.framework in rule.frameworks else "numpy",
                estimate=share(Cost.GROW, 1.0, Iteration.STEP),
            )


def _multiplies(call: Call) -> bool:
    """Whether it joins something with itself: few iterations are needed for any length."""
    joined = [argument.operands for argument in call.arguments if argument.kind in _DISPLAYS]
    return any(len(parts) > len({part.source for part in parts}) == 1 for parts in joined)


def _sets(user: Value, read: Value) -> bool:
    """Whether an operation sets the attribute that another reads."""
    same = user.kind is Kind.SET_ATTRIBUTE and user.data == read.data
    return same and user.operands[0] == read.operands[0]


def _grown(call: Call, loop: Loop) -> str:
    """What the call gives back longer, to itself in the next iteration; "" for nothing."""
    for operand in _operands(call):
        for head in loop.carried:
            if head in _met(operand):
                sources = _met(head)
                if call.result in sources and _only_grows(sources, call, loop):
                    return call.result.variable
        if operand.kind in _KEPT and _is_kept(operand, call, loop):
            return operand.text
    return ""


def _is_kept(operand: Value, call: Call, loop: Loop) -> bool:
    """Whether an attribute or item, which nothing else in the loop uses, is set to the result."""
    uses = [use for use in loop.values(*_KEPT, *_KEEPING) if use.source == operand.source]
    if any(part.dependence(loop) for part in operand.operands):
        return False
    if operand.kind is Kind.ITEM and any(_is_method(user) for user in operand.operands[0].users):
        return False  # the item of a list that is made longer is another one each time
    others = [use for use in uses if use != operand]
    return len(others) == 1 and others[0].kind in _KEEPING and call.result in others[0].operands


def _is_method(user: Value) -> bool:
    """Whether a use of a container reads one of its methods."""
    return user.kind is Kind.ATTRIBUTE and bool(user.users)


def _operands(call: Call) -> Iterator[Value]:
    receiver = call.receiver
    if receiver is not None:
        yield receiver
    for argument in call.arguments:
        if argument.kind in _DISPLAYS:
            yield from argument.operands
        else:
            yield argument


def _met(value: Value) -> frozenset[Value]:
    """A value and those that may have come to it under other names and over iterations."""
    found, pending = {value}, [value]
    while pending:
        one = pending.pop()
        new = [part for part in one.operands if part not in found] if one.kind in _MEETINGS else []
        found.update(new)
        pending += new
    return frozenset(found)


def _only_grows(sources: frozenset[Value], call: Call, loop: Loop) -> bool:
    """Whether nothing empties or cuts it, and nothing reads it before the loop is over."""
    for source in sources:
        if source.kind in _MEETINGS or source == call.result:
            if any(not _is_look(user, call) for user in source.users if loop.contains(user)):
                return False
        elif loop.contains(source) and not _is_first(source, loop):
            return False
    return True


def _is_look(user: Value, call: Call) -> bool:
    if user.kind in _LOOKS or user == call.result:
        return True
    if user.kind is Kind.ATTRIBUTE:
        return user.data in _SIZES or any(one == call.result for one in user.users)
    if user.kind in _DISPLAYS:
        return all(_is_look(one, call) for one in user.users)
    if user.call is not None:
        # Such as the shapes that a loop of a graph may give it.
        passed = user.call.all_in_role(ParameterRole.SETTING)
        return bool(passed) and len(passed) == len(user.call.arguments)
    return user.python_type == "int"


def _is_first(source: Value, loop: Loop) -> bool:
    """Whether it is what the first iteration begins with: something that this iteration made."""
    return source.dependence(loop) is Dependence.VARYING


def _estimate(call: Call, loop: Loop) -> float:
    kind = loop.kind
    if kind is LoopKind.UNKNOWN and not loop.reaches(*_WORKS):
        kind = LoopKind.ROW
    on_host = call.framework not in ("torch", "jax", "tensorflow")
    is_host = on_host or call.result.residence is Residence.HOST
    return share(Cost.GROW, _ON_HOST if is_host else 1.0, Iteration(kind.value))


def _finding(call: Call, grown: str, loop: Loop, estimate: float) -> Finding:
    framework = call.framework if call.framework in rule.frameworks else "numpy"
    instead = (
        # A list of Python would get one symbolic tensor.
        "write the parts into a `tf.TensorArray`, and join it once after the loop with `concat()`"
        if loop.is_kept_in_graph
        else "append to a list and join it once after the loop"
    )
    # Outside of compiled code, too, JAX compiles each operation for the shapes that it meets.
    is_compiled_anew = framework == "jax" and not call.function.is_traced
    costs = "is compiled again for each length, and " if is_compiled_anew else ""
    return rule.finding(
        call,
        f"every iteration of `{loop.header}` copies all of `{grown}` to make it longer",
        f"{instead}: `{call.name}` {costs}copies everything that was there before",
        framework=framework,
        related=(loop.step("the loop that repeats it"),),
        sketch=_sketch(call, grown, loop),
        estimate=estimate,
    )


def _sketch(call: Call, grown: str, loop: Loop) -> str:
    """A list of the parts, where one call joins a list of arrays."""
    given, join, more = call.arguments, call.name, list[str]()
    if given and given[0].kind in _DISPLAYS:
        parts = given[0].operands
        more = [name + value.source for name, value in call.written_arguments[1:]]
    else:
        parts, join = given, f"{join.rpartition('.')[0]}.concatenate"
    added = [part for part in parts if part.kind not in _MEETINGS and part.source != grown]
    if len(parts) != 2 or len(added) != 1 or call.receiver in parts:
        return ""
    if loop.is_kept_in_graph:
        axis = call.argument("axis", 1)
        if axis is None or axis.constant != 0 or loop.is_while:
            return ""
        header, part = loop.header, added[0].source
        return _GRAPH_SKETCH.format(header=header, part=part, call=call.text, grown=grown)
    return _SKETCH.format(
        header=loop.header,
        part=added[0].source,
        call=call.text,
        grown=grown,
        join=join,
        arguments=", ".join(["parts", *more]),
    )
