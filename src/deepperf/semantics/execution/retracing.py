"""Calls of compiled functions that make them be traced or compiled again, for a new constant."""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Iterator

from msgspec import Struct

from deepperf.knowledge.schema import Fact, ParameterRole, Trait, has
from deepperf.semantics.calls import callgraph
from deepperf.semantics.execution import contexts, dispatching_names, graphs
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.files.project import Project
from deepperf.semantics.loops import growing, loops
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, ScopeKind, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.scalars import Scalar, Turns, scalar
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

# Each begins with what must be there literally: that is searched for many times faster.
_COMPILING = (
    re.compile(r"function\b(?<=tf\.function)"),
    re.compile(r"def_function\b"),
    re.compile(r"function\b(?<=from tensorflow import function)"),
)
_JIT = (re.compile(r"jit"),)
_COMPILING_BY_JIT = (
    re.compile(r"jit(?<!torch\.jit)(?<!\w\wjit)\("),
    re.compile(
        r"jit\b(?:(?<=[@(]jit)|(?<=[@(]pjit)|(?<== jit)|(?<=jax\.jit)|(?<=nnx\.jit))"
        r"(?=[,)\r\n]|[ \t]*#|[ \t]+(?:if|else)\b|\Z)"
    ),
    re.compile(r"import [^\n]*\bp?jit\b"),
    re.compile(r"import \([^)]*\bp?jit\b"),
)
_ASSIGNED = (
    # At the top of a file, or to an attribute; elsewhere, only what is compiled there.
    re.compile(r"\n(?:[ \t]*[\w.]*\.)?(\w+)[ \t]*(?::[^=\n]*)?=(?!=)"),
    re.compile(r"\n[ \t]+(\w+)[ \t]*=[^\n=]*(?:jit|function)\b"),
)
_DEFINED = re.compile(r"\n[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)")
_FEW = 64
"""Files that compile functions, up to which it pays to read names off them."""
_FRAMEWORKS = (re.compile("tensorflow"), re.compile("jax"))
"""What else has a function of such a name is none of ours: torch, numba."""
_WORDS = ("tf", "def_function", "jit", "pjit", "function")


class Anew(enum.Enum):
    """What a compiled function meets for the first time, again and again."""

    NUMBER = "number"
    TEXT = "text"
    LENGTH = "length"


class Compiled(Struct, frozen=True, eq=False):
    """A compiled function: by what, with what options, around which function of the project."""

    fact: Fact
    options: ast.Call | None
    scope: Scope
    function: Scope | None
    shift: int


class Retrace(Struct, frozen=True, eq=False):
    """A call that passes `argument` to a compiled function, which differs in the loop's turns."""

    site: CallSite
    compiled: Compiled
    argument: ast.expr
    parameter: str
    anew: Anew
    loop: Frame
    way: tuple[CallSite, ...]


def retraces(analysis: Analysis, path: str) -> Iterator[Retrace]:
    """The calls of a file that have a function traced again in most turns of a loop."""
    project = analysis.project
    compiling = project.named("files that compile", lambda: _compiling(project))
    if path not in project.around(compiling):
        analysis.asked.update(_WORDS)
        return
    analysis.touched.update(compiling - {path})
    module = analysis.module(path)
    scopes = module.all_scopes
    attributes: frozenset[str] | None = None
    if len(compiling) <= _FEW:
        attributes = project.named("compiled", lambda: _names_compiled(project, compiling))
        attributes |= {write.attribute for scope in scopes for write in scope.attribute_writes}
    for scope in scopes:
        changing = _may_change(scope)
        if not changing:
            continue
        for site in scope.calls:
            if (
                _may_be_compiled(site.node.func, attributes)
                and _has_argument_of(site.node, changing)
                and not dispatching_names.is_imported(analysis, site)
            ):
                found = _retrace(analysis, site)
                if found is not None:
                    yield found


def _compiling(project: Project) -> frozenset[str]:
    """The files that, by their texts, may compile functions."""
    by_jit = project.mentioning(_COMPILING_BY_JIT, among=project.mentioning(_JIT))
    return (by_jit | project.mentioning(_COMPILING)) & project.mentioning(_FRAMEWORKS)


def _names_compiled(project: Project, paths: frozenset[str]) -> frozenset[str]:
    """The names that may be those of compiled functions by the texts that compile them."""
    found: set[str] = set()
    for path in paths:
        text = "\n" + project.sources[path].text
        for pattern in _ASSIGNED:
            found.update(pattern.findall(text))
        for defined in _DEFINED.finditer(text):
            # What stands above it, up to an empty line, holds its decorators.
            above = text[text.rfind("\n\n", 0, defined.start()) + 1 : defined.start()]
            if "@" in above:
                found.add(defined.group(1))
    return frozenset(found)


def _may_be_compiled(function: ast.expr, attributes: frozenset[str] | None) -> bool:
    """Whether a callee's name allows that it is compiled: attributes must have been set somewhere.

    Finding out what has an attribute may lead through all that is handed to a function.
    """
    return (
        attributes is None or not isinstance(function, ast.Attribute) or function.attr in attributes
    )


def _may_change(scope: Scope) -> set[str]:
    """Names of a scope that may be other numbers or texts in each turn of a loop."""
    if scope.kind is ScopeKind.CLASS:
        return set()
    if not scope.loops:
        return scope.bound if scope.kind is ScopeKind.FUNCTION else set()
    # Comprehensions have names of their own.
    return scope.bound.union(*map(loops.targets, scope.loops))


def _has_argument_of(call: ast.Call, names: set[str]) -> bool:
    for argument in tree.arguments(call):
        if isinstance(argument, ast.Name):
            if argument.id in names:
                return True
        elif isinstance(argument, (ast.BinOp, ast.Call, ast.JoinedStr, ast.Subscript, ast.UnaryOp)):
            return True
    return False


def _retrace(analysis: Analysis, site: CallSite) -> Retrace | None:
    if last_name(site.node.func) is None and not isinstance(site.node.func, ast.Call):
        return None
    compiled = compiled_function(analysis, site)
    if compiled is None or contexts.is_traced(analysis, site.scope):
        return None
    arguments = list(_arguments(analysis, site, compiled))
    if not arguments:
        return None
    for loop, way in graphs.repeats(analysis, site):
        if loops.is_tiny(analysis, loop):
            continue
        turns = Turns(loop, way)
        for given in arguments:
            anew = _anew(analysis, given, site.scope, turns, compiled)
            if anew is None:
                continue
            # Another model is another version in any case.
            if any(_is_new_model(analysis, one.node, site.scope, turns) for one in arguments):
                return None
            return Retrace(site, compiled, given.node, given.name, anew, loop, way)
    return None


# Compiled functions


def compiled_function(analysis: Analysis, site: CallSite) -> Compiled | None:
    """The compiled function that a call runs, if it can be only one."""
    held = [
        term
        for term in callgraph.callee(analysis, site)
        if not isinstance(term, (Argument, Unknown))
    ]
    found = [_of_term(analysis, term) for term in held]
    if len(found) != 1 or found[0] is None:
        return None
    return found[0]


def _of_term(analysis: Analysis, term: Term) -> Compiled | None:
    if isinstance(term, Object):
        run = callgraph.run_method(analysis, term.cls)
        return _of_function(analysis, run, 1) if run is not None else None
    if isinstance(term, FunctionTerm):
        return _of_function(analysis, term.scope, 0)
    if isinstance(term, Method) and isinstance(term.function, FunctionTerm):
        return _of_function(analysis, term.function.scope, 1)
    if not isinstance(term, Instance) or not isinstance(term.site, ast.Call):
        return None
    made, scope = term.site, term.scope
    fact = callgraph.fact_of_call(analysis, made, scope)
    if not has(fact, Trait.COMPILES):
        return None
    targets = callgraph.targets_of(analysis, callgraph.wrapped(analysis, term))
    target = targets[0] if len(targets) == 1 else None
    return Compiled(
        fact,
        made,
        scope,
        target.function if target is not None else None,
        target.shift if target is not None else 0,
    )


def _of_function(analysis: Analysis, function: Scope, shift: int) -> Compiled | None:
    for node, fact in contexts.decorations(analysis, function):
        if has(fact, Trait.COMPILES):
            options = node if isinstance(node, ast.Call) else None
            return Compiled(fact, options, function.parent or function, function, shift)
    return None


def _option(compiled: Compiled, role: ParameterRole) -> ast.expr | None:
    """What the call or decorator that compiles passes for a parameter."""
    if compiled.options is None:
        return None
    names = [p.name for p in compiled.fact.parameters if p.role is role]
    for keyword in compiled.options.keywords:
        if keyword.arg in names:
            return keyword.value
    return callgraph.role_argument(compiled.options, compiled.fact, role)


# Arguments


class _Given(Struct, frozen=True):
    """An argument by its parameter's name; `by_value`: each new value is compiled for."""

    name: str
    node: ast.expr
    by_value: bool


def _arguments(analysis: Analysis, site: CallSite, compiled: Compiled) -> Iterator[_Given]:
    """The arguments that may be looked at."""
    if compiled.options is not None and (
        _option(compiled, ParameterRole.SIGNATURE) is not None
        or any(k.arg in (None, "experimental_follow_type_hints") for k in compiled.options.keywords)
    ):
        return
    by_value = Trait.TRACES_EACH_VALUE in compiled.fact.traits
    statics = _statics(analysis, compiled)
    call = site.node
    if compiled.function is not None:
        target = callgraph.Target(compiled.function, None, compiled.shift)
        named = callgraph.bound_arguments(call, target)
    else:
        named = {str(index): argument for index, argument in enumerate(call.args)}
        named |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
    for name, argument in named.items():
        yield _Given(name, argument, by_value or name in statics)


def _statics(analysis: Analysis, compiled: Compiled) -> frozenset[str]:
    """The names of the parameters that are compile-time constants."""
    if compiled.options is None:
        return frozenset()
    node = compiled.function.node if compiled.function is not None else None
    positional: list[str] = []
    if node is not None and not isinstance(node, (ast.Module, ast.ClassDef)):
        positional = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
        # A bound method has no place for its object, an undecorated function of a class has.
        if compiled.shift and compiled.function is not None and not _is_decorated(compiled):
            positional = positional[1:]
    found: set[str] = set()
    named = {p.name for p in compiled.fact.parameters if p.role is ParameterRole.STATIC}
    for keyword in compiled.options.keywords:
        if keyword.arg not in named:
            continue
        for constant in _constants(analysis, keyword.value, compiled.scope):
            if isinstance(constant, str):
                found.add(constant)
            elif isinstance(constant, int):
                is_known = -len(positional) <= constant < len(positional)
                found.add(positional[constant] if is_known else str(constant))
    return frozenset(found)


def _is_decorated(compiled: Compiled) -> bool:
    node = compiled.function.node if compiled.function is not None else None
    return compiled.options in getattr(node, "decorator_list", ())


def _constants(analysis: Analysis, node: ast.expr, scope: Scope) -> Iterator[object]:
    for term in values.evaluate(analysis, node, scope):
        if isinstance(term, Display) and isinstance(term.node, (ast.Tuple, ast.List, ast.Set)):
            for part in term.node.elts:
                if isinstance(part, ast.Constant):
                    yield part.value
        elif hasattr(term, "value"):
            yield term.value


def _anew(
    analysis: Analysis,
    given: _Given,
    scope: Scope,
    turns: Turns,
    compiled: Compiled,
) -> Anew | None:
    argument = given.node
    if given.by_value:
        parts = argument.elts if isinstance(argument, (ast.List, ast.Tuple)) else [argument]
        kinds = [scalar(analysis, part, scope, turns) for part in parts]
        if Scalar.TEXT in kinds:
            return Anew.TEXT
        if Scalar.NUMBER in kinds:
            return Anew.NUMBER
    is_relaxed = _option(compiled, ParameterRole.RELAXED_SHAPES) is not None
    if Trait.TRACES_EACH_SHAPE not in compiled.fact.traits or is_relaxed:
        return None
    is_new = growing.has_new_length(analysis, argument, scope, turns) or (
        not turns.way and growing.grows(analysis, argument, scope, turns.loop)
    )
    return Anew.LENGTH if is_new else None


def _is_new_model(analysis: Analysis, node: ast.expr, scope: Scope, turns: Turns) -> bool:
    """Whether each turn makes the model that is passed, in its own function or on the way."""
    if not isinstance(node, ast.Name):
        return False
    held = values.evaluate(analysis, node, scope)
    if not held or not all(
        isinstance(term, (Instance, Object))
        and "keras.Model" in classes.instance_type(analysis, term)
        for term in held
    ):
        return False
    found = values.definitions_of(analysis, node, scope)
    loop = turns.loop
    return bool(found) and all(
        one.binding is Binding.ASSIGNED
        and isinstance(one.value, ast.Call)
        and (id(loop.node) in one.loops or (one.scope is scope and scope is not loop.scope))
        for one in found
    )


def picks_by(retrace: Retrace) -> bool:
    """Whether the function uses the argument to pick something: `layers[index]`."""
    function = retrace.compiled.function
    return function is not None and any(
        isinstance(part, ast.Subscript)
        and isinstance(part.slice, ast.Name)
        and part.slice.id == retrace.parameter
        for part in tree.walk(function.node)
    )
