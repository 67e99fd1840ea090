"""Calls that meet a known defect of the framework version that the project runs on."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from msgspec import Struct

from deepperf.knowledge.defects import Condition, Defect, known_defects
from deepperf.knowledge.schema import ParameterRole
from deepperf.semantics.calls import callgraph
from deepperf.semantics.calls.reach import Path
from deepperf.semantics.execution import graphs, sessions
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.frameworks.versions import VersionRange
from deepperf.semantics.invariance.turns import Turn, varying
from deepperf.semantics.loops import loops
from deepperf.semantics.models import predictions
from deepperf.semantics.names.scopes import CallSite, Scope, ScopeKind, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import classes, values
from deepperf.semantics.values.terms import Instance, Literal, Object

# Each begins with what must be there literally: that is searched for many times faster.
_FORKING = (
    re.compile(r"multiprocessing(?<!\wmultiprocessing)\b"),
    re.compile(r"ProcessPoolExecutor(?<!\wProcessPoolExecutor)\b"),
    re.compile(r"os\.fork(?<!\wos\.fork)\b"),
)
_STARTING = frozenset(("Process", "Pool", "ProcessPoolExecutor", "fork"))
_NOT_FORKING = re.compile(r"\b(?:spawn|forkserver)\b")

Request = tuple[Scope, tuple[CallSite, ...]]


class Met(Struct, frozen=True, eq=False):
    """A call that meets a defect, by the versions that the project's own metadata admit.

    `path` is the loop, and `request` the handler, that repeats it, where the defect needs that.
    """

    site: CallSite
    defect: Defect
    versions: VersionRange
    path: Path | None
    request: Request | None


def met(analysis: Analysis, path: str) -> Iterator[Met]:
    """The calls of a file that meet a defect; nothing where the project names no version."""
    for defect in known_defects():
        versions = analysis.project.version(path, defect.framework)
        if versions is None or not versions.newest_is_within(defect.since, defect.until):
            continue
        if _is_of_keras_alone(defect) and _has_other_keras(analysis, path, versions):
            continue
        calls = _calls(analysis, path, defect)
        for site in sorted(calls, key=lambda site: site.position):
            found = _met(analysis, site, defect, versions)
            if found is not None:
                yield found
                # A runtime starts once.
                if Condition.BEFORE_FORK in defect.conditions:
                    break


def _calls(analysis: Analysis, path: str, defect: Defect) -> Iterator[CallSite]:
    module = analysis.module(path)
    presumed = {id(site.node) for site in predictions.predict_calls(analysis, path)}
    for name in sorted({name.rpartition(".")[2] for name in defect.callables}):
        for site in module.calls_named(name):
            held = set(callgraph.external_names(callgraph.callee(analysis, site)))
            is_presumed = not held and (
                id(site.node) in presumed or (name in _KERAS_ALONE and _is_unknown(analysis, site))
            )
            if is_presumed or (held and held.issubset(defect.callables)):
                yield site


def _is_of_keras_alone(defect: Defect) -> bool:
    return all(name.startswith("keras.") for name in defect.callables)


def _has_other_keras(analysis: Analysis, path: str, tensorflow: VersionRange) -> bool:
    """Whether a file imports `keras` where that is no part of TensorFlow yet.

    Until 2.4 it had code of its own, so that what is wrong with `tf.keras` says nothing of it.
    """
    keras = analysis.project.version(path, "keras")
    stated = keras if keras is not None and not keras.is_open else tensorflow
    return not stated.reaches("2.4") and any(
        name.partition(".")[0] == "keras"
        for statement in analysis.module(path).scopes.imports.values()
        for name in _names_imported(statement)
    )


def _is_unknown(analysis: Analysis, site: CallSite) -> bool:
    return not callgraph.targets(analysis, site)


_KERAS_ALONE = frozenset(("fit_generator", "train_on_batch"))
"""Methods that have this name in Keras, and hardly anywhere else."""


def _met(analysis: Analysis, site: CallSite, defect: Defect, versions: VersionRange) -> Met | None:
    path, request = None, None
    for condition in sorted(defect.conditions, key=lambda condition: condition.value):
        if condition is Condition.REPEATED:
            path = _loop_around(analysis, site)
            request = sessions.request_path(analysis, site) if path is None else None
            holds = path is not None or request is not None
        else:
            holds = _HOLDS[condition](analysis, site)
        if not holds:
            return None
    return Met(site, defect, versions, path, request)


def _loop_around(analysis: Analysis, site: CallSite) -> Path | None:
    for path in graphs.repeats(analysis, site):
        if not loops.is_tiny(analysis, path[0]) and not _is_of_turn(analysis, site, path):
            return path
    return None


def _is_of_turn(analysis: Analysis, site: CallSite, path: Path) -> bool:
    """Whether each iteration makes the object that is asked: none is asked again and again then."""
    loop, way = path
    asked = site.node.func
    turn = Turn(loop, None, (*way, site))
    return varying(analysis, asked, site.scope, turn, None) is None


def _is_given(analysis: Analysis, site: CallSite, wanted: str) -> bool:
    fact = callgraph.fact_at(analysis, site)
    if fact is not None:
        given = callgraph.role_argument(site.node, fact, ParameterRole.INPUT)
    else:
        given = tree.argument(site.node, 0, "x") or tree.argument(site.node, 0, "generator")
    if given is None:
        return False
    return any(
        isinstance(term, (Instance, Object)) and wanted in classes.instance_type(analysis, term)
        for term in values.evaluate(analysis, given, site.scope)
    )


def _is_given_dataset(analysis: Analysis, site: CallSite) -> bool:
    return _is_given(analysis, site, "tensorflow.data.Dataset")


def _is_given_sequence(analysis: Analysis, site: CallSite) -> bool:
    return _is_given(analysis, site, "keras.utils.PyDataset")


def _has_several_workers(analysis: Analysis, site: CallSite) -> bool:
    for keyword in site.node.keywords:
        if keyword.arg not in ("workers", "use_multiprocessing"):
            continue
        for term in values.evaluate(analysis, keyword.value, site.scope):
            if isinstance(term, Literal) and term.value in (0, 1, False):
                # `True == 1`: only of the flag it asks for anything.
                if keyword.arg == "use_multiprocessing" and term.value is True:
                    return True
            elif keyword.arg == "workers":
                return True
    return False


def _comes_before_fork(analysis: Analysis, site: CallSite) -> bool:
    """Whether it runs while its file is imported or before, in its function, a process starts.

    What runs at the import of a file also comes before what the files that import it start.
    """
    home = site.scope.module_path
    starting = _starting_calls(analysis, home)
    if site.scope.kind is not ScopeKind.MODULE:
        return any(
            other.scope is site.scope and other.node.lineno > site.node.lineno for other in starting
        ) and _children_use(analysis, home, "tensorflow", "keras")
    if starting and _children_use(analysis, home, "tensorflow", "keras"):
        return not all(
            other.scope is site.scope and other.node.lineno < site.node.lineno for other in starting
        )
    return any(
        _starting_calls(analysis, path) and _children_use(analysis, path, "tensorflow", "keras")
        for path in _forking_importers(analysis, home)
    )


def _starting_calls(analysis: Analysis, path: str) -> list[CallSite]:
    """The calls of a file that start processes, which are forked as far as its text tells."""
    text = analysis.project.sources[path].text
    if not any(word.search(text) for word in _FORKING) or _NOT_FORKING.search(text):
        return []
    module = analysis.module(path)
    return [
        site
        for name in sorted(_STARTING)
        for site in module.calls_named(name)
        if _starts_process(analysis, site)
    ]


def _forking_importers(analysis: Analysis, path: str) -> list[str]:
    """The files that may start processes and whose first lines import this one."""
    analysis.asked.update(_STARTING)
    found = []
    for importer in sorted(analysis.project.mentioning(_FORKING) - {path}):
        if path in analysis.project.imports(importer):
            analysis.touched.add(importer)
            body = getattr(analysis.module(importer).scopes.module.node, "body", [])
            if any(
                analysis.project.find(dotted, importer) == path
                for statement in body
                for dotted in _names_imported(statement)
            ):
                found.append(importer)
    return found


def _names_imported(statement: ast.stmt) -> list[str]:
    """The dotted names that an import may take as modules."""
    if isinstance(statement, ast.Import):
        return [alias.name for alias in statement.names]
    if not isinstance(statement, ast.ImportFrom):
        return []
    dots, module = "." * statement.level, statement.module or ""
    separator = "." if module else ""
    inside = [f"{dots}{module}{separator}{alias.name}" for alias in statement.names]
    return [dots + module, *inside] if module else inside


def _children_use(analysis: Analysis, path: str, *frameworks: str) -> bool:
    """Whether a function that the file hands to other processes calls one of the frameworks."""

    def find() -> bool:
        module = analysis.module(path)
        handed: list[tuple[ast.expr, Scope]] = []
        for name in sorted(_HANDING):
            for site in module.calls_named(name):
                given = [*site.node.args[:2], *(k.value for k in site.node.keywords)]
                handed += [(node, site.scope) for node in given]
        pending = [
            target.function
            for node, scope in handed
            for target in callgraph.targets_of(analysis, values.evaluate(analysis, node, scope))
        ]
        seen: set[Scope] = set()
        while pending and len(seen) < _MOST_FUNCTIONS:
            function = pending.pop()
            if function in seen:
                continue
            seen.add(function)
            analysis.module_of(function)
            for site in function.calls:
                held = callgraph.callee(analysis, site)
                names = callgraph.external_names(held)
                if any(name.partition(".")[0] in frameworks for name in names):
                    return True
                pending += [t.function for t in callgraph.targets_of(analysis, held)]
        return False

    return analysis.remember(("children use", path, frameworks), find, otherwise=False)


_HANDING = _STARTING | {"map", "imap", "imap_unordered", "starmap", "apply", "apply_async"}
_HANDING |= {"map_async", "starmap_async", "submit"}
_MOST_FUNCTIONS = 64


def _starts_process(analysis: Analysis, site: CallSite) -> bool:
    """Whether a call starts processes: by its name from `multiprocessing` and its like."""
    names = callgraph.external_names(callgraph.callee(analysis, site))
    if any("thread" in name.lower() or ".dummy" in name for name in names):
        return False
    parts = ast.unparse(site.node.func).split(".")
    is_plain = len(parts) == 1 or parts[0] in ("multiprocessing", "mp", "os", "futures")
    return bool(names and names[0].split(".")[0] in _HOMES) or (
        is_plain and last_name(site.node.func) in _STARTING
    )


_HOMES = frozenset(("multiprocessing", "concurrent", "os", "billiard"))
_HOLDS = {
    Condition.GIVEN_DATASET: _is_given_dataset,
    Condition.GIVEN_SEQUENCE: _is_given_sequence,
    Condition.SEVERAL_WORKERS: _has_several_workers,
    Condition.BEFORE_FORK: _comes_before_fork,
}
