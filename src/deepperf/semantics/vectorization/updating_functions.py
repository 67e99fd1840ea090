"""Functions that give an array with one place set, called in each iteration of a loop over the
array.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callers, callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import induction
from deepperf.semantics.loops.induction import Way
from deepperf.semantics.loops.loops import is_left, sites_in
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, ScopeKind, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.vectorization import array_writes, keeping, places, updates
from deepperf.semantics.vectorization.array_writes import Setting
from deepperf.semantics.vectorization.updates import Update


class _Write(Struct, frozen=True):
    """What a call returns: the array of a parameter, with `values` set at `indices`."""

    container: ast.Name
    indices: list[ast.expr]
    values: list[ast.expr]
    framework: str
    setting: Setting


def updates_by_functions(analysis: Analysis, path: str) -> Iterator[Update]:
    """The updates that functions of a file return and do nothing else, where a loop repeats them.

    The loop may stand in another file.
    """
    module = analysis.module(path)
    scatters = analysis.project.trigger_names(frozenset((Trait.SCATTERS,)))
    scatters = module.with_renamed(scatters)
    if (scatters | array_writes.METHODS).isdisjoint(module.called_names):
        return
    for function in module.all_scopes:
        if function.kind is not ScopeKind.FUNCTION:
            continue
        call = keeping.all_returned(function)
        if isinstance(call, ast.Call):
            found = _of_function(analysis, function, call, scatters)
            if found is not None:
                yield found


def _of_function(
    analysis: Analysis, function: Scope, call: ast.Call, scatters: frozenset[str]
) -> Update | None:
    write = _write(analysis, function, call, scatters)
    if write is None:
        return None
    turns = induction.turning(function, ())
    ways = [places.way_of_index(analysis, index, turns) for index in write.indices]
    ways += [induction.way(analysis, value, turns) for value in write.values]
    if Way.OTHER in ways:
        return None
    for site in callers.callers(analysis, function):
        loop = _loop(analysis, site)
        if loop is not None and _sets_one(analysis, site, loop, function, write):
            return Update(
                call,
                write.container,
                function,
                (loop,),
                write.setting,
                write.framework,
                copies=True,
                is_table=False,
            )
    return None


def _write(
    analysis: Analysis, function: Scope, call: ast.Call, scatters: frozenset[str]
) -> _Write | None:
    """What a call sets of a parameter, to give it back; None where it does anything else."""
    called = call.func
    rest = tree.arguments(call)
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Subscript):
        at = called.value.value
        if called.attr not in array_writes.METHODS or not isinstance(at, ast.Attribute):
            return None
        if at.attr == "at" and isinstance(at.value, ast.Name) and call.args:
            setting = Setting.SETS if called.attr == "set" else Setting.ADDS
            return _Write(at.value, tree.indices_of(called.value), rest, "jax", setting)
        return None
    if last_name(called) not in scatters or len(rest) < 3 or not isinstance(rest[0], ast.Name):
        return None
    fact = callgraph.fact_of_call(analysis, call, function)
    if not has(fact, Trait.SCATTERS) or Trait.WRITES_STATE in fact.traits:
        return None
    if array_writes.is_batch(analysis, rest[1], induction.turning(function, ())):
        return None
    setting = array_writes.setting_of(fact)
    return _Write(rest[0], rest[1:2], rest[2:], fact.framework, setting)


def _loop(analysis: Analysis, site: CallSite) -> Frame | None:
    """The loop around a call whose iterations do nothing but plain work besides it."""
    frames = site.loops
    if not frames or not isinstance(frames[-1].node, (ast.For, ast.While)):
        return None
    others = (other for other in sites_in(analysis, frames[-1]) if other is not site)
    is_bare = all(updates.is_slight(analysis, other) for other in others)
    return frames[-1] if is_bare and not is_left(frames[-1]) else None


def _sets_one(
    analysis: Analysis,
    site: CallSite,
    loop: Frame,
    function: Scope,
    write: _Write,
) -> bool:
    """Whether each iteration replaces an array by itself with a place of the iteration's
    own set.
    """
    statement = site.statement
    if not isinstance(statement, ast.Assign) or statement.value is not site.node:
        return False
    target, turns = statement.targets[0], induction.turning(site.scope, (loop,))
    if not isinstance(target, ast.Name) or callgraph.has_unpacked_arguments(site.node):
        return False
    made = analysis.module_of(site.scope).flow(site.scope).all.get(target.id, ())
    if any(id(loop.node) in d.loops and d.value is not site.node for d in made):
        return False
    for run in callgraph.targets(analysis, site):
        given = callgraph.bound_arguments(site.node, run)
        array = given.pop(write.container.id, None)
        if run.function is not function or array is None or not induction.same(array, target):
            return False
        ways = {name: induction.way(analysis, node, turns) for name, node in given.items()}
        read = tree.names_in(*write.indices)
        if Way.OTHER in ways.values() or not any(ways.get(n) is Way.OWN for n in read):
            return False
    tests = [f.node.test for f in site.frames if isinstance(f.node, ast.If)]
    return all(induction.way(analysis, test, turns) is not Way.OTHER for test in tests)
