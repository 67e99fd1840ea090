"""A compiled step replaces its state, and the old one stays in memory while it runs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from deepperf.knowledge.schema import ParameterRole
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_function, each_loop
from deepperf.rules.tracing.undonated_state.donating import donating
from deepperf.semantics.query import Call, Compilation, Function, Kind, Loop, Value

rule = Rule(
    module=__name__,
    cause="missed-efficient-api",
    symptoms=("out-of-memory", "abnormal-gpu-utilization"),
    stage="training",
    level=Level.NOTE,
    frameworks=("jax",),
)

_REPEATED = frozenset(("step", "batch"))
_HELD = frozenset((Kind.ATTRIBUTE, Kind.ITEM, Kind.DICT, Kind.LIST, Kind.TUPLE, Kind.COLLECT))
_THROUGH = frozenset((Kind.PART, Kind.PHI))

_SKETCH = """\
@functools.partial({compiler}, donate_argnums={numbers})
def {function}({parameters}):  # whose other options stay as they are
    ...
"""


@each_loop
def check(loop: Loop) -> Iterator[Finding]:
    if loop.is_comprehension or loop.is_short:
        return
    for head in loop.carried:
        step = _maker(head.operands[1], loop)
        compiled = None if step is None else _compiled(step)
        if step is None or compiled is None or step.function.is_traced:
            continue
        replaced = _replaced(step, loop)
        if head in replaced:
            found = _finding(step, replaced, compiled)
            if found is not None:
                yield found
            return


@each_function
def check_kept(function: Function) -> Iterator[Finding]:
    """States that an object keeps: `self.state = self.step(self.state, …)`."""
    found: dict[Call, list[Value]] = {}
    for stored in function.values(Kind.SET_ATTRIBUTE):
        step = _call_of(stored.operands[1])
        if step is None or function.is_traced or _compiled(step) is None:
            continue
        is_repeated = bool(step.loops) or not _REPEATED.isdisjoint(function.runs_for)
        # What is read behind the call is what it gave.
        read = [
            one
            for one in function.values(Kind.ATTRIBUTE)
            if _is_of(one, stored) and one.place[2] < stored.place[2]
        ]
        if _is_handed_out(function, stored):
            continue
        if is_repeated and len(read) == 1 and read[0] in _numbered(step):
            found.setdefault(step, []).append(read[0])
    for step, replaced in found.items():
        compiled = _compiled(step)
        told = None if compiled is None else _finding(step, replaced, compiled)
        if told is not None:
            yield told


def _is_handed_out(function: Function, stored: Value) -> bool:
    """Whether another method of the class gives others the state, or a part of it, to keep."""
    pending = [
        read
        for other in function.file.functions()
        if other != function and other.unit.parent == function.unit.parent
        for read in other.values(Kind.ATTRIBUTE)
        if read.data == stored.data and read.operands[0] in other.parameters[:1]
    ]
    seen = set(pending)
    while pending:
        for user in pending.pop().users:
            if user.kind is Kind.RETURN:
                return True
            if user.kind in _HELD and user not in seen:
                seen.add(user)
                pending.append(user)
    return False


def _is_of(read: Value, stored: Value) -> bool:
    return read.data == stored.data and read.operands[0] == stored.operands[0]


def _maker(value: Value, loop: Loop) -> Call | None:
    """The call in a loop whose result a value is, or is a part of."""
    made = _call_of(value)
    return made if made is not None and loop.contains(made) else None


def _call_of(value: Value) -> Call | None:
    for _ in range(3):
        if value.kind not in _THROUGH or not value.operands:
            break
        value = value.operands[0]
    return value.call


def _compiled(step: Call) -> Compilation | None:
    """The compiler of what a call runs, where it may be told to reuse memory and is not."""
    for function in step.runs:
        found = function.compiled_itself
        takes = found is not None and any(
            parameter.role is ParameterRole.DONATED for parameter in found.fact.parameters
        )
        if found is not None and takes:
            return found if found.option(ParameterRole.DONATED) is None else None
    return None


def _replaced(step: Call, loop: Loop) -> list[Value]:
    """What a call is passed, and gives anew: the variables of which each iteration has another."""
    heads = [
        head
        for head in loop.carried
        if _maker(head.operands[1], loop) == step and not _is_key(head, step)
    ]
    return [head for head in heads if head in _numbered(step) and _is_read_once(head, step)]


def _is_key(head: Value, step: Call) -> bool:
    """Whether the step draws numbers by it: the state of a generator is some bytes."""
    for function in step.runs:
        for index, parameter in enumerate(function.parameters):
            if step.passed_for(function, index) == head:
                calls = [user.call for user in parameter.users]
                return any(
                    given == parameter
                    for call in calls
                    if call is not None
                    for _, given in call.all_in_role(ParameterRole.KEY)
                )
    return False


def _numbered(step: Call) -> list[Value]:
    """The arguments whose places are known: those in front of what `*` unpacks."""
    return list(takewhile(lambda one: one.kind is not Kind.STAR, step.arguments))


def _is_read_once(head: Value, step: Call) -> bool:
    """Whether nothing in the loop but the call reads what a variable held before it."""
    inside = [user for user in head.users if step.loops[0].contains(user)]
    return all(user == step.result for user in inside if user.kind is not Kind.CYCLE)


def _finding(step: Call, replaced: list[Value], compiled: Compilation) -> Finding | None:
    function = step.runs[0]
    taken = [
        index
        for index in range(len(function.parameter_names))
        if step.passed_for(function, index) in replaced
    ]
    if not taken:
        return None
    before = function.is_method + compiled.bound_before
    numbers = [index - before for index in taken]
    each = [f"`{function.parameter_names[index]}`" for index in taken]
    names = " and ".join([", ".join(each[:-1]), *each[-1:]] if len(each) > 1 else each)
    what = str(numbers[0]) if len(numbers) == 1 else f"({', '.join(map(str, numbers))})"
    # A compiler that is a decorator counts the object of a method, one that is passed it doesn't.
    what = "…" if function.is_method else what
    option = next(
        parameter.name
        for parameter in compiled.fact.parameters
        if parameter.role is ParameterRole.DONATED
    )
    is_numbered = option.endswith("argnums")
    given = f"{option}={what}" if is_numbered else f'{option}="all"'
    fix = donating(step, replaced, compiled, option, what) if is_numbered else None
    return rule.finding(
        step,
        f"`{step.name}` gives {names} anew in each iteration, while the old arrays stay in memory",
        f"let it reuse their memory: `{compiled.compiler}(…, {given})`, where nothing"
        " reads them afterwards",
        fix=fix,
        framework=compiled.framework,
        sketch=""
        if function.is_method or not is_numbered or fix is not None
        else _SKETCH.format(
            compiler=compiled.compiler,
            numbers=what,
            function=function.name,
            parameters=", ".join(function.parameter_names),
        ),
        related=(compiled.step(f"`{compiled.text}` compiles it"),),
        estimate=0.01,
    )
