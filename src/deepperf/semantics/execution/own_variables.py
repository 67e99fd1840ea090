"""Variables that each iteration of a loop has of its own: a graph has no more than these."""

from __future__ import annotations

import ast

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, last_name
from deepperf.semantics.text import tree


def are_named_by_turn(analysis: Analysis, site: CallSite, loop: Frame) -> bool:
    """Whether a variable is asked for by its name, in a scope that bears the iteration's name."""
    variable = _set_by(site)
    if not isinstance(variable, ast.Call) or loop not in site.frames:
        return False
    fact = callgraph.fact_of_call(analysis, variable, site.scope)
    if fact is None or not {Trait.CREATES_VARIABLE, Trait.READS_STATE} <= fact.traits:
        return False
    turning = loops.targets(loop)
    return any(
        not turning.isdisjoint(tree.names_in(item.context_expr))
        for frame in site.frames[site.frames.index(loop) :]
        if isinstance(frame.node, (ast.With, ast.AsyncWith))
        for item in frame.node.items
    )


def are_handed_by_turn(analysis: Analysis, way: tuple[CallSite, ...], loop: Frame) -> bool:
    """Whether an iteration hands variables of its own to a function that sets them, and does no
    more.

    `way` are the calls from the loop to what adds a node. Its own is what the loop goes over, or
    takes by its number: `fill(agents[i].variables, values[i])`.
    """
    if len(way) != 2 or loop not in way[0].frames:
        return False
    first, function = way[0], way[1].scope
    turning = loops.targets(loop)
    parameters = {
        parameter
        for target in callgraph.targets(analysis, first)
        if target.function is function
        for parameter, argument in callgraph.bound_arguments(first.node, target).items()
        if _is_of_turn(argument, turning)
    }
    setting = [
        variable
        for site in function.calls
        if last_name(site.node.func) in members.VARIABLE_ASSIGNMENTS
        and (variable := _set_by(site)) is not None
    ]
    return bool(setting) and all(
        not parameters.isdisjoint(_origins(variable, function)) for variable in setting
    )


def _set_by(site: CallSite) -> ast.expr | None:
    """The variable that an assignment sets: its first argument, or what it is a method of."""
    function = site.node.func
    if isinstance(function, ast.Attribute) and len(site.node.args) < 2:
        return function.value
    return site.node.args[0] if site.node.args else None


def _is_of_turn(node: ast.expr, turning: set[str]) -> bool:
    """Whether it is the iteration's own, or belongs to what is: `agents[i].variables()`."""
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.Call):
            node = node.func
        elif isinstance(node, ast.Attribute):
            node = node.value
        elif isinstance(node, ast.Subscript):
            if isinstance(node.slice, ast.Name) and node.slice.id in turning:
                return True
            node = node.value
        else:
            return False
    return node.id in turning


def _origins(variable: ast.expr, function: Scope) -> set[str]:
    """The names that a variable is one of, through the loops around."""
    names = tree.names_in(variable)
    for loop in function.loops:
        iterable = loops.iterable_of(loop)
        if iterable is not None and not names.isdisjoint(loops.targets(loop)):
            names |= tree.names_in(iterable)
    return names
