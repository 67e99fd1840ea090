"""Loops that Python turns and whose iterations hand many small operations to a framework, one by
one.
"""

from __future__ import annotations

import ast
import enum
from collections import Counter
from collections.abc import Iterator

from msgspec import Struct, field

from deepperf.knowledge.schema import Fact, Trait, has
from deepperf.semantics.calls import callers, callgraph, effects
from deepperf.semantics.execution import (
    contexts,
    dispatching_names,
    eagerness,
    handed_on,
)
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import intervals, loops, once, passes
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, ScopeKind
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Instance, Method, Term, Value

ENOUGH = 5
"""Operations in an iteration from which compiling the iteration is worth it."""
_OF_LAYER = 3
_DEEPEST = 4
_WORK = frozenset((Trait.COMPUTES, Trait.RANDOM))
_KNOWN_DECORATORS = ("staticmethod", "classmethod", "property")
_FEWER = 200
_BACKEND = "keras.backend."
_MODEL_METHODS = frozenset(("__init__", "build", "setup", *callgraph.CALLED_AS))
"""Methods that build a model, or that it runs when it is called, compiled or not."""


class Step(enum.Enum):
    """What each iteration does."""

    GRADIENT = "gradient"
    OPERATIONS = "operations"


class Dispatch(Struct, frozen=True, eq=False):
    """A loop whose iterations run `count` operations eagerly, which hand tensors on to the next
    iteration.

    `step` is the function that its iterations call and that does the work, None where the loop
    does.
    """

    loop: Frame
    kind: Step
    framework: str
    count: int
    step: Scope | None


class _Work(Struct):
    """What an iteration has been seen to do."""

    operations: int = 0
    gradients: int = 0
    assignments: int = 0
    step: Scope | None = None
    is_unclear: bool = False
    is_beside: bool = False  # something compiled is run in the same iteration
    functions: Counter[Scope] = field(default_factory=Counter)  # of the project, that it runs

    def add(self, part: _Work) -> None:
        """Add what a part of the iteration does."""
        self.operations += part.operations
        self.gradients += part.gradients
        self.assignments += part.assignments
        self.is_unclear |= part.is_unclear
        self.is_beside |= part.is_beside
        self.functions.update(part.functions)


def dispatches(analysis: Analysis, path: str) -> Iterator[Dispatch]:
    """The loops of a file whose iterations are worth compiling."""
    text = analysis.project.sources[path].text
    frameworks = [
        framework
        for framework in handed_on.TENSORS
        if framework in analysis.knowledge.frameworks and framework in text
    ]
    if not frameworks or "functions_eagerly" in text:
        return
    scopes = [
        scope
        for scope in analysis.module(path).all_scopes
        if any(isinstance(loop.node, (ast.For, ast.While)) for loop in scope.loops)
    ]
    if not scopes:
        return
    if "tensorflow" in frameworks and _is_for_graphs(analysis, path):
        frameworks.remove("tensorflow")
        if not frameworks:
            return
    for scope in scopes:
        found = [
            (loop, dispatch)
            for loop in scope.loops
            if isinstance(loop.node, (ast.For, ast.While))
            for dispatch in (_dispatch(analysis, loop, frameworks),)
            if dispatch is not None
        ]
        for loop, dispatch in found:
            inner = {id(part) for part in tree.walk(loop.node) if part is not loop.node}
            if not any(id(other.node) in inner for other, _ in found):
                yield dispatch


def _dispatch(analysis: Analysis, loop: Frame, frameworks: list[str]) -> Dispatch | None:
    scope = loop.scope
    if scope.kind is ScopeKind.CLASS or scope.name in _MODEL_METHODS:
        return None
    if not dispatching_names.may_pay(analysis, loop, ENOUGH):
        return None
    if not _may_be_eager(analysis, loop) or loops.is_tiny(analysis, loop):
        return None
    for framework in frameworks:
        work = _of_loop(analysis, loop, framework)
        if work.is_unclear or not (work.gradients or work.operations >= ENOUGH):
            continue
        if not (
            work.gradients or work.assignments or handed_on.hands_on(analysis, loop, framework)
        ):
            continue
        # What makes functions of JAX and gives them away leaves it to others to compile them.
        if framework == "jax" and not work.gradients and _is_given_away(scope):
            continue
        # Beside what was compiled, what is left is mostly little.
        if work.is_beside and not work.gradients:
            continue
        # Asked last, since it asks for callers.
        if _is_eager(analysis, loop):
            kind = Step.GRADIENT if work.gradients else Step.OPERATIONS
            return Dispatch(loop, kind, framework, work.operations, work.step)
    return None


def _is_for_graphs(analysis: Analysis, path: str) -> bool:
    """Whether a file is written for versions of TensorFlow, or a mode, that is not eager."""
    known = analysis.project.version(path, "tensorflow")
    if known is not None and not known.reaches("2.0"):
        return True
    return eagerness.builds_graphs(analysis, path)


def _may_be_eager(analysis: Analysis, loop: Frame) -> bool:
    """Whether names leave it possible that something tells that Python turns the loop."""
    return (
        eagerness.may_read_from_device(analysis, loop.scope)
        or eagerness.may_run_in_python(analysis, loop.scope)
        or (
            dispatching_names.may_be_over_batches(loop)
            and passes.over(analysis, loop) is loops.LoopOver.BATCHES
        )
    )


def _is_eager(analysis: Analysis, loop: Frame) -> bool:
    """Whether Python is known to turn the loop, with the operations run one by one."""
    scope: Scope | None = loop.scope
    while scope is not None and scope.kind is ScopeKind.FUNCTION:
        if eagerness.is_traced_once(analysis, scope) or has_unknown_decorator(analysis, scope):
            return False
        scope = scope.parent
    if eagerness.turns_in_the_graph(analysis, loop) and contexts.is_traced(analysis, loop.scope):
        return False
    return (
        passes.over(analysis, loop) is loops.LoopOver.BATCHES
        or eagerness.reads_from_device(analysis, loop.scope)
        or eagerness.runs_in_python(analysis, loop.scope)
    )


def _is_given_away(scope: Scope) -> bool:
    """Whether a function is made by another, which does not call it."""
    maker = scope.parent
    if maker is None or maker.kind is not ScopeKind.FUNCTION:
        return False
    return not any(getattr(site.node.func, "id", "") == scope.name for site in maker.calls)


def has_unknown_decorator(analysis: Analysis, function: Scope) -> bool:
    """Whether a decorator, of which nothing is known, may compile a function."""
    return any(
        fact is None and getattr(node, "id", "") not in _KNOWN_DECORATORS
        for node, fact in contexts.decorations(analysis, function)
    )


# What an iteration does


def _of_loop(analysis: Analysis, loop: Frame, framework: str) -> _Work:
    """What an iteration does, apart from the loops in it."""
    work = _Work()
    for site in loops.sites_in(analysis, loop):
        innermost = [
            frame
            for frame in site.frames
            if frame.is_loop and isinstance(frame.node, (ast.For, ast.While))
        ][-1]
        if innermost is loop and not _is_seldom(site, loop):
            operations, gradients = work.operations, work.gradients
            inner = _at_site(analysis, site, framework, work, _DEEPEST)
            if work.gradients > gradients:
                # What takes the gradient is what is worth compiling, whatever stands before it.
                work.step = inner if not gradients else work.step
            elif work.operations > operations and not gradients:
                work.step = work.step or inner
    if work.operations < ENOUGH:
        work.operations += _operators(analysis, _body(loop.node), loop.scope, framework)
    for function, times in work.functions.items() if work.operations else ():
        for _ in range(min(times, ENOUGH)):
            if work.operations >= ENOUGH:
                break
            work.operations += _operators(analysis, _body(function.node), function, framework)
    return work


def _is_seldom(site: CallSite, loop: Frame) -> bool:
    """Whether it is run in each n-th turn only, or in the last."""
    if intervals.is_now_and_then(site.frames) or once.is_last(site, loop):
        return True
    return loop in site.frames and once.leaves(site, loop)


def _at_site(
    analysis: Analysis, site: CallSite, framework: str, work: _Work, deepest: int
) -> Scope | None:
    """Adds what a call does; gives the function of the project that does it."""
    held = callgraph.callee(analysis, site)
    fact = callgraph.fact_of(analysis, held)
    if fact is not None:
        _add_operation(analysis, fact, held, framework, work)
        return None
    is_compiled = any(_is_compiled_object(analysis, term, framework) for term in held)
    if is_compiled or contexts.runs_compiled(analysis, site):
        work.is_beside = True
        return None
    for term in held:
        if isinstance(term, Instance) and isinstance(term.site, ast.Call):
            _add_object_call(analysis, site, term, framework, work)
    if not deepest:
        return None
    targets = callers.surely_run(analysis, site)
    if len(targets) != 1:
        return None
    function = targets[0].function
    # One traced for its callers' sake is traced for this caller's sake, too.
    if function is site.scope or contexts.is_compiled(analysis, function):
        work.is_beside |= function is not site.scope
        return None
    if function.name == "__init__":
        return None
    if has_unknown_decorator(analysis, function):
        work.is_unclear = True
        return None
    work.add(_of_function(analysis, function, framework, deepest - 1))
    return function


def _of_function(analysis: Analysis, function: Scope, framework: str, deepest: int) -> _Work:
    """What a function of the project does, apart from steps that have a loop of their own."""
    return analysis.reuse(
        ("dispatched", function, framework, deepest),
        lambda: _find_in_function(analysis, function, framework, deepest),
    )


def _find_in_function(analysis: Analysis, function: Scope, framework: str, deepest: int) -> _Work:
    analysis.module_of(function)
    work = _Work(functions=Counter((function,)))
    in_loops: dict[Frame, list[CallSite]] = {}
    for inner in function.calls[:_FEWER]:
        loop = next((f for f in inner.frames if isinstance(f.node, (ast.For, ast.While))), None)
        if loop is None:
            _at_site(analysis, inner, framework, work, deepest)
        else:
            in_loops.setdefault(loop, []).append(inner)
    for loop, sites in in_loops.items():
        part = _Work()
        for inner in sites:
            _at_site(analysis, inner, framework, part, deepest)
        # Steps that have a loop of their own are to be compiled there: a function that goes
        # through batches, prints and stores can't be compiled as a whole.
        if not part.gradients or loops.is_tiny(analysis, loop):
            work.add(part)
    return work


def _add_operation(
    analysis: Analysis, fact: Fact, held: Value, framework: str, work: _Work
) -> None:
    # Making layers, it builds a model: what is called then are no arrays yet.
    work.is_unclear |= Trait.CREATES_LAYER in fact.traits
    # So are losses and layers written for any backend: Keras traces them.
    work.is_unclear |= fact.name.startswith(_BACKEND)
    if fact.framework == framework:
        work.operations += not _WORK.isdisjoint(fact.traits)
        work.gradients += Trait.RECORDS_GRADIENT in fact.traits
        work.assignments += Trait.WRITES_STATE in fact.traits and _is_of_variable(analysis, held)


def _is_compiled_object(analysis: Analysis, term: Term, framework: str) -> bool:
    if not isinstance(term, Instance) or not isinstance(term.site, ast.Call):
        return False
    made = callgraph.fact_of_call(analysis, term.site, term.scope)
    return has(made, Trait.COMPILES) and made.framework == framework


def _add_object_call(
    analysis: Analysis, site: CallSite, called: Instance, framework: str, work: _Work
) -> None:
    """Adds what calling an object does: a layer, or a function that gives gradients."""
    assert isinstance(called.site, ast.Call)
    made = callgraph.fact_of_call(analysis, called.site, called.scope)
    if has(made, Trait.DIFFERENTIATES) and made.framework == framework:
        # Of numbers written out a gradient is a number: no work.
        given = site.node.args
        is_work = not given or not all(isinstance(part, ast.Constant) for part in given)
        work.gradients += is_work and not any(
            contexts.is_compiled(analysis, target.function)
            for target in callgraph.targets_of(analysis, (called,))
        )
    known = analysis.knowledge.type(called.type)
    if known is not None and framework == "tensorflow":
        work.operations += _OF_LAYER * (Trait.ADDS_NODE in known.call_traits)


def _is_of_variable(analysis: Analysis, held: Value) -> bool:
    """Whether a method is one of a variable, which the next iteration sees changed."""
    return any(
        isinstance(term, Method)
        and isinstance(term.receiver, Instance)
        and effects.is_variable(analysis, term.receiver)
        for term in held
    )


def _body(node: ast.AST) -> list[ast.stmt]:
    return node.body if isinstance(node, (ast.For, ast.While, ast.FunctionDef)) else []


def _operators(analysis: Analysis, body: list[ast.stmt], scope: Scope, framework: str) -> int:
    """How many operators in the statements of a scope work on tensors."""
    parts = [
        part
        for statement in body
        for part in tree.walk(statement)
        if isinstance(part, (ast.BinOp, ast.AugAssign))
    ]
    return sum(
        _is_tensor(analysis, part, scope, framework)
        for part in parts[:32]
        if isinstance(part, ast.BinOp)
    )


def _is_tensor(analysis: Analysis, node: ast.expr, scope: Scope, framework: str) -> bool:
    return any(
        isinstance(term, Instance)
        and analysis.knowledge.is_subtype(term.type, handed_on.TENSORS[framework])
        for term in values.evaluate(analysis, node, scope)
    )


def samplings(analysis: Analysis, path: str) -> Iterator[CallSite]:
    """The calls of samplers in a file that turn their loop in Python."""
    for site in callgraph.sites_with(analysis, path, frozenset((Trait.SAMPLES_IN_LOOP,))):
        if eagerness.builds_graphs(analysis, path):
            return
        if eagerness.is_traced_once(analysis, site.scope):
            continue
        if has_unknown_decorator(analysis, site.scope):
            continue
        if eagerness.runs_in_python(analysis, site.scope):
            yield site
