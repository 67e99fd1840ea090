"""Which functions a call may reach, what calls a function, and what calls give."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from deepperf.knowledge.schema import Fact, Parameter, ParameterRole, Trait
from deepperf.semantics.calls import callbacks
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope, last_name, parameters
from deepperf.semantics.values import classes, elements, values
from deepperf.semantics.values.terms import (
    UNKNOWN,
    ClassTerm,
    External,
    FunctionTerm,
    Instance,
    Method,
    Object,
    Term,
    Value,
    union,
)

MOST_CALLERS = 24
MOST_MODULES = 48
_CALLED_AS = {"forward": "torch.nn.Module", "call": "keras.Layer", "__call__": ""}


@dataclass(frozen=True, slots=True)
class Target:
    """A function of the project that a call may run.

    `shift` is 1 when the first parameter is bound to an object and takes no argument.
    """

    function: Scope
    receiver: Term | None
    shift: int


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
    names = external_names(held)
    if len(set(names)) != 1:
        return None
    return analysis.knowledge.fact(names[0])


# What a call may run


def targets(analysis: Analysis, site: CallSite) -> tuple[Target, ...]:
    return targets_of(analysis, callee(analysis, site))


def targets_of(analysis: Analysis, held: Value) -> tuple[Target, ...]:
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
    for name, base in _CALLED_AS.items():
        if not base or classes.inherits(analysis, cls, base):
            method = classes.method_of(analysis, cls, name)
            if isinstance(method, Scope):
                return method
    return None


def wrapped(analysis: Analysis, term: Instance) -> Value:
    """The function inside a wrapper: of `jax.jit(f)`, `partial(f, x)`, `tf.function(f)`.

    Wrappers of wrappers are opened too; one that leads back to itself holds nothing.
    """
    found: dict[Term, None] = {}
    seen: set[Term] = {term}
    pending = list(_wrapped_by(analysis, term))
    while pending:
        inner = pending.pop(0)
        if inner in seen:
            continue
        seen.add(inner)
        further = _wrapped_by(analysis, inner) if isinstance(inner, Instance) else ()
        if further:
            pending.extend(further)
        else:
            found[inner] = None
    return tuple(found)


def _wrapped_by(analysis: Analysis, term: Instance) -> Value:
    site = term.site
    if not isinstance(site, ast.Call):
        return ()
    fact = fact_of(analysis, values.evaluate(analysis, site.func, term.scope))
    if fact is None or fact.traits.isdisjoint(
        (Trait.COMPILES, Trait.WRAPS_FUNCTION, Trait.MEMOIZES)
    ):
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
    positional = [*node.args.posonlyargs, *node.args.args][target.shift :]
    names = {argument.arg for argument in parameters(node)}
    found: dict[str, ast.expr] = {}
    for parameter, argument in zip(positional, call.args, strict=False):
        if isinstance(argument, ast.Starred):
            break
        found[parameter.arg] = argument
    for keyword in call.keywords:
        if keyword.arg is not None and keyword.arg in names:
            found[keyword.arg] = keyword.value
    return found


def arguments_for(analysis: Analysis, function: Scope, name: str) -> list[tuple[ast.expr, Scope]]:
    """What the project's calls of a function pass for one parameter."""
    found = []
    for site in callers(analysis, function):
        for target in targets(analysis, site):
            if target.function is function:
                argument = bound_arguments(site.node, target).get(name)
                if argument is not None:
                    found.append((argument, site.scope))
    return found


# What calls a function


def callers(analysis: Analysis, function: Scope) -> tuple[CallSite, ...]:
    """The calls in the project that are known to run the function, in a fixed order."""
    return analysis.remember(("callers", function), lambda: _callers(analysis, function), ())


def _callers(analysis: Analysis, function: Scope) -> tuple[CallSite, ...]:
    found = []
    for name in _names_called(analysis, function):
        analysis.asked.add(name)
        home = function.module_path
        around = analysis.project.importers_naming(home, name)
        if len(around) > MOST_MODULES:
            # As long as these name it, they are too many, whatever happens to the others.
            analysis.touched.update(around[: MOST_MODULES + 1])
            around = ()
        elif classes.enclosing_class(function) is not None:
            beside = analysis.project.neighbours_naming(home, name)
            if len(around) + len(beside) > MOST_MODULES:
                analysis.touched.update(beside[: MOST_MODULES + 1])
                beside = ()
            around += beside
        for path in (home, *around):
            for site in analysis.calls_named(path, name):
                if any(t.function is function for t in targets(analysis, site)):
                    found.append(site)
                    if len(found) >= MOST_CALLERS:
                        return tuple(found)
            found += callbacks.calls_as_parameter(analysis, function, path)
    if function.name == "<lambda>":
        found += callbacks.calls_as_parameter(analysis, function, function.module_path)
    found += callbacks.calls_when_made(analysis, function)
    return tuple(dict.fromkeys(found))


def may_be_called(analysis: Analysis, function: Scope) -> bool:
    """Whether, by texts alone, something in the project may call a function."""
    home = function.module_path
    project, module = analysis.project, analysis.module(home)
    if callbacks.is_handed_over(analysis, function):
        return True
    for name in _names_called(analysis, function):
        analysis.asked.add(name)
        if module.calls_named(name):
            return True
        around = project.importers_naming(home, name)
        if not around and classes.enclosing_class(function) is not None:
            around = project.neighbours_naming(home, name)
        if around:
            # As long as this one names it, the others make no difference.
            analysis.touched.add(around[0])
            return True
    return False


def _names_called(analysis: Analysis, function: Scope) -> tuple[str, ...]:
    """The last names under which a function may be called."""
    cls = classes.enclosing_class(function)
    if cls is not None and function.name == "__init__":
        return (cls.name,)
    if cls is not None and function.name in _CALLED_AS:
        base = _CALLED_AS[function.name]
        is_run_by_calling = not base or classes.inherits(analysis, cls, base)
        # Elsewhere `forward` and `call` are methods like any other.
        own = [] if is_run_by_calling else [function.name]
        return (*own, *_names_of_objects(analysis, cls))
    first = _names_of_lambda(function) if function.name == "<lambda>" else [function.name]
    return tuple(_further_names(analysis, function, first))


def _names_of_lambda(function: Scope) -> list[str]:
    """The names that the statement with the lambda assigns it, wrapped or as it is."""
    statement = function.statement
    if not isinstance(statement, ast.Assign):
        return []
    value = statement.value
    parts = [value, *value.args] if isinstance(value, ast.Call) else [value]
    if not any(part is function.node for part in parts):
        return []
    return [name for name in map(last_name, statement.targets) if name is not None]


def _further_names(analysis: Analysis, function: Scope, first: list[str]) -> dict[str, None]:
    """Names in the module that are assigned one of the first, wrapped or as it is."""
    renamings = analysis.module_of(function).renamings
    found = dict.fromkeys(first)
    latest = first
    for _ in range(2):
        latest = [new for old in latest for new in renamings.get(old, ()) if new not in found]
        found.update(dict.fromkeys(latest))
    return found


def _names_of_objects(analysis: Analysis, cls: Scope) -> list[str]:
    """Names and attributes that hold objects of a class in the modules that could."""
    found: dict[str, None] = {}
    home = cls.module_path
    around = analysis.project.importers_naming(home, cls.name)
    analysis.asked.add(cls.name)
    for path in (home, *around[:MOST_MODULES]):
        for site in analysis.calls_named(path, cls.name):
            statement = site.statement
            if isinstance(statement, ast.Assign):
                for target in statement.targets:
                    name = getattr(target, "attr", None) or getattr(target, "id", None)
                    if name is not None:
                        found[name] = None
    return list(found)[:8]


# What a call gives


def call_value(analysis: Analysis, call: ast.Call, scope: Scope) -> Value:
    held = values.evaluate(analysis, call.func, scope)
    if isinstance(call.func, ast.Name) and call.func.id == "super":
        made = _super_value(analysis, scope)
        if made:
            return made
    found = [_result(analysis, term, call, scope) for term in held]
    return union(*found) if found else (Instance("", call, scope),)


def _super_value(analysis: Analysis, scope: Scope) -> Value:
    cls = classes.enclosing_class(scope)
    if cls is None:
        return ()
    found: list[Term] = []
    for base in classes.ancestors(analysis, cls)[1:]:
        if isinstance(base, Scope):
            return (Object(base),)
        found.append(Instance(base, None, scope))
    return tuple(found[:1])


def _result(analysis: Analysis, term: Term, call: ast.Call, scope: Scope) -> Value:
    if isinstance(term, FunctionTerm):
        return values.returned(analysis, term.scope)
    if isinstance(term, ClassTerm):
        return (Object(term.scope, call),)
    if isinstance(term, Method) and isinstance(term.function, FunctionTerm):
        return values.returned(analysis, term.function.scope)
    if isinstance(term, (External, Method)):
        function = term if isinstance(term, External) else term.function
        assert isinstance(function, External)
        return _external_result(analysis, function.name, term, call, scope)
    if isinstance(term, Object):
        run = run_method(analysis, term.cls)
        if run is not None:
            return values.returned(analysis, run)
        for base in classes.instance_type(analysis, term):
            known = analysis.knowledge.type(base)
            if known is not None and known.call_returns:
                return (Instance(known.call_returns, call, scope),)
    if isinstance(term, Instance):
        inner = wrapped(analysis, term)
        if inner:
            return union(*(_result(analysis, part, call, scope) for part in inner))
        known = analysis.knowledge.type(term.type)
        if known is not None and known.call_returns:
            return (Instance(known.call_returns, call, scope),)
    return (Instance("", call, scope),)


def _external_result(
    analysis: Analysis, name: str, term: External | Method, call: ast.Call, scope: Scope
) -> Value:
    if name in ("builtins.iter", "builtins.list", "builtins.tuple", "builtins.sorted") and (
        call.args
    ):
        return values.evaluate(analysis, call.args[0], scope)
    if name in ("builtins.reversed", "copy.copy", "copy.deepcopy") and call.args:
        return values.evaluate(analysis, call.args[0], scope)
    if name == "builtins.next" and call.args:
        return elements.elements(analysis, values.evaluate(analysis, call.args[0], scope))
    if name == "builtins.getattr" and len(call.args) >= 2:
        attribute = call.args[1]
        if isinstance(attribute, ast.Constant) and isinstance(attribute.value, str):
            held = values.evaluate(analysis, call.args[0], scope)
            read = ast.Attribute(call.args[0], attribute.value, ast.Load())
            return union(
                *(values.attribute_of(analysis, part, read, scope) for part in held),
                (UNKNOWN,),
            )
    fact = analysis.knowledge.fact(name)
    if fact is not None and fact.returns:
        if fact.returns == "$0" and call.args:
            return values.evaluate(analysis, call.args[0], scope)
        if fact.returns == "$self" and isinstance(term, Method):
            return (term.receiver,)
        return (Instance(fact.returns, call, scope),)
    if analysis.knowledge.type(name) is not None:
        return (Instance(name, call, scope),)
    return (Instance("", call, scope),)
