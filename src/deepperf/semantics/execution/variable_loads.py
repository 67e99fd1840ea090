"""Session calls that each give one variable its value, where one call could do it for all."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from msgspec import Struct

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.execution import graphs, session_runs
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.names.scopes import CallSite, Frame, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import External, FunctionTerm, Instance, Method, Value


class Load(Struct, frozen=True, eq=False):
    """A call that sets one variable, and the loop whose iterations make several such calls."""

    site: CallSite
    loop: Frame
    way: tuple[CallSite, ...]


def loads(analysis: Analysis, path: str) -> Iterator[Load]:
    """The calls of a file that set variables one at a time, step after step."""
    module = analysis.module(path)
    traits = frozenset((Trait.SETS_ONE_VARIABLE, Trait.RUNS_SESSION))
    names = analysis.project.trigger_names(traits)
    for site in module.calls_of(names):
        found = _load(analysis, site)
        if found is not None:
            yield found


def _load(analysis: Analysis, site: CallSite) -> Load | None:
    around = site.loops
    inner = next((loop for loop in reversed(around) if _goes_over_variables(site, loop)), None)
    if inner is None and not _others(analysis, site):
        return None
    if not _sets_one(analysis, site, inner):
        return None
    skipped = {id(loop) for loop in around[around.index(inner) :]} if inner is not None else set()
    for loop, way in graphs.repeats(analysis, site):
        trips = loops.trips(analysis, loop)
        if id(loop) in skipped:
            continue
        # Each iteration fills the variables of a graph of its own, once.
        if graphs.loop_starts_graph(analysis, loop):
            return None
        if trips is None or trips > loops.TINY:
            return Load(site, loop, way)
    return None


# Which calls


def _sets_one(analysis: Analysis, site: CallSite, inner: Frame | None) -> bool:
    held = callgraph.callee(analysis, site)
    fact = callgraph.fact_of(analysis, held)
    if has(fact, Trait.SETS_ONE_VARIABLE):
        return session_runs.runs_session(analysis, site)
    if _loads_something(analysis, site, held):
        return True
    if inner is not None and _runs_assignment(analysis, site):
        return session_runs.runs_session(analysis, site)
    # One assignment after the other, each with the placeholder that goes with it.
    return (
        inner is not None
        and isinstance(site.statement, ast.Expr)
        and site.statement.value is site.node
        and bool(site.node.args)
        and isinstance(site.node.args[0], ast.Name)
        and _feeds_from(site.node, loops.targets(inner))
        and session_runs.runs_session(analysis, site)
    )


def _runs_assignment(analysis: Analysis, site: CallSite) -> bool:
    """Whether one assignment is run by itself, that was made before.

    One that is made where it is run makes the graph grow: that is another smell, and worse.
    """
    given = tree.argument(site.node, 0, "fetches")
    if given is None or not isinstance(site.statement, ast.Expr):
        return False
    return isinstance(given, ast.Name) and any(
        isinstance(term, Instance)
        and isinstance(term.site, ast.Call)
        and last_name(term.site.func) in members.VARIABLE_ASSIGNMENTS
        for term in values.evaluate(analysis, given, site.scope)
    )


def _loads_something(analysis: Analysis, site: CallSite, held: Value) -> bool:
    """Whether it is `something.load(value, session)`."""
    node = site.node
    if not isinstance(node.func, ast.Attribute) or node.func.attr != "load":
        return False
    if any(isinstance(term, (External, FunctionTerm, Method)) for term in held):
        return False
    given = tree.argument(node, 1, "session")
    if given is None:
        return False
    return session_runs.is_named_session(given) or session_runs.is_session(
        analysis, given, site.scope
    )


def _feeds_from(call: ast.Call, names: set[str]) -> bool:
    given = tree.argument(call, 1, "feed_dict")
    return (
        isinstance(given, ast.Dict)
        and bool(given.keys)
        and all(key is not None and tree.names_in(key) & names for key in given.keys)
    )


# How many of them in an iteration


def _goes_over_variables(site: CallSite, loop: Frame) -> bool:
    """Whether the variable that a call sets is another one in each iteration of the loop."""
    node = site.node
    variable = _variable(node)
    return variable is not None and bool(tree.names_in(variable) & loops.targets(loop))


def _variable(node: ast.Call) -> ast.expr | None:
    if isinstance(node.func, ast.Attribute) and node.func.attr == "load":
        return node.func.value
    return node.args[0] if node.args else None


def _others(analysis: Analysis, site: CallSite) -> bool:
    """Whether the same code sets another variable by such a call as well."""
    variable = _variable(site.node)
    if variable is None or not _may_set_one(site):
        return False
    own, around = ast.dump(variable), site.loops
    return any(
        other is not site
        and last_name(other.node.func) == last_name(site.node.func)
        and other.loops == around
        and (there := _variable(other.node)) is not None
        and ast.dump(there) != own
        and _sets_one(analysis, other, None)
        for other in site.scope.calls
    )


def _may_set_one(site: CallSite) -> bool:
    return last_name(site.node.func) in ("load", "set_value")
