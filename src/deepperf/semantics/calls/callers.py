"""What in the project calls a function, and what these calls pass it."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from deepperf.records import Role
from deepperf.semantics.calls import callbacks, callgraph, decorated, listed, made
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import CallSite, Scope, last_name
from deepperf.semantics.values import classes, heirs, values
from deepperf.semantics.values.terms import ClassTerm, Display

MOST_CALLERS = 24
MOST_MODULES = 48
_IN_CLASSES = ("cls", "__init__")
"""Names by which methods make objects of their own class, or go on to its base's constructor.

Every file has them, so they are only looked for where the class is defined.
"""


def callers(analysis: Analysis, function: Scope) -> tuple[CallSite, ...]:
    """The calls in the project that are known to run the function, in a fixed order."""
    return analysis.remember(("callers", function), lambda: _callers(analysis, function), ())


def _callers(analysis: Analysis, function: Scope) -> tuple[CallSite, ...]:
    if decorated.runs_where_decorated(analysis, function):
        return ()
    found: list[CallSite] = []
    named = Analysis.reads_named if _is_accessor(function) else Analysis.calls_named
    for name in _names_called(analysis, function):
        analysis.asked.add(name)
        home = function.module_path
        is_common = name in _IN_CLASSES
        around = () if is_common else analysis.few_importers(home, name, MOST_MODULES)
        if around is None:
            around = ()
        elif (cls := classes.enclosing_class(function)) is not None and not is_common:
            beside = analysis.project.neighbours_naming(home, name)
            if len(around) + len(beside) > MOST_MODULES:
                analysis.touched.update(beside[: MOST_MODULES + 1])
                beside = ()
            # What a base class leaves open it calls in its own module.
            above = classes.homes_of_bases(analysis, cls)
            around = tuple(dict.fromkeys((*around, *beside, *above)))
        for path in (home, *around):
            for site in (*named(analysis, path, name), *_renamed(analysis, path, name, home)):
                for target in callgraph.targets(analysis, site):
                    if target.function is function:
                        found.append(site)
                        if len(found) >= MOST_CALLERS:
                            return tuple(found)
                        break
            found += callbacks.calls_as_parameter(analysis, function, path)
    if function.name == "<lambda>":
        found += callbacks.calls_as_parameter(analysis, function, function.module_path)
    found += callbacks.calls_when_made(analysis, function)
    found += callbacks.calls_when_entered(analysis, function)
    found += listed.calls_as_item(analysis, function)
    found += made.calls_where_handed(analysis, function)
    for other in decorated.in_place_of(analysis, function):
        found += callers(analysis, other)
    return tuple(dict.fromkeys(found))


def constructions(analysis: Analysis, cls: Scope) -> tuple[CallSite, ...]:
    """The calls in the project that make objects of a class that writes no constructor."""

    def find() -> tuple[CallSite, ...]:
        home, name = cls.module_path, cls.name
        around = analysis.few_importers(home, name, MOST_MODULES)
        sites = [
            site
            for path in (home, *(around or ()))
            for site in (*analysis.calls_named(path, name), *_renamed(analysis, path, name, home))
        ]
        sites += analysis.calls_named(home, _IN_CLASSES[0])
        found = (site for site in sites if ClassTerm(cls) in callgraph.callee(analysis, site))
        return tuple(itertools.islice(found, MOST_CALLERS))

    return analysis.remember(("constructions", cls), find, ())


def surely_run(analysis: Analysis, site: CallSite) -> tuple[callgraph.Target, ...]:
    """What a call may run: the one function that some object surely runs there, if there is one.

    A method of the object's own may be that of a class which inherits from it; where objects of
    the class itself are made, they run its own.
    """
    found = callgraph.targets(analysis, site)
    own = callgraph.targets_of(analysis, callgraph.callee(analysis, site))
    if len(found) == 1 or len(own) != 1:
        return found
    cls = classes.class_around(site.scope)
    return own if cls is not None and constructions(analysis, cls) else found


def _is_accessor(function: Scope) -> bool:
    """Whether reading or setting an attribute runs the function."""
    return classes.is_property(function) or classes.sets_property(function)


def _renamed(analysis: Analysis, path: str, name: str, home: str) -> Iterator[CallSite]:
    """The calls in another file of a name that it has for what a file calls `name`."""
    if path != home and analysis.project.texts.may_rename(path, name):
        module = analysis.module(path)
        for other in module.renamings.get(name, ()):
            yield from module.calls_named(other)


def may_be_called(analysis: Analysis, function: Scope) -> bool:
    """Whether, by texts alone, something in the project may call a function."""
    home = function.module_path
    project, module = analysis.project, analysis.module(home)
    name = function.name
    # By other names objects, constructors and lambdas are called.
    has_own_name = name not in callgraph.CALLED_AS and name not in ("__init__", "<lambda>")
    if has_own_name and module.calls_named(name):
        analysis.asked.add(name)
        return True
    if callbacks.is_handed_over(analysis, function) or listed.is_listed(analysis, function):
        return True
    if _replaces_called(analysis, function) or made.may_be_handed(analysis, function):
        return True
    for name in _names_called(analysis, function):
        analysis.asked.add(name)
        if module.calls_named(name) or (_is_accessor(function) and module.reads_named(name)):
            return True
        around = project.importers_naming(home, name)
        cls = classes.enclosing_class(function)
        if not around and cls is not None:
            around = project.neighbours_naming(home, name)
            above = classes.homes_of_bases(analysis, cls) if not around else ()
            around = around or tuple(one for one in above if analysis.calls_named(one, name))
        if around:
            # As long as this one names it, the others make no difference.
            analysis.touched.add(around[0])
            return True
    return False


def _replaces_called(analysis: Analysis, function: Scope) -> bool:
    """Whether a decorator puts it in the place of what may be called; some decorate themselves."""
    others = decorated.in_place_of(analysis, function)

    def find() -> bool:
        return any(may_be_called(analysis, other) for other in others)

    return bool(others) and analysis.remember(("replaces called", function), find, otherwise=False)


def _names_called(analysis: Analysis, function: Scope) -> tuple[str, ...]:
    """The last names under which a function may be called."""
    cls = classes.enclosing_class(function)
    if cls is not None and function.name == "__init__":
        called = analysis.module(function.module_path).called_names
        inside = (name for name in _IN_CLASSES if name in called)
        below = heirs.descendants(analysis, cls, frozenset((function.name,)))
        return (cls.name, *(heir.name for heir in below), *inside)
    if cls is not None and function.name in callgraph.ENTERING:
        return (cls.name, function.name)
    if cls is not None and function.name in callgraph.CALLED_AS:
        base = callgraph.CALLED_AS[function.name]
        is_run_by_calling = not base or classes.inherits(analysis, cls, base)
        # Elsewhere `forward` and `call` are methods like any other.
        own = [] if is_run_by_calling else [function.name]
        family = (cls, *heirs.descendants(analysis, cls, frozenset((function.name,))))
        return (*own, *(name for one in family for name in _names_of_results(analysis, one)))
    first = _names_of_lambda(function) if function.name == "<lambda>" else [function.name]
    if function.parent is not None and decorated.is_returned(function, function.parent):
        first += _names_of_results(analysis, function.parent)
        first += made.names_of_results(analysis, function)
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


def _names_of_results(analysis: Analysis, called: Scope) -> list[str]:
    """Names and attributes that are assigned what calls of a class or function give."""
    found: dict[str, None] = {}
    home = called.module_path
    around = analysis.project.importers_naming(home, called.name)
    analysis.asked.add(called.name)
    for path in (home, *around[:MOST_MODULES]):
        for site in analysis.calls_named(path, called.name):
            statement = site.statement
            if isinstance(statement, ast.Assign):
                for target in statement.targets:
                    name = getattr(target, "attr", None) or getattr(target, "id", None)
                    if name is not None:
                        found[name] = None
    return list(found)[:8]


# Arguments


def arguments_for(analysis: Analysis, function: Scope, name: str) -> list[tuple[ast.expr, Scope]]:
    """What the project's calls of a function pass for one parameter."""
    found = []
    for site in callers(analysis, function):
        for target in callgraph.targets(analysis, site):
            if target.function is function:
                argument = callgraph.passed(analysis, site, target).get(name)
                if argument is not None:
                    found.append(argument)
                elif (item := unpacked(analysis, site, name)) is not None:
                    found.append((item, site.scope))
    return found


def rest_for(analysis: Analysis, function: Scope) -> list[tuple[list[ast.expr], Scope]]:
    """What the project's calls of a function pass beyond its named parameters, for `*args`."""
    node = function.node
    if isinstance(node, (ast.Module, ast.ClassDef)):
        return []
    found = []
    for site in callers(analysis, function):
        given = site.node.args
        if any(isinstance(one, ast.Starred) for one in given):
            continue
        for target in callgraph.targets(analysis, site):
            named = len(node.args.posonlyargs) + len(node.args.args) - target.shift
            if target.function is function and given[named:]:
                found.append((given[named:], site.scope))
    return found


def unpacked(analysis: Analysis, site: CallSite, name: str) -> ast.expr | None:
    """The item of a dict, shown in the text, that a call of `f(**settings)` gives for a name."""
    wholes = [keyword.value for keyword in site.node.keywords if keyword.arg is None]
    if len(wholes) != 1 or any(isinstance(one, ast.Starred) for one in site.node.args):
        return None

    def find() -> ast.expr | None:
        is_shown = any(
            isinstance(term, Display)
            and isinstance(term.node, ast.Dict)
            and any(isinstance(key, ast.Constant) and key.value == name for key in term.node.keys)
            for term in values.evaluate(analysis, wholes[0], site.scope)
        )
        return ast.Subscript(wholes[0], ast.Constant(name), ast.Load()) if is_shown else None

    return analysis.remember(("unpacked", site.node, name), find, None)


def sizes_for(analysis: Analysis, function: Scope, name: str) -> list[tuple[ast.expr, Scope]]:
    """As `arguments_for`, without what tests pass: their arrays are small, whatever others' are."""
    sources = analysis.project.sources
    passed = arguments_for(analysis, function, name)
    if sources[function.module_path].role is Role.TEST:
        return passed
    return [(node, at) for node, at in passed if sources[at.module_path].role is not Role.TEST]
