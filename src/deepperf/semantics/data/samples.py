"""Small operations that a Python loop does on one sample at a time, step after step of training."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from deepperf.knowledge import members
from deepperf.knowledge.schema import Fact, Trait, has
from deepperf.semantics.calls import callers, callgraph
from deepperf.semantics.data import feeding, losses
from deepperf.semantics.execution import contexts
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import induction, loops
from deepperf.semantics.loops.induction import Turning, Way
from deepperf.semantics.loops.loops import gone_over, iterable_of
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import arrays, classes, values
from deepperf.semantics.values.terms import External, FunctionTerm, Method
from deepperf.semantics.vectorization import slices
from deepperf.semantics.vectorization.collected import Collected, collected

_DEEPEST = 2
_PREPARING = ("train_step", "training_step", "fit")
_WORK = frozenset((Trait.COMPUTES, Trait.MARKS_INDICES))
_OTHER_WORK = frozenset((Trait.RANDOM, Trait.READS_FILE, Trait.DECODES, Trait.LOADS_SAMPLE))
_OTHER_WORK |= frozenset((Trait.COSTLY, Trait.WRITES_STATE, Trait.CALLS_PYTHON, Trait.READS_STATE))
_OTHER_WORK |= frozenset((Trait.READS_SAMPLE, Trait.RUNS_SESSION, Trait.TRACES_ARGUMENT))
_OTHER_WORK |= frozenset((Trait.JOINS, Trait.TRAINS, Trait.STEPS_TRAINING))
_HARMLESS = frozenset((Trait.VIEWS, Trait.CREATES_ARRAY, Trait.PURE, Trait.SYNCS_HOST))
_LENGTHENING = frozenset(("concat", "cat", "concatenate"))
_NO_WORK = frozenset((Trait.CASTS, Trait.GATHERS))


class SampleWork(Struct, frozen=True, eq=False):
    """An operation on one sample in each iteration of `loop`, reached by the calls `way`.

    It is a call or, in `scope`, arithmetic. `trainer` is what trains with what `join` makes of
    all samples, unless that is a loss, which is trained through.
    """

    node: ast.expr
    scope: Scope
    way: tuple[CallSite, ...]
    loop: Frame
    join: CallSite
    trainer: Fact


def sample_work(analysis: Analysis, path: str) -> Iterator[SampleWork]:
    """The operations on single samples whose results are joined in the file, each loop once."""
    by_loop: dict[int, SampleWork] = {}
    for found in collected(analysis, path):
        if found.scope.module_path != path:
            continue
        work = _work_in(analysis, found)
        if work is None or not _is_repeated(analysis, found.join) or _is_beside(found.join):
            continue
        trainer = feeding.trainer_of(analysis, found.join.node, found.join.scope)
        # A loss that is put together in each step is of a few numbers, mostly.
        if trainer is not None and not losses.is_loss(analysis, found.join):
            node, scope, way = work
            one = SampleWork(node, scope, way, found.loops[-1], found.join, trainer)
            other = by_loop.setdefault(id(one.loop.node), one)
            if other.node.lineno > one.node.lineno:
                by_loop[id(one.loop.node)] = one
    yield from by_loop.values()


def _is_repeated(analysis: Analysis, join: CallSite) -> bool:
    """Whether batches are joined again and again: in a training loop, or by a generator."""
    if join.scope.yields and join.loops:
        return True
    return feeding.trains_in(analysis, join)


def _is_beside(join: CallSite) -> bool:
    """Whether what is joined has samples of its own, and is put beside others by another axis."""
    axis = tree.argument(join.node, 1, "axis") or tree.argument(join.node, 1, "dim")
    return last_name(join.node.func) in _LENGTHENING and not (
        axis is None or (isinstance(axis, ast.Constant) and axis.value == 0)
    )


# What is done to a sample


def _work_in(
    analysis: Analysis, found: Collected
) -> tuple[ast.expr, Scope, tuple[CallSite, ...]] | None:
    """The first operation that makes an element, if all that makes it is known and small."""
    turns = induction.turning(found.scope, found.loops)
    parts = list(induction.expanded(analysis, found.element, turns))
    if not any(isinstance(part, (ast.Call, ast.BinOp)) for part in parts) or not all(
        _may_be_small(analysis, part, found.scope) for part in parts if isinstance(part, ast.Call)
    ):
        return None
    if _is_of_model(analysis, found.scope) or _rests_on_earlier(analysis, parts, found):
        return None
    if any(_is_of_own_length(analysis, part, found) for part in parts):
        return None
    for loop in found.loops:
        iterable = iterable_of(loop)
        if iterable is None or _is_answer(analysis, iterable, found.scope):
            return None
    if not _goes_over_rows(analysis, found.loops[-1], found.element):
        return None
    first: tuple[CallSite, tuple[CallSite, ...]] | None = None
    arithmetic: ast.BinOp | None = None
    sites = analysis.module_of(found.scope).scopes.call_sites
    # To pick from a tensor is work itself; what NumPy or a list is asked for is only a place.
    picks = [part for part in parts if isinstance(part, ast.Subscript)]
    hosts = [pick for pick in picks if not _is_of_tensor(analysis, pick, found.scope)]
    places = {id(part) for pick in hosts for part in tree.walk(pick.slice)}
    for part in parts:
        if isinstance(part, ast.Call):
            work = _work_of(analysis, sites[id(part)], turns)
            if work is None:
                return None
            if isinstance(work, tuple) and (first is None or work[0].position < first[0].position):
                first = work
        elif isinstance(part, ast.BinOp) and arithmetic is None and id(part) not in places:
            is_own = induction.way(analysis, part, turns) is not Way.FIXED
            arithmetic = part if is_own and _is_on_array(analysis, part, turns) else None
    if first is not None:
        return first[0].node, first[0].scope, first[1]
    return None if arithmetic is None else (arithmetic, found.scope, ())


def _is_of_model(analysis: Analysis, function: Scope) -> bool:
    """Whether a method of a model or layer joins what it works on itself, and prepares nothing."""
    if contexts.is_forward(analysis, function) or _is_called_by_model(analysis, function):
        return True
    cls = classes.enclosing_class(function)
    return (
        cls is not None
        and function.name not in _PREPARING
        and any(classes.inherits(analysis, cls, base) for base in contexts.MODELS)
    )


def _is_called_by_model(analysis: Analysis, function: Scope) -> bool:
    """Whether a model runs it on what it works on, whoever else may."""
    return any(
        contexts.is_forward(analysis, site.scope) for site in callers.callers(analysis, function)
    )


def _rests_on_earlier(analysis: Analysis, parts: list[ast.AST], found: Collected) -> bool:
    """Whether what is collected is made from results of earlier iterations."""
    loop = id(found.loops[-1].node)
    for part in parts:
        if isinstance(part, ast.Name):
            definitions = values.definitions_of(analysis, part, found.scope)
            inside = [d for d in definitions if loop in d.loops or d.binding is Binding.ITERATED]
            if inside and len(inside) < len(definitions):
                return True
    return False


def _is_of_own_length(analysis: Analysis, part: ast.AST, found: Collected) -> bool:
    """Whether it makes an array as long as the iteration's number says."""
    if not isinstance(part, ast.Call):
        return False
    if last_name(part.func) in members.REPETITIONS:
        own = loops.targets(found.loops[-1])
        counts = (given for argument in tree.arguments(part) for given in _written(argument))
        if any(isinstance(given, ast.Name) and given.id in own for given in counts):
            return True
    fact = callgraph.fact_of_call(analysis, part, found.scope)
    if not has(fact, Trait.CREATES_ARRAY) or Trait.BATCHED in fact.traits:
        return False
    shape = tree.argument(part, 0, "shape")
    loop = found.loops[-1]
    return shape is not None and any(
        slices.taken(analysis, name, found.scope, loop) is slices.Taken.COUNTER
        for name in tree.walk(shape)
        if isinstance(name, ast.Name)
    )


def _written(argument: ast.expr) -> list[ast.expr]:
    return argument.elts if isinstance(argument, (ast.List, ast.Tuple)) else [argument]


def _may_be_small(analysis: Analysis, call: ast.Call, scope: Scope) -> bool:
    """Whether a call may, by its name, be of a small operation or a function of the project."""

    def find() -> frozenset[str]:
        knowledge = analysis.knowledge
        return knowledge.last_names({n for n, fact in knowledge.facts.items() if _is_small(fact)})

    name = last_name(call.func)
    if name in analysis.project.named("small", find):
        return True
    project, path = analysis.project, scope.module_path
    return isinstance(call.func, ast.Name) or any(
        name in project.names_defined(near) for near in (path, *project.imports(path))
    )


def _is_of_tensor(analysis: Analysis, pick: ast.Subscript, scope: Scope) -> bool:
    framework = arrays.framework_of(analysis, pick.value, scope)
    return framework not in ("", arrays.SOME, "numpy")


def _is_on_array(analysis: Analysis, node: ast.BinOp, turns: Turning) -> bool:
    """Whether arithmetic is done on an array of the iteration, and not on its numbers or
    indices.
    """
    return any(
        isinstance(part, (ast.Call, ast.Name, ast.Subscript))
        and induction.way(analysis, part, turns) is not Way.FIXED
        and arrays.framework_of(analysis, part, turns.scope) not in ("", arrays.SOME)
        for part in (node.left, node.right)
    )


def _work_of(
    analysis: Analysis, site: CallSite, turns: Turning
) -> tuple[CallSite, tuple[CallSite, ...]] | bool | None:
    """The operation that a call does on the sample; False for none, None for what is not known."""
    fact = callgraph.fact_at(analysis, site)
    if fact is not None:
        if not _is_small(fact):
            return None
        is_work = not fact.traits.isdisjoint(_WORK) and fact.traits.isdisjoint(_NO_WORK)
        return (site, ()) if is_work and _is_own(analysis, site.node, turns) else False
    targets = callgraph.targets(analysis, site)
    if len(targets) != 1:
        if induction.is_plain(analysis, site.node, site.scope):
            return False
        is_work = not targets and last_name(site.node.func) in _array_methods(analysis)
        return (site, ()) if is_work and _is_own(analysis, site.node, turns) else None
    inner = _work_inside(analysis, targets[0].function, _DEEPEST)
    if inner is None or not _is_own(analysis, site.node, turns):
        return None
    return (inner[0], (site, *inner[1])) if inner else False


def _array_methods(analysis: Analysis) -> frozenset[str]:
    """The names of small methods of arrays, for objects of which nothing is known."""

    def find() -> frozenset[str]:
        return frozenset(
            name.rpartition(".")[2]
            for name, fact in analysis.knowledge.facts.items()
            if name.rpartition(".")[0] in values.ARRAY_TYPES
            and _is_small(fact)
            and not fact.traits.isdisjoint(_WORK)
        )

    return analysis.project.named("small methods of arrays", find)


def _is_small(fact: Fact) -> bool:
    traits = fact.traits
    if Trait.CREATES_ARRAY in traits:
        # Of one sample, `as_tensor` makes an array and joins nothing.
        traits -= {Trait.JOINS}
    known = not traits.isdisjoint(_WORK | _HARMLESS | _NO_WORK)
    return known and traits.isdisjoint(_OTHER_WORK)


def _is_own(analysis: Analysis, call: ast.Call, turns: Turning) -> bool:
    """Whether a call is given something that differs between the iterations."""
    operands = tree.operands(call)
    return any(induction.way(analysis, operand, turns) is not Way.FIXED for operand in operands)


def _work_inside(
    analysis: Analysis, function: Scope, depth: int
) -> tuple[CallSite, tuple[CallSite, ...]] | tuple[()] | None:
    """The first operation in a function of small operations only; () where it has none."""
    if function.yields or function.loops or not function.returns:
        return None
    first: tuple[CallSite, tuple[CallSite, ...]] | tuple[()] = ()
    for site in sorted(function.calls, key=lambda s: s.position):
        fact = callgraph.fact_at(analysis, site)
        if fact is not None:
            if not _is_small(fact):
                return None
            if not first and not fact.traits.isdisjoint(_WORK) and not fact.traits & _NO_WORK:
                first = (site, ())
            continue
        targets = callgraph.targets(analysis, site)
        if len(targets) == 1 and depth:
            inner = _work_inside(analysis, targets[0].function, depth - 1)
            if inner is None:
                return None
            if inner and not first:
                first = (inner[0], (site, *inner[1]))
        elif not induction.is_plain(analysis, site.node, site.scope):
            return None
    return first


# Where the samples come from


def _goes_over_rows(analysis: Analysis, loop: Frame, element: ast.expr) -> bool:
    """Whether the iterations take rows of an array or members of a batch, and not of just
    any list.
    """
    scope = loop.scope
    whole = gone_over(analysis, loop)
    if any(_is_of_rows(analysis, part, scope, _DEEPEST) for part in whole):
        return True
    if any(_is_drawn(analysis, part, scope) for part in whole):
        return True
    turns = induction.turning(scope, (loop,))
    bounds = whole[0] if len(whole) == 1 else None
    is_part = (
        isinstance(bounds, ast.Call)
        and last_name(bounds.func) == "range"
        and len(bounds.args) > 1
        and not isinstance(bounds.args[0], ast.Constant)
    )
    return any(
        isinstance(part, ast.Subscript)
        and not _starts_whole(part.slice)
        and induction.way(analysis, part.slice, turns) is Way.OWN
        and (is_part or arrays.framework_of(analysis, part.value, scope) != "")
        for part in induction.expanded(analysis, element, turns)
    )


def _starts_whole(index: ast.expr) -> bool:
    """Whether an index takes all along the first axis, so that what it picks is of all samples."""
    first = tree.first_of(index)
    return isinstance(first, ast.Slice) and first.lower is first.upper is None


def _is_drawn(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether the iterations are about a random choice: of samples, or of the places of some."""
    if isinstance(node, ast.Name):
        definitions = values.definitions_of(analysis, node, scope)
        if len(definitions) != 1 or definitions[0].binding is not Binding.ASSIGNED:
            return False
        value, scope = definitions[0].value, definitions[0].scope
    else:
        value = node
    if not isinstance(value, ast.Call):
        return False
    return has(callgraph.fact_of_call(analysis, value, scope), Trait.RANDOM, Trait.DRAWS)


def _is_of_rows(analysis: Analysis, node: ast.expr, scope: Scope, depth: int) -> bool:
    """Whether an expression is an array, a part of something long, or a batch of a data set."""
    if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Constant):
        return True
    if arrays.framework_of(analysis, node, scope) not in ("", arrays.SOME):
        return True
    if not isinstance(node, ast.Name):
        return False
    for definition in values.definitions_of(analysis, node, scope):
        if definition.binding is Binding.ITERATED:
            return True
        if definition.binding is Binding.ASSIGNED and definition.value is not None and depth:
            if _is_of_rows(analysis, definition.value, definition.scope, depth - 1):
                return True
        elif definition.binding is Binding.PARAMETER and depth:
            given = callers.arguments_for(analysis, definition.scope, definition.name)
            if any(_is_of_rows(analysis, one, at, depth - 1) for one, at in given):
                return True
    return False


def _is_answer(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether what is looped over may be what a model gave: that is trained through."""
    pending: list[ast.expr] = [node]
    seen: set[int] = set()
    while pending:
        for part in tree.walk(pending.pop()):
            if isinstance(part, ast.Call) and _may_be_model(analysis, part, scope):
                return True
            if isinstance(part, ast.Name):
                for definition in values.definitions_of(analysis, part, scope):
                    is_new = id(definition) not in seen and definition.scope is scope
                    if is_new and definition.binding is Binding.ASSIGNED:
                        seen.add(id(definition))
                        assert definition.value is not None
                        pending.append(definition.value)
    return False


def _may_be_model(analysis: Analysis, call: ast.Call, scope: Scope) -> bool:
    """Whether a call may be of a model: an object is called, not a function or a method."""
    held = values.evaluate(analysis, call.func, scope)
    if any(isinstance(term, (External, FunctionTerm, Method)) for term in held):
        return False
    return not isinstance(call.func, ast.Attribute) or classes.is_of_own_object(call.func, scope)
