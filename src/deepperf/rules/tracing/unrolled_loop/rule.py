"""A compiler copies the body of a Python loop for each of its many iterations."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_loop
from deepperf.semantics.query import Call, Compilation, Dependence, Kind, Loop, Value

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("slow-execution", "program-hang"),
    stage="training",
    level=Level.NOTE,
    frameworks=("tensorflow", "jax"),
)

MANY = 20
"""Iterations up to which unrolling may pay: small loops, and the layers of a model."""
LONG = 64
"""Iterations from which compiling takes far longer than one of a loop that is kept."""
_WORK = (Trait.COMPUTES, Trait.RUNS_MODULE, Trait.DIFFERENTIATES, Trait.DRAWS)
_COUNTING = frozenset((Kind.BINARY, Kind.UNARY, Kind.COMPARE, Kind.SLICE, Kind.TEST))

_SKETCH = """\
def body({counter}, carry):
    {carried} = carry
    ...  # what stands in `{header}`
    return {carried}
{carried} = jax.lax.fori_loop(0, {count}, body, ({carried}))
"""


@each_loop
def check(loop: Loop) -> Iterator[Finding]:
    function = loop.function
    if loop.is_while or loop.runs_eagerly or not function.is_function:
        return
    # Compilers of PyTorch leave what they would unroll to Python, or keep the loop.
    compiled = [one for one in function.compilations if one.framework in rule.frameworks]
    count = loop.implied_count
    is_long = (count or 0) > MANY
    if not compiled or not (is_long or (count is None and _goes_along_axis(loop))):
        return
    work = _work(loop)
    over = loop.iterable.call
    is_parted = over is not None and over.has(Trait.LISTS_PARTS)
    if work is not None and (is_parted or not _picks_parts(loop)):
        yield _finding(loop, compiled[0], work)


def _goes_along_axis(loop: Loop) -> bool:
    """Whether it takes one slice of an array after the other, and carries what it computes."""
    over = loop.iterable.call
    if not any(loop.contains(user) for head in loop.carried for user in head.users):
        return False
    if over is not None and over.has(Trait.LISTS_PARTS) and over.arguments:
        # How many parts are made may be said.
        return len(over.arguments) == 1 and over.arguments[0].is_array is not False
    if over is None or not over.is_of("builtins.range") or not over.arguments:
        return False
    stop = over.arguments[min(1, len(over.arguments) - 1)]
    array = _measured(stop)
    return array is not None and any(
        item.operands[0] == array and loop.element in (item.operands[1], *item.operands[1].operands)
        for item in loop.values(Kind.ITEM)
    )


def _measured(length: Value) -> Value | None:
    """The array of which something is the length of one of the first two axes."""
    call = length.call
    if call is not None:
        is_length = call.is_of("builtins.len") and len(call.arguments) == 1
        return call.arguments[0] if is_length else None
    axis: object = None
    if length.kind is Kind.ITEM:
        axis = length.operands[1].constant
    elif length.kind is Kind.PART:
        axis = length.data
    shape = length.operands[0] if axis in (0, 1) else None
    is_shape = shape is not None and shape.kind is Kind.ATTRIBUTE and shape.data == "shape"
    return shape.operands[0] if shape is not None and is_shape else None


def _work(loop: Loop) -> Value | Call | None:
    """Something that an iteration computes with arrays."""
    for call in loop.calls():
        if call.way_to(*_WORK) and not call.has(Trait.CREATES_LAYER):
            return call
    return next((one for one in loop.values(Kind.BINARY) if _may_compute(one, loop)), None)


def _may_compute(value: Value, loop: Loop) -> bool:
    is_array = value.is_array
    return is_array is True or (is_array is None and value.dependence(loop) is Dependence.CARRIED)


def _picks_parts(loop: Loop) -> bool:
    """Whether the counter picks something of its own for each iteration, such as a layer."""
    pending = [] if loop.element is None else [loop.element]
    seen = set(pending)
    while pending:
        value = pending.pop()
        for user in value.users:
            if user in seen or not loop.contains(user):
                continue
            seen.add(user)
            if user.kind in _COUNTING:
                pending.append(user)
            elif _tells_apart(user):
                return True
    return False


def _tells_apart(user: Value) -> bool:
    """Whether what is done with a counter may give each iteration something else to compute."""
    if user.kind is Kind.ITEM:
        return user.operands[0].is_array is not True
    is_passed = user.call is not None and bool(user.call.runs)
    return is_passed or user.kind in (Kind.FORMAT, Kind.SET_ITEM)


def _finding(loop: Loop, compiled: Compilation, work: Value | Call) -> Finding:
    count = loop.implied_count
    times = f"{count} times" if count else "for each slice"
    if loop.known_count is None and count:
        times += ", by default,"
    is_jax = compiled.framework == "jax"
    remedy = (
        "write the loop with `jax.lax.fori_loop`, or with `jax.lax.scan` where it collects results"
        if is_jax
        else "go over `tf.range(…)`, with a `tf.TensorArray` where it collects results"
    )
    path = [call.step(f"`{call.name}` is called") for call in compiled.calls]
    return rule.finding(
        loop,
        f"`{compiled.compiler}` copies the body of `{loop.header}` {times} into what it compiles",
        remedy,
        path=(*path, work.step(f"`{work.text}` is computed in each iteration")) if path else (),
        framework=compiled.framework,
        sketch=_sketch(loop) if is_jax else "",
        related=(compiled.step(f"`{compiled.text}` compiles it"),),
        estimate=0.05 if (count or 0) >= LONG else 0.01,
    )


def _sketch(loop: Loop) -> str:
    """A loop of the compiler that carries what this one carries."""
    parts, element = (part for head in loop.carried for part in head.operands), loop.element
    if element is None or "range(" not in loop.header:
        return ""
    known = dict.fromkeys(part.variable for part in parts)
    names = [name for name in known if name not in ("", element.variable)]
    if not names:
        return ""
    carried = ", ".join(names) + ("," if len(names) == 1 else "")
    counter = element.variable or "i"
    over = loop.iterable.call
    stop = over.arguments[min(1, len(over.arguments) - 1)].text if over is not None else ""
    count = loop.known_count or stop
    return _SKETCH.format(counter=counter, carried=carried, header=loop.header, count=count)
