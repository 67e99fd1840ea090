"""Which functions of the project a call runs, body and all, in each turn of a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.files.outline import is_defined
from deepperf.semantics.invariance import kept, steady
from deepperf.semantics.invariance.certainty import Certainty
from deepperf.semantics.loops.regions import Region, last_name
from deepperf.semantics.names import scopes
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, Scope
from deepperf.semantics.values import classes, elements, values
from deepperf.semantics.values.terms import (
    Argument,
    Display,
    FunctionTerm,
    Instance,
    Method,
    Object,
    Term,
    Unknown,
)

MOST_CHOICES = 8
"""Functions of a table, or of classes, beyond which it is not looked into each."""
Own: TypeAlias = "frozenset[tuple[str, Scope]]"
NO_METHODS: Own = frozenset()


class Choice(Struct, frozen=True, eq=False):
    """A function that a call may run.

    It does if the object has the methods `own` by these names, `kept`, the expression by which the
    call finds its function, leads to this one of several, and `owner` to an object of this class.
    """

    target: callgraph.Target
    own: Own = NO_METHODS
    kept: ast.expr | None = None
    owner: ast.expr | None = None


def targets(analysis: Analysis, site: CallSite) -> tuple[callgraph.Target, ...]:
    """The one function of the project that the call runs, body and all, each time."""
    held = callgraph.callee(analysis, site)
    known = tuple(term for term in held if _runs_body(analysis, term))
    others = any(not isinstance(term, (Unknown, Argument)) for term in held if term not in known)
    found = () if others else callgraph.targets_of(analysis, known)
    return found[:1] if len({target.function for target in found}) == 1 else ()


def one_of(analysis: Analysis, site: CallSite, region: Region) -> tuple[callgraph.Target, ...]:
    """The same, or the functions of which all turns run one.

    `way = WAYS[name]` before the loop is one; so is what the classes below define of a method, and
    what an object does that may be of one of several classes.
    """
    known = targets(analysis, site)
    if known:
        return known
    held = tuple(one for one in callgraph.callee(analysis, site) if not isinstance(one, Unknown))
    if len(held) > MOST_CHOICES:
        return ()
    if functions := kept.functions(analysis, site):
        is_one = kept.stays(analysis, site.node.func, region).is_sure
        return callgraph.targets_of(analysis, functions) if is_one else ()
    if classes.is_of_own_object(site.node.func, site.scope):
        is_own = all(isinstance(getattr(one, "function", None), FunctionTerm) for one in held)
        return callgraph.targets_of(analysis, held) if is_own else ()
    # What callers pass is taken to be like what is known of it.
    objects = tuple(one for one in held if not isinstance(one, Argument))
    if objects and all(_is_of_project(one) for one in objects):
        owner = (
            site.node.func
            if isinstance(objects[0], Object)
            else getattr(site.node.func, "value", None)
        )
        is_one = owner is not None and steady.same_object(analysis, owner, region) is Certainty.YES
        return callgraph.targets_of(analysis, objects) if is_one else ()
    if not is_chosen(analysis, site) or not all(isinstance(one, FunctionTerm) for one in held):
        return ()
    if not kept.stays(analysis, site.node.func, region).is_sure:
        return ()
    return callgraph.targets_of(analysis, held)


def _is_of_project(term: Term) -> bool:
    """Whether it is an object of a class of the project, or a method of one."""
    if isinstance(term, Method):
        return isinstance(term.receiver, Object) and isinstance(term.function, FunctionTerm)
    return isinstance(term, Object)


def is_chosen(analysis: Analysis, site: CallSite) -> bool:
    """Whether it calls what is looked up in a table, or chosen by a condition, by the text."""
    function = site.node.func
    if isinstance(function, ast.Subscript):
        return isinstance(function.value, ast.Name)
    if isinstance(function, ast.Attribute):
        return kept.may_be_kept(analysis, site)
    if not isinstance(function, ast.Name) or not _may_be_bound(analysis, function.id, site.scope):
        return False
    definitions = values.definitions_of(analysis, function, site.scope)
    chosen = [one.value for one in definitions if one.binding is Binding.ASSIGNED]
    return len(definitions) == 1 and any(
        isinstance(value, (ast.Subscript, ast.IfExp))
        or (isinstance(value, ast.Call) and scopes.last_name(value.func) == "get")
        for value in chosen
    )


def _may_be_bound(analysis: Analysis, name: str, scope: Scope) -> bool:
    """Whether a function, or one around it, binds a name to what the module does not define."""
    if name in scope.bound:
        return True
    outer = scope.parent
    while outer is not None and name not in outer.bound:
        outer = outer.parent
    return outer is not None and not is_defined(analysis, scope.module_path, name)


def _runs_body(analysis: Analysis, term: Term) -> bool:
    """Whether calling it runs a function's body each time, and not what was compiled of it."""
    if isinstance(term, (FunctionTerm, Method, Object)):
        return True
    if not isinstance(term, Instance) or not isinstance(term.site, ast.Call):
        return False
    opened = callgraph.opened(analysis, term)
    if not all(_only_hands_on(analysis, one) for one, wraps in opened.items() if wraps):
        return False
    inner = [one for one, wraps in opened.items() if not wraps]
    known = [one for one in inner if not isinstance(one, (Argument, Unknown))]
    return bool(known) and all(isinstance(one, (FunctionTerm, Method)) for one in known)


def _only_hands_on(analysis: Analysis, term: Term) -> bool:
    """Whether a wrapper runs what it wraps, with other arguments or for gradients of it."""
    if not isinstance(term, Instance) or not isinstance(term.site, ast.Call):
        return False
    if callgraph.partial_of(analysis, (term,)) is not None:
        return True
    return has(callgraph.fact_of_call(analysis, term.site, term.scope), Trait.DIFFERENTIATES)


def classes_with(analysis: Analysis, site: CallSite, function: Scope) -> tuple[Scope, ...]:
    """The classes of objects of which a call may run a function."""
    found = callgraph.targets_of(analysis, callgraph.callee(analysis, site))
    receivers = (one.receiver for one in found if one.function is function)
    return tuple(one.cls for one in receivers if isinstance(one, Object))


def choices(analysis: Analysis, site: CallSite) -> Iterator[Choice]:
    """The function that a call runs, or those of which its object's class or a table decides."""
    known = targets(analysis, site)
    held, called = callgraph.callee(analysis, site), (site.node.func, site.scope)
    if not known and len(held) <= MOST_CHOICES and is_chosen(analysis, site):
        yield from _kept(analysis, site)
        return
    found = [*known]
    if not known and site.loops and len(held) <= MOST_CHOICES:
        of_elements = _of_elements(analysis, site)
        if of_elements:
            yield from (Choice(target) for target in of_elements)
            return
    if not known and len(held) <= MOST_CHOICES and not classes.is_of_own_object(*called):
        yield from _of_classes(analysis, site)
        return
    if classes.is_of_own_object(*called):
        if known:
            own = classes.overriding(analysis, known[0].function)[:MOST_CHOICES]
            found += [replace(known[0], function=method) for method in own]
        elif len(held) <= MOST_CHOICES:
            found += callgraph.targets_of(analysis, held)
    for target in found:
        is_sure = len(found) == len(known)
        own_methods = NO_METHODS if is_sure else frozenset(((last_name(site), target.function),))
        yield Choice(target, own_methods)


def _kept(analysis: Analysis, site: CallSite) -> Iterator[Choice]:
    """The functions of which a name or an attribute keeps one."""
    function, held = site.node.func, callgraph.callee(analysis, site)
    if isinstance(function, ast.Attribute):
        held = kept.functions(analysis, site)
    known = tuple(one for one in held if not isinstance(one, (Argument, Unknown)))
    if isinstance(function, ast.Attribute) or all(isinstance(one, FunctionTerm) for one in known):
        for target in callgraph.targets_of(analysis, known):
            yield Choice(target, kept=function)


def _of_classes(analysis: Analysis, site: CallSite) -> Iterator[Choice]:
    """The functions that a call runs of an object which may be of one of several classes."""
    held = [t for t in callgraph.callee(analysis, site) if not isinstance(t, (Argument, Unknown))]
    if len(held) < 2 or not all(_is_of_project(term) for term in held):
        return
    function = site.node.func
    owner = getattr(function, "value", None) if isinstance(held[0], Method) else function
    found = {target.function: target for target in callgraph.targets_of(analysis, tuple(held))}
    for target in found.values() if owner is not None else ():
        yield Choice(target, owner=owner)


def _of_elements(analysis: Analysis, site: CallSite) -> tuple[callgraph.Target, ...]:
    """The methods that a loop calls of objects of several classes, each of which it goes over.

    These are the methods of those that are in all containers which are known to be gone over.
    """
    function = site.node.func
    owner = function.value if isinstance(function, ast.Attribute) else function
    if not isinstance(owner, ast.Name):
        return ()
    definitions = values.definitions_of(analysis, owner, site.scope)
    one = definitions[0] if len(definitions) == 1 else None
    if one is None or one.binding is not Binding.ITERATED or one.value is None or one.unpacking:
        return ()
    held = [t for t in callgraph.callee(analysis, site) if not isinstance(t, (Argument, Unknown))]
    if not all(_is_of_project(term) for term in held):
        return ()
    containers = values.evaluate(analysis, one.value, site.scope)
    shown = [term for term in containers if isinstance(term, Display)]
    if len(shown) < sum(not isinstance(term, (Argument, Unknown)) for term in containers):
        return ()
    in_all = [
        {one.cls for one in elements.elements(analysis, (term,)) if isinstance(one, Object)}
        for term in shown
    ]
    found = {
        target.function: target
        for target in reversed(callgraph.targets_of(analysis, tuple(held)))
        if in_all
        and isinstance(target.receiver, Object)
        and all(target.receiver.cls in one for one in in_all)
    }
    return tuple(reversed(found.values()))
