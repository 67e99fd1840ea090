"""What is kept over iterations keeps the autograd graph of each of them alive."""

from __future__ import annotations

import re
from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Edit, Finding, Fix, Level, Safety, Step
from deepperf.rules.rule import Rule, each_function, each_loop
from deepperf.semantics.query import Call, Function, Guard, Kind, Loop, LoopKind, Value

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("memory-leak", "out-of-memory"),
    stage="training",
    level=Level.NOTE,
    frameworks=("torch",),
)

_ARITHMETIC = frozenset((Kind.BINARY, Kind.UNARY, Kind.PHI, Kind.CYCLE))
_LONGEST = 6
_DETACH = "keep `{value}.detach()`, or a number read on the steps that log"
_WEIGHT = 0.05


@each_loop
def check_loop(loop: Loop) -> Iterator[Finding]:
    if loop.is_comprehension:
        return
    if loop.kind is LoopKind.STEP:
        yield from _appended(loop)
        yield from _added(loop)
        yield from _written(loop)
    elif loop.kind is LoopKind.BATCH:
        yield from _summed(loop)


def _appended(loop: Loop) -> Iterator[Finding]:
    for call in loop.calls(Trait.KEEPS_ARGUMENT):
        kept, holder = call.arguments[-1:], call.receiver
        if not kept or holder is None or call.loops[0] != loop or not kept[0].carries_graph:
            continue
        if call.guard(loop) is not Guard.UNKNOWN or not _lives_on(holder, loop):
            continue
        name = re.fullmatch(r"([\w.]+)\.\w+\((\w+)\)", call.source)
        what = name[1] if name else holder.variable or holder.text
        value = name[2] if name else kept[0].text
        fix = _fix(call.span[1] - 1, holder) if name and kept[0].is_backpropagated else None
        yield _finding(call, what, f"`{value}` is kept", _DETACH.format(value=value), fix)


def _lives_on(holder: Value, loop: Loop) -> bool:
    """Whether a list outlives the iteration, and no gradient is computed from it."""
    if holder.dependence(loop) or holder.kind is Kind.PARAMETER:
        return False
    return not _is_renewed(holder, loop) and not _leads_to_gradient(holder)


def _is_renewed(holder: Value, body: Loop | Function) -> bool:
    """Whether each iteration, or each run of a function, empties it or sets it anew."""
    renewed = list(body.values(Kind.SET_ATTRIBUTE))
    renewed += [call.receiver for call in body.calls(Trait.CLEARS) if call.receiver is not None]
    return any(value.source == holder.source for value in renewed)


def _leads_to_gradient(value: Value) -> bool:
    """Whether a gradient is computed from what is made of a value, as far as its function tells."""
    seen, pending = {value}, [(value, 0)]
    while pending:
        one, depth = pending.pop()
        if one.is_backpropagated or (one.call and one.call.way_to(Trait.BACKPROPAGATES)):
            return True
        if depth < _LONGEST:
            new = [user for user in one.users if user not in seen]
            seen.update(new)
            pending += [(user, depth + 1) for user in new]
    return False


def _added(loop: Loop) -> Iterator[Finding]:
    for head, made in _sums(loop):
        if not _leads_to_gradient(head):
            name = re.fullmatch(r"\w+ \+= (\w+)", made.source)
            others = [one for one in made.operands if one.carries_graph]
            fix = _fix(made.span[1], made) if name and others[-1].is_backpropagated else None
            value = name[1] if name else "…"
            yield _finding(made, made.variable, "a loss is added", _DETACH.format(value=value), fix)


def _written(loop: Loop) -> Iterator[Finding]:
    """Dicts whose entries grow by losses, and tensors that losses are written into."""
    found = [stored for stored in loop.values(Kind.SET_ITEM) if _keeps(stored, loop)]
    if found:
        first, *others = found
        related = tuple([one.step(f"`{one.text}`, too") for one in others])
        why = "what is put there has a graph"
        yield _finding(first, first.text, why, _DETACH.format(value="…"), None, related)


def _keeps(stored: Value, loop: Loop) -> bool:
    holder, key, made = stored.operands
    if stored.is_gradient_free or stored.runs_seldom or not _lives_on(holder, loop):
        return False
    if made.kind is Kind.BINARY:
        entry = [holder.source, key.source]
        before = [part for part in made.operands if [one.source for one in part.operands] == entry]
        if any(_grows(made, one) for one in before if one.kind is Kind.ITEM):
            return True
    return holder.is_array is True and made.carries_graph


def _summed(loop: Loop) -> Iterator[Finding]:
    """Losses of many batches, added up before one gradient is computed of all of them."""
    moved = [call.receiver for call in loop.calls(Trait.MOVES) if call.receiver is not None]
    heads = [head for head in loop.carried if head.carries_graph]
    if len(heads) != 1 or not any(value.dependence(loop) for value in moved):
        return
    (head,) = heads
    for made in head.operands[1:]:
        leaves = _leaves(made, head) if head.is_backpropagated and made.kind is Kind.BINARY else ()
        if head in leaves and any(leaf.call for leaf in leaves):
            yield _finding(
                made,
                made.variable,
                "the losses of all batches are added before one `backward`",
                "call `backward` on the loss of each batch: gradients add up by themselves",
                None,
            )


def _sums(loop: Loop) -> Iterator[tuple[Value, Value]]:
    """The variables that grow by what carries a graph, and the sums that make them."""
    for head in loop.carried:
        for made in head.operands[1:]:
            if made.kind is Kind.BINARY and _grows(made, head):
                yield head, made


def _grows(made: Value, before: Value) -> bool:
    """Whether a sum or mean is made of what was there before, and of something with a graph."""
    leaves = _leaves(made, before)
    return before in leaves and any(leaf.carries_graph for leaf in leaves - {before})


def _leaves(made: Value, before: Value) -> frozenset[Value]:
    """What is added up, weighted or not; what was there before is one of them."""
    found, seen, pending = set[Value](), {made}, [made]
    while pending:
        one = pending.pop()
        is_sum = one.kind in _ARITHMETIC and (one == made or not one.is_backpropagated)
        if one == before or not is_sum:
            found.add(one)
            continue
        new = [part for part in one.operands if part not in seen]
        seen.update(new)
        pending += new
    return frozenset(found)


@each_function
def check_function(function: Function) -> Iterator[Finding]:
    if "step" not in function.runs_for or not (function.traits or function.callers()):
        return
    yield from _kept_by_object(function)
    for stored in function.values(Kind.SET_ATTRIBUTE):
        made = stored.operands[1]
        if made.kind is not Kind.BINARY or stored.is_gradient_free or "[" in stored.source:
            continue
        before = [
            value
            for value in function.values(Kind.ATTRIBUTE)
            if value.data == stored.data and value.source == stored.source
        ]
        if any(_grows(made, one) for one in before) and not _is_reset(stored, function):
            yield _finding(
                stored,
                stored.source,
                "it is made of itself and of a tensor with its graph",
                _DETACH.format(value="…"),
                None,
            )


def _kept_by_object(function: Function) -> Iterator[Finding]:
    """Losses of each step that a list in an attribute keeps."""
    for call in function.calls(Trait.KEEPS_ARGUMENT):
        holder, kept = call.receiver, call.arguments[-1:]
        if call.loops or not kept or holder is None or holder.kind is not Kind.ATTRIBUTE:
            continue
        # A policy's gradient is computed from what earlier steps kept.
        is_loss = kept[0].is_backpropagated or Trait.RUNS_EACH_STEP in function.traits
        if not is_loss or not kept[0].carries_graph or call.guard() is not Guard.UNKNOWN:
            continue
        if call.result.is_gradient_free:
            continue
        if not any(_learns_from(holder, other) for other in function.file.functions()):
            value = kept[0].text
            remedy = _DETACH.format(value="…" if kept[0].python_type else value)
            yield _finding(call, holder.text, f"`{value}` is kept", remedy, None)


def _learns_from(holder: Value, function: Function) -> bool:
    """Whether a function computes gradients of what an attribute keeps, or empties it each step."""
    if "step" in function.runs_for and _is_renewed(holder, function):
        return True
    return any(
        value.data == holder.data and _leads_to_gradient(value)
        for value in function.values(Kind.ATTRIBUTE)
    )


def _is_reset(stored: Value, function: Function) -> bool:
    """Whether each step sets the attribute anew, or a gradient is computed from it."""
    for other in function.file.functions():
        for value in other.values(Kind.SET_ATTRIBUTE, Kind.ATTRIBUTE):
            if value.data != stored.data or value == stored:
                continue
            if value.kind is Kind.ATTRIBUTE and value.is_backpropagated:
                return True
            anew = value.kind is Kind.SET_ATTRIBUTE and value.operands[1].kind is not Kind.BINARY
            if anew and (other == function or "step" in other.runs_for):
                return True
    return False


def _fix(offset: int, keeping: Value) -> Fix:
    """What is kept has no graph then, which is seen where it is printed or given to others."""
    safety = Safety.UNSAFE if keeping.may_show_graph else Safety.SAFE
    return Fix("keep the value without its graph", (Edit(offset, offset, ".detach()"),), safety)


def _finding(
    at: Call | Value,
    what: str,
    why: str,
    remedy: str,
    fix: Fix | None,
    related: tuple[Step, ...] = (),
) -> Finding:
    return rule.finding(
        at,
        f"`{what}` keeps the autograd graph of every iteration alive: {why}",
        remedy,
        fix=fix,
        framework="torch",
        related=related,
        estimate=_WEIGHT,
    )
