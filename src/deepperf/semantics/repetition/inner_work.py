"""Work that each call of a function does again for the same operands, calls in it included."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from deepperf.knowledge import members
from deepperf.semantics.calls import callgraph, consumed, properties
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.files.outline import (
    is_defined,
    may_lead_to_framework,
    may_reach_framework,
    root_name,
)
from deepperf.semantics.invariance import kept, passing, steady
from deepperf.semantics.invariance.steadiness import NOTHING, Needs, together
from deepperf.semantics.invariance.varying import may_be_steady
from deepperf.semantics.loops import loops, regions
from deepperf.semantics.loops.regions import Region, last_name
from deepperf.semantics.models import learning
from deepperf.semantics.names import scopes
from deepperf.semantics.names.scopes import CallSite, Scope, parameters
from deepperf.semantics.repetition import (
    bodies,
    called,
    filled_arrays,
    inner_loops,
    operations,
    same_owner,
)
from deepperf.semantics.repetition.bodies import Demands
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.writes import harmless

DEEPEST = 4
"""Calls from the loop to the work up to which it is looked for."""
MOST_IN_FUNCTION = 12


class Inner(Struct, frozen=True, eq=False):
    """An operation that a function does, the same in each call for the same `needed`.

    Calls do it only if they meet the `demands`. `own` are methods that the object
    must have by these names: of several classes' one is run. `objects`
    must be the same in each call, whatever becomes of their parts.
    """

    way: tuple[CallSite, ...]
    operation: CallSite
    needed: Needs
    demands: Demands
    own: called.Own = called.NO_METHODS
    objects: Needs = NOTHING


def sites(analysis: Analysis, scope: Scope) -> list[CallSite]:
    """The calls in a scope, what may be reads of properties, and products by an operator."""
    products = analysis.module_of(scope).products.get(scope, ())
    return [*scope.calls, *properties.reads_in(analysis, scope), *products]


def may_be_project(analysis: Analysis, site: CallSite) -> bool:
    """Whether the names allow that the call leads to a framework by the project's functions."""
    name = last_name(site)
    # Arrays and containers have methods of these names, and so may classes of the project.
    is_others = name in harmless.harmless_names(analysis) or name in members.CHANGES
    is_held = isinstance(site.node.func, ast.Name) and name in site.scope.bound
    if is_others and not is_held and not is_defined(analysis, site.scope.module_path, name):
        return False
    if may_reach_framework(analysis, site) or _is_made_by_project(analysis, site):
        return True
    if called.is_chosen(analysis, site):
        return True
    return bool(site.loops) and _is_given_project(analysis, site)


def _is_given_project(analysis: Analysis, site: CallSite) -> bool:
    """Whether a loop calls a function of the project that its own function is given."""
    function = site.node.func
    if not isinstance(function, ast.Name) or not _is_parameter(site.scope, function.id):
        return False
    path = site.scope.module_path
    return any(
        may_lead_to_framework(analysis, target.function.module_path, target.function.name)
        or target.function.module_path == path
        for target in called.targets(analysis, site)
    )


def _is_parameter(scope: Scope, name: str) -> bool:
    node = scope.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return False
    return any(one.arg == name for one in parameters(node))


def _is_made_by_project(analysis: Analysis, site: CallSite) -> bool:
    """Whether it calls what a function of the project gave, by whose text that may do work."""
    function = site.node.func
    if not isinstance(function, ast.Name) or function.id not in site.scope.bound:
        return False
    definitions = values.definitions_of(analysis, function, site.scope)
    made = definitions[0].value if len(definitions) == 1 else None
    maker = scopes.last_name(made.func) if isinstance(made, ast.Call) else None
    if maker == "partial" and isinstance(made, ast.Call) and made.args:
        maker = scopes.last_name(made.args[0])
    path = site.scope.module_path
    return (
        maker is not None
        and is_defined(analysis, path, maker)
        and may_lead_to_framework(analysis, path, maker)
    )


def work_of(analysis: Analysis, function: Scope, varying: frozenset[str]) -> tuple[Inner, ...]:
    """The operations that each call of a function does again for the same operands.

    What needs parameters that are `varying` from call to call is no such work. Of a generator it
    is what going through all that the call gives does.
    """
    return analysis.remember(
        ("work of", function, varying),
        lambda: tuple(_find_work(analysis, function, varying)),
        (),
    )


def work_for(
    analysis: Analysis, site: CallSite, target: callgraph.Target, varying: frozenset[str]
) -> list[Inner]:
    """The same, of what some object does of which the call may run the function."""
    if target.function.yields and not consumed.is_consumed(analysis, site):
        return []
    known = work_of(analysis, target.function, varying)
    held = called.classes_with(analysis, site, target.function)
    return [one for one in known if not one.own or any(is_of(analysis, one, cls) for cls in held)]


def is_of(analysis: Analysis, inner: Inner, cls: Scope | None) -> bool:
    """Whether objects of a class have the methods that the work needs."""
    return all(
        cls is not None and classes.method_of(analysis, cls, name) is method
        for name, method in inner.own
    )


def _find_work(analysis: Analysis, function: Scope, varying: frozenset[str]) -> list[Inner]:
    analysis.module_of(function)
    found: list[Inner] = []
    found_in = sites(analysis, function)
    if not found_in or not bodies.runs_as_written(analysis, function):
        return found
    if bodies.makes_functions(analysis, function):
        return found
    region = regions.region_of_function(analysis, function)
    named = operations.names(analysis)
    # Its own operations come before the many that a function it calls may have.
    for site in sorted(found_in, key=lambda one: last_name(one) not in named):
        if len(found) >= MOST_IN_FUNCTION or not all(
            inner_loops.may_go_over_things(loop) for loop in site.loops
        ):
            continue
        if not _may_be_operation(analysis, site, region) and (
            _is_given(site, region) or not may_be_project(analysis, site)
        ):
            continue
        if isinstance(site.statement, (ast.Raise, ast.Assert)) or bodies.is_late(site):
            continue
        tests = bodies.conditions(analysis, site, region)
        if tests is None:
            continue
        for one in _work_at(analysis, site, region, tests, varying):
            if not any(_is_the_same(other, one) for other in found):
                found.append(one)
    return found


def _work_at(
    analysis: Analysis,
    site: CallSite,
    region: Region,
    tests: list[ast.expr],
    varying: frozenset[str],
) -> Iterator[Inner]:
    """What a call in a function does again, and what it leads to, under these conditions."""
    if not all(may_be_steady(test, region, varying) for test in tests):
        return
    may_be_operation = _may_be_operation(analysis, site, region)
    is_given_others = may_be_operation and not may_be_steady(site.node, region, varying)
    # What differs may lead to work that needs less than it is given.
    if is_given_others and not _may_lead_on(analysis, site, region):
        return
    # What the conditions rest on is asked last: it may lead far.
    if may_be_operation and operations.is_worth_repeating(analysis, site):
        if site.loops and not operations.is_more_than_a_pass(analysis, site):
            return
        own = _own_work(analysis, site, region, tests)
        if own is not None and _goes_over_things(analysis, site):
            yield own
        return
    yield from _called_work(analysis, site, region, tests, varying)


def _may_be_operation(analysis: Analysis, site: CallSite, region: Region) -> bool:
    return operations.may_be_operation(analysis, site) and may_be_steady(site.node, region)


def _may_lead_on(analysis: Analysis, site: CallSite, region: Region) -> bool:
    """Whether a call runs functions of the project."""
    is_open = _is_given(site, region) or may_be_project(analysis, site)
    return is_open and any(True for _ in called.choices(analysis, site))


def _own_work(
    analysis: Analysis, site: CallSite, region: Region, tests: list[ast.expr]
) -> Inner | None:
    """The operation that a call is, if all that it rests on is known to stay the same."""
    parts = [tree.written(site.node), *tests, *_gone_over(analysis, site)]
    made = filled_arrays.filled(analysis, site)
    parts += [] if made is None else [made]
    answer = steady.all_steady(analysis, parts, region)
    if not answer.is_sure:
        return None
    # What a model makes of its own parameters must follow their training.
    if learning.reads_variable(analysis, site) or learning.are_variables(
        analysis, answer.needs, site.scope
    ):
        return None
    costliest = operations.costliest(analysis, site)
    demands = bodies.demands(analysis, site, region)
    return Inner((), costliest, answer.needs, demands)


def _called_work(
    analysis: Analysis,
    site: CallSite,
    region: Region,
    tests: list[ast.expr],
    varying: frozenset[str],
) -> Iterator[Inner]:
    """What functions do again that a call runs, if what they need of it stays the same."""
    is_own = classes.is_of_own_object(site.node.func, site.scope)
    told: set[Scope] = set()
    for choice in called.choices(analysis, site):
        target = choice.target
        owner = same_owner.of_choice(analysis, choice.owner, region)
        if owner is None:
            continue
        differing = passing.varying_at_call(analysis, site, target, region, varying)
        if target.function.yields and not consumed.is_consumed(analysis, site):
            continue
        of_any = work_of(analysis, target.function, differing)
        here: set[Scope] = set()
        for inner in of_any if is_own else work_for(analysis, site, target, differing):
            # What several functions come to, of which one is run, is told of the first.
            if choice.kept is not None and inner.operation.scope in told:
                continue
            objects = same_owner.handed_on(analysis, inner.objects, site, target, region)
            if objects is None:
                continue
            needed = _needed(analysis, inner, site, choice, region, tests)
            if needed is not None and _goes_over_things(analysis, site):
                here.add(inner.operation.scope)
                yield replace(
                    inner,
                    way=(site, *inner.way),
                    needed=needed,
                    demands=bodies.handed_on(analysis, inner.demands, site, target, region),
                    own=(inner.own | choice.own) if is_own else called.NO_METHODS,
                    objects=objects | owner,
                )
        told |= here


def _needed(
    analysis: Analysis,
    inner: Inner,
    site: CallSite,
    choice: called.Choice,
    region: Region,
    tests: list[ast.expr],
) -> Needs | None:
    """What must stay the same for a function's work to do so; None where something differs."""
    target = choice.target
    if len(inner.way) >= DEEPEST - 1 or not inner.demands.are_met(analysis, site, target):
        return None
    if site.loops and not operations.is_more_than_a_pass(analysis, inner.operation):
        return None
    given = passing.at_call(analysis, inner.needed, site, target, region)
    if not given.is_sure:
        return None
    over = _gone_over(analysis, site)
    answers = [given, steady.all_steady(analysis, [*tests, *over], region)]
    if choice.kept is not None:
        answers.append(kept.stays(analysis, choice.kept, region))
    guarded = together(answers)
    return guarded.needs if guarded.is_sure else None


def _is_the_same(known: Inner, other: Inner) -> bool:
    """Whether work that is known is the same operation, and needs no more."""
    is_same = known.operation is other.operation and known.demands == other.demands
    return is_same and not known.way and known.needed <= other.needed


def _goes_over_things(analysis: Analysis, site: CallSite) -> bool:
    return all(inner_loops.goes_over_things(analysis, loop) for loop in site.loops)


def _gone_over(analysis: Analysis, site: CallSite) -> list[ast.expr]:
    """What the loops around a call, in its function, go over."""
    found: list[ast.expr] = []
    used = tree.names_in(site.node)
    for loop in site.loops:
        first = getattr(loop.node, "generators", [loop.node])[0]
        target, iterable = getattr(first, "target", None), loops.iterable_of(loop)
        pairs = regions.parts_gone_over(target, iterable) if target and iterable else []
        # Of what stands side by side, what the call takes is enough.
        own = [part for name, part in pairs if name in used]
        found += own or loops.gone_over(analysis, loop)
    return found


def _is_given(site: CallSite, region: Region) -> bool:
    """Whether the function was given what it calls: finding out what that is would cost much."""
    name = root_name(site.node.func)
    node = region.scope.node
    if name is None or isinstance(node, (ast.Module, ast.ClassDef)):
        return False
    return any(
        argument.arg == name and argument.annotation is None
        for argument in parameters(node)
        if argument.arg != classes.receiver_name(region.scope)
    )
