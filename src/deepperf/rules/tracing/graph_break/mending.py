"""Ways to keep a graph whole: a branch is written as a choice, and printing is left out or put
behind the call.
"""

from __future__ import annotations

from collections.abc import Sequence

from deepperf.fixes.branches import chosen, conditional, either
from deepperf.fixes.imports import spell
from deepperf.fixes.moving import move_behind
from deepperf.fixes.statements import put_under
from deepperf.knowledge.schema import Trait
from deepperf.records import Edit, Fix, Safety
from deepperf.rules.tracing.graph_break.breaks import Break
from deepperf.semantics.query import Call, Function, Kind, Value

CHOOSE, RUN_ONE, ASK = "torch.where", "torch.cond", "torch.compiler.is_compiling"
_KEEPING = (Trait.ELEMENTWISE, Trait.KEEPS_SHAPE)
"""What gives an array that is shaped as the one that it is given, and has no effects."""
_TYPED = (Trait.CASTS, Trait.GIVES_BOOLEANS)
_LAYERS = (Trait.PROJECTS, Trait.CONVOLVES)
_SINCE = "2.6"
"""Before, it has no gradients."""


def fix(function: Function, found: Sequence[Break]) -> Fix | None:
    """What mends those of some breaks in a function that can be mended without its callers.

    Both arms of a branch are computed then, and what is printed is printed only eagerly.
    """
    made = [mend(function, one) for one in found]
    edits = [edit for mended, _ in made for edit in mended]
    phrases = " and ".join(dict.fromkeys(title for mended, title in made if mended))
    return Fix(phrases, tuple(dict.fromkeys(edits)), Safety.UNSAFE) if edits else None


def mend(function: Function, one: Break) -> tuple[Sequence[Edit], str]:
    """The edits that take one break away, none where there are none, and what they do."""
    if isinstance(one.at, Value):
        mended, title = _as_choice(function, one.at), f"choose with `{CHOOSE}`"
        if not mended:
            title = f"choose with `{RUN_ONE}`"
            mended = _as_condition(function, one.at) or _as_lambdas(function, one.at)
    else:
        mended, title = _behind(function, one.at), "print behind the call"
        if not mended:
            mended, title = _only_eagerly(one.at), "print only where nothing is compiled"
    return mended, title


def _as_choice(function: Function, test: Value) -> Sequence[Edit]:
    text = function.file_text
    spelling = spell(text, CHOOSE)
    made = chosen(text, *test.span, spelling.text) if spelling and test.is_mask else None
    if spelling is None or made is None:
        return ()
    for call in function.calls():
        start, end = call.span
        inside = any(arm[0] <= start and end <= arm[1] for arm in made.arms)
        if inside and not any(call.may_have(trait) for trait in _KEEPING):
            return ()
    return (made.edit, *spelling.edits)


def _as_condition(function: Function, test: Value) -> Sequence[Edit]:
    """Of two layers that give the same shape, the one that the test tells runs."""
    text = function.file_text
    spelling = spell(text, RUN_ONE)
    made = conditional(text, *test.span, spelling.text) if spelling and test.is_mask else None
    if spelling is None or made is None or not function.file.admits("torch", since=_SINCE):
        return ()
    calls = [call for call in function.calls() if call.span in made.arms]
    layers = [_layer(call) for call in calls]
    if None in layers or len({*layers}) != 1:
        return ()
    return (made.edit, *spelling.edits)


def _as_lambdas(function: Function, test: Value) -> Sequence[Edit]:
    """Of two arms that compute elements of what one layer each gives, both layers alike, the one
    that the test tells runs.
    """
    text = function.file_text
    spelling = spell(text, RUN_ONE)
    made = either(text, *test.span, spelling.text) if spelling and test.is_mask else None
    if spelling is None or made is None or not function.file.admits("torch", since=_SINCE):
        return ()
    found = [_only_layer(function, arm) for arm in made.arms]
    if None in found or len({*found}) != 1:
        return ()
    return (made.edit, *spelling.edits)


def _only_layer(function: Function, arm: tuple[int, int]) -> tuple[str, ...] | None:
    """The one layer of an arm, its options and its input, where all else computes elements."""
    calls = [one for one in function.calls() if arm[0] <= one.span[0] and one.span[1] <= arm[1]]
    layers = [call for call in calls if call.callee.makers and not call.facts]
    others = [call for call in calls if call not in layers]
    if len(layers) != 1 or not all(map(_computes_elements, others)):
        return None
    (layer,) = layers
    made, given = _layer(layer), layer.arguments
    named = [one for one in function.values(Kind.BINARY) if _lies_in(one, arm)]
    numbers = [part for one in named for part in one.operands if not _is_of_layer(part, layer)]
    if any(_lies_in(one, arm) for one in function.values(Kind.COMPARE)):
        return None  # of another type
    is_plain = len(given) == 1 and all(type(one.constant) in (int, float) for one in numbers)
    return (*made, given[0].text) if made is not None and is_plain else None


def _computes_elements(call: Call) -> bool:
    """Whether it computes elements of the same type of one array, and of nothing else."""
    given = [*call.arguments, *([call.receiver] if call.may_have(Trait.KEEPS_SHAPE) else [])]
    operands = [one for one in given if one is not None and not one.names]
    return len(operands) == 1 and call.has(*_KEEPING) and not call.has(*_TYPED)


def _lies_in(value: Value, arm: tuple[int, int]) -> bool:
    return arm[0] <= value.span[0] and value.span[1] <= arm[1]


def _is_of_layer(value: Value, layer: Call) -> bool:
    """Whether it is computed from what a layer gives, in the same expression."""
    pending, seen = [value], set[Value]()
    while pending:
        one = pending.pop()
        if one == layer.result:
            return True
        if one in seen:
            continue
        seen.add(one)
        pending += one.call.arguments if one.call is not None else one.operands
        if one.call is not None and one.call.receiver is not None:
            pending.append(one.call.receiver)
    return False


def _layer(call: Call) -> tuple[str, ...] | None:
    """Which layer a call runs, and with which options it was made; None for what may do more than
    compute, or changes what it holds.
    """
    makers = call.callee.makers
    if len(makers) != 1 or call.callee.is_unknown or not makers[0].has(*_LAYERS):
        return None
    made = makers[0]
    options = [f"{name}{value.text}" for name, value in made.written_arguments]
    return (*[fact.name for fact in made.facts], *options)


def _behind(function: Function, call: Call) -> Sequence[Edit]:
    """What is printed last, printed by the only caller of a function."""
    callers = function.callers()
    if not call.has(Trait.PRINTS) or call.result.users or len(callers) != 1:
        return ()
    caller = callers[0]
    if caller.path != function.path or caller.function.compilations or caller.passes_unseen:
        return ()
    bound = 1 if function.is_method else 0
    given = (
        (name, caller.argument(name, index))
        for index, name in enumerate(function.parameter_names[bound:])
    )
    passed = {name: one.source for name, one in given if one is not None}
    variables = {name: source for name, source in passed.items() if source.isidentifier()}
    edits = move_behind(function.file_text, *call.span, caller.span, variables)
    return edits or ()


def _only_eagerly(call: Call) -> Sequence[Edit]:
    # A result that is used is no statement of its own.
    if not call.has(Trait.PRINTS) or call.result.users:
        return ()
    spelling = spell(call.file_text, ASK)
    if spelling is None:
        return ()
    start, end = call.span
    edits = put_under(call.file_text, start, end - 1, f"if not {spelling.text}()")
    return (*edits, *spelling.edits) if edits else ()
