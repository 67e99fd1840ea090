"""Which functions a call may run, and with which arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from deepperf.knowledge.schema import Fact, Parameter, ParameterRole, Trait, has
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope, parameters
from deepperf.semantics.values import classes, told_objects, values
from deepperf.semantics.values.terms import (
    UNKNOWN,
    Argument,
    ClassTerm,
    External,
    FunctionTerm,
    Instance,
    Method,
    Object,
    Term,
    Unknown,
    Value,
)

CALLED_AS = {"forward": "torch.nn.Module", "call": "keras.Layer", "__call__": ""}

ENTERING = ("__enter__", "__aenter__")
"""Methods that a `with` block runs at its start."""


class Target(Struct, frozen=True):
    """A function of the project that a call may run.

    `shift` is 1 when the first parameter is bound to an object and takes no argument.
    """

    function: Final[Scope]
    receiver: Final[Term | None]
    shift: Final[int]


def callee(analysis: Analysis, site: CallSite) -> Value:
    return values.evaluate(analysis, site.node.func, site.scope)


def external_names(held: Value) -> tuple[str, ...]:
    """The canonical names of the external callables among the terms."""
    found = []
    for term in held:
        if isinstance(term, External):
            found.append(term.name)
        elif isinstance(term, Method) and isinstance(term.function, External):
            found.append(term.function.name)
    return tuple(found)


def fact_of(analysis: Analysis, held: Value) -> Fact | None:
    """The fact of the external callable, when the value can be only one that is known."""
    names = set(external_names(held))
    return analysis.knowledge.fact(names.pop()) if len(names) == 1 else None


def fact_at(analysis: Analysis, site: CallSite) -> Fact | None:
    """The fact of what a call runs, when that can be only one thing that is known."""
    return fact_of(analysis, callee(analysis, site))


def fact_of_call(analysis: Analysis, node: ast.Call, scope: Scope) -> Fact | None:
    """The same of a call by its expression."""
    return fact_of(analysis, values.evaluate(analysis, node.func, scope))


def sites_with(analysis: Analysis, path: str, traits: frozenset[Trait]) -> Iterator[CallSite]:
    """The calls of a file of what has one of `traits`, in alphabetical order of last names."""
    for site in analysis.module(path).calls_of(analysis.project.trigger_names(traits)):
        if has(fact_at(analysis, site), *traits):
            yield site


# What a call may run


def partial_of(analysis: Analysis, held: Value) -> Instance | None:
    """The object among the terms that `functools.partial` made."""
    for term in held:
        if isinstance(term, Instance) and isinstance(term.site, ast.Call):
            names = external_names(values.evaluate(analysis, term.site.func, term.scope))
            if names == ("functools.partial",):
                return term
    return None


def targets(analysis: Analysis, site: CallSite) -> tuple[Target, ...]:
    def find() -> tuple[Target, ...]:
        held = callee(analysis, site)
        found = (*targets_of(analysis, held), *entered(analysis, site))
        if found and classes.is_of_own_object(site.node.func, site.scope):
            return (*found, *_of_heirs(analysis, found))
        return found if found or held != (UNKNOWN,) else _told_by_name(analysis, site)

    return analysis.reuse(("targets", site.node), find)


def _of_heirs(analysis: Analysis, found: tuple[Target, ...]) -> Iterator[Target]:
    """What objects of classes below run in place of a method that an object calls of itself."""
    known = {target.function for target in found}
    for target in found:
        for method in classes.overriding(analysis, target.function):
            if method not in known:
                known.add(method)
                yield replace(target, function=method)


def entered(analysis: Analysis, site: CallSite) -> tuple[Target, ...]:
    """The methods that a `with` block runs of the objects which the call makes for it."""
    statement = site.statement
    if not isinstance(statement, (ast.With, ast.AsyncWith)):
        return ()
    if not any(item.context_expr is site.node for item in statement.items):
        return ()
    made = [term for term in callee(analysis, site) if isinstance(term, ClassTerm)]
    methods = [
        (classes.method_of(analysis, term.scope, name), Object(term.scope, site.node))
        for term in made
        for name in ENTERING
    ]
    return tuple(Target(run, made, 1) for run, made in methods if isinstance(run, Scope))


def _told_by_name(analysis: Analysis, site: CallSite) -> tuple[Target, ...]:
    """The method of an object of which nothing is known, if its name tells whose it is.

    Private names are a project's own; where one class alone has a method so named, it is that.
    """
    function = site.node.func
    if not isinstance(function, ast.Attribute) or not _is_private(function.attr):
        return ()
    receiver = values.evaluate(analysis, function.value, site.scope)
    if not any(isinstance(term, (Argument, Unknown)) for term in receiver):
        return ()
    method = told_objects.only_method(analysis, function.attr)
    if method is None or method.parent is None:
        return ()
    return (Target(method, Object(method.parent), 1),)


def _is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def targets_of(analysis: Analysis, held: Value) -> tuple[Target, ...]:
    if len(held) == 1:
        return _targets_of_term(analysis, held[0])
    found: dict[Target, None] = {}
    for term in held:
        found.update(dict.fromkeys(_targets_of_term(analysis, term)))
    return tuple(found)


def _targets_of_term(analysis: Analysis, term: Term) -> tuple[Target, ...]:
    if isinstance(term, FunctionTerm):
        return (Target(term.scope, None, 0),)
    if isinstance(term, Method) and isinstance(term.function, FunctionTerm):
        return (Target(term.function.scope, term.receiver, 1),)
    if isinstance(term, ClassTerm):
        made = classes.method_of(analysis, term.scope, "__init__")
        if isinstance(made, Scope):
            return (Target(made, Object(term.scope), 1),)
    if isinstance(term, Object):
        run = run_method(analysis, term.cls)
        if run is not None:
            return (Target(run, term, 1),)
    if isinstance(term, Instance) and isinstance(term.site, ast.Call):
        return targets_of(analysis, wrapped(analysis, term))
    return ()


def run_method(analysis: Analysis, cls: Scope) -> Scope | None:
    """The method of a project class that calling its objects runs."""
    for name, base in CALLED_AS.items():
        if not base or classes.inherits(analysis, cls, base):
            method = classes.method_of(analysis, cls, name)
            if isinstance(method, Scope):
                return method
    return None


def wrapped(analysis: Analysis, term: Instance) -> Value:
    """The function inside a wrapper: of `jax.jit(f)`, `partial(f, x)`, `tf.function(f)`.

    Wrappers of wrappers are opened too; one that leads back to itself holds nothing.
    """
    return tuple(inner for inner, is_wrapper in opened(analysis, term).items() if not is_wrapper)


def opened(analysis: Analysis, term: Instance) -> dict[Term, bool]:
    """A wrapper and all in it, from outside in, each with whether it wraps something itself."""
    found: dict[Term, bool] = {term: True}
    pending = list(_wrapped_by(analysis, term))
    while pending:
        inner = pending.pop(0)
        if inner not in found:
            further = _wrapped_by(analysis, inner) if isinstance(inner, Instance) else ()
            found[inner] = bool(further)
            pending.extend(further)
    return found


def _wrapped_by(analysis: Analysis, term: Instance) -> Value:
    site = term.site
    if not isinstance(site, ast.Call):
        return ()
    fact = fact_of(analysis, values.evaluate(analysis, site.func, term.scope))
    if not has(fact, Trait.COMPILES, Trait.WRAPS_FUNCTION, Trait.MEMOIZES):
        return ()
    function = role_argument(site, fact, ParameterRole.FUNCTION)
    if function is None:
        return ()
    return values.evaluate(analysis, function, term.scope)


# Arguments


def parameter_argument(call: ast.Call, parameter: Parameter) -> ast.expr | None:
    """The argument that a call gives for a parameter of a fact, if it gives one."""
    for keyword in call.keywords:
        if keyword.arg == parameter.name:
            return keyword.value
    position = parameter.position
    if position is None or position >= len(call.args):
        return None
    if any(isinstance(argument, ast.Starred) for argument in call.args[: position + 1]):
        return None
    return call.args[position]


def role_argument(call: ast.Call, fact: Fact, role: ParameterRole) -> ast.expr | None:
    for parameter in fact.parameters:
        if parameter.role is role:
            found = parameter_argument(call, parameter)
            if found is not None:
                return found
    return None


def has_unpacked_arguments(call: ast.Call) -> bool:
    """Whether `*args` or `**kwargs` may hide what the call passes."""
    return any(isinstance(a, ast.Starred) for a in call.args) or any(
        k.arg is None for k in call.keywords
    )


def bound_arguments(call: ast.Call, target: Target) -> dict[str, ast.expr]:
    """The arguments of a call by parameter name, as far as they are written out."""
    node = target.function.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return {}
    found: dict[str, ast.expr] = {}
    if call.args:
        positional = [*node.args.posonlyargs, *node.args.args][target.shift :]
        for parameter, argument in zip(positional, call.args, strict=False):
            if isinstance(argument, ast.Starred):
                break
            found[parameter.arg] = argument
    if call.keywords:
        names = {argument.arg for argument in parameters(node)}
        for keyword in call.keywords:
            if keyword.arg is not None and keyword.arg in names:
                found[keyword.arg] = keyword.value
    return found


def partials_for(analysis: Analysis, site: CallSite, target: Target) -> tuple[Instance, ...]:
    """What `functools.partial` made, through which a call may run a function."""
    held = callee(analysis, site)
    outer = [term for term in held if isinstance(term, Instance)]
    found = (partial_of(analysis, (one,)) for some in outer for one in opened(analysis, some))
    made = [one for one in dict.fromkeys(found) if one is not None]
    if len(held) == 1:
        return tuple(made)
    run = ((one, targets_of(analysis, wrapped(analysis, one))) for one in made)
    return tuple(one for one, led in run if any(t.function is target.function for t in led))


def passed(analysis: Analysis, site: CallSite, target: Target) -> dict[str, tuple[ast.expr, Scope]]:
    """The same, each with where it stands: `functools.partial` may have given some before."""
    made = next(iter(partials_for(analysis, site, target)), None)
    if made is None or not isinstance(made.site, ast.Call):
        return {name: (at, site.scope) for name, at in bound_arguments(site.node, target).items()}
    given = ast.Call(made.site.func, made.site.args[1:], made.site.keywords)
    later = Target(target.function, target.receiver, target.shift + len(given.args))
    found = {name: (at, made.scope) for name, at in bound_arguments(given, target).items()}
    return found | {
        name: (at, site.scope) for name, at in bound_arguments(site.node, later).items()
    }
