"""Each layer imports only from those below it."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import deepperf

SOURCE = Path(deepperf.__file__).parent
# From the top. Packages of one line may not know each other, except where named together below.
LAYERS = (
    ("cli", "dev"),
    ("surfaces",),
    ("prove",),
    ("scan", "bench", "dynamic", "study"),
    ("check",),
    ("outputs", "notebooks"),
    ("config",),
    ("rules",),
    ("fixes",),
    ("semantics",),
    ("knowledge",),
    ("taxonomy", "records"),
)
# `cli` has a file for each verb, that of `dev` among them.
NEIGHBOURS = {("cli", "dev")}
HEIGHT = {name: -depth for depth, layer in enumerate(LAYERS) for name in layer}
MODULES = sorted(SOURCE.rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


# The floors of the engine, from the ground; each imports only those before it.
FLOORS = (
    "ir",
    "program",
    "objects",
    "callgraph",
    "dependence",
    "summaries",
    "compiled",
    "frequency",
    "batching",
    "device",
    "gradients",
    "forwards",
    "estimate",
    "query",
)
# What questions that need each other's answers still import upwards, as importer and imported.
UPWARD = {
    ("program.program", "objects.origin"),  # the words for places: values without logic
    ("objects.holds", "callgraph.calls"),  # a parameter holds what callers pass
    ("objects.literals", "callgraph.calls"),  # and so does a literal
    ("objects.rests", "callgraph.calls"),  # what callers pass as the rest
    ("objects.entries", "callgraph.calls"),  # and what lies in a function's own `**`
    ("objects.entries", "callgraph.callees"),  # and what functions set in it
    ("objects.records", "callgraph.calls"),  # and a field what the calls of its class pass
    ("objects.fields", "callgraph.overrides"),  # what subclasses set an attribute to
    ("objects.fields", "callgraph.uses"),  # and what is done with the class
    ("summaries.reach", "frequency.guards"),  # a way behind a condition that seldom holds
    ("summaries.reach", "frequency.excluded"),  # or that a call excludes
}
MODULES_OF_FLOORS = [
    path
    for path in MODULES
    if path.parts[len(SOURCE.parts)] == "semantics" and path.parts[len(SOURCE.parts) + 1] in FLOORS
]


@functools.cache
def imports(path: Path) -> tuple[tuple[int, str], ...]:
    """Line and dotted name for each import, wherever in the file it stands.

    Of `from deepperf import x` and `from deepperf.semantics import x` that is the name with `x`.
    """
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
            if node.module in ("deepperf", "deepperf.semantics"):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        found += [(node.lineno, name) for name in names]
    return tuple(found)


def packages_imported(path: Path) -> Iterator[tuple[int, str]]:
    """Line and package of deepperf for each import of one."""
    for line, name in imports(path):
        if name.startswith("deepperf."):
            yield line, name.split(".")[1]


def imported_by(path: Path) -> list[str]:
    return [name for _, name in imports(path) if name.split(".")[0] == "deepperf"]


def parts_of_semantics(path: Path) -> list[str]:
    """What a module imports of the engine, as `floor.module`."""
    inside = "deepperf.semantics."
    return [name.removeprefix(inside) for name in imported_by(path) if name.startswith(inside)]


def allowed(importer: str, imported: str) -> bool:
    return (
        importer == imported
        or imported not in HEIGHT  # a name of the package itself, such as __version__
        or HEIGHT[imported] < HEIGHT[importer]
        or (importer, imported) in NEIGHBOURS
    )


def test_a_module_imports_only_from_below() -> None:
    upward = [
        f"{name_of(path)}:{line}: {imported}"
        for path in MODULES
        if path.parent != SOURCE  # the package's own __init__ offers public names of every layer
        for line, imported in packages_imported(path)
        if not allowed(path.relative_to(SOURCE).parts[0], imported)
    ]
    assert upward == []


def test_every_package_has_its_layer() -> None:
    packages = {
        folder.name for folder in SOURCE.iterdir() if folder.is_dir() and any(folder.glob("*.py"))
    }
    assert packages - HEIGHT.keys() == set()


def test_no_framework_is_imported() -> None:
    frameworks = {"tensorflow", "keras", "torch", "jax", "flax", "transformers"}
    imported = {
        (name_of(path), name)
        for path in MODULES
        for _, name in imports(path)
        if name.split(".")[0] in frameworks
    }
    assert imported == set()


def test_a_floor_of_the_engine_sees_what_is_older_through_the_bridge_alone() -> None:
    seen = {
        (name_of(path), name)
        for path in MODULES_OF_FLOORS
        for name in parts_of_semantics(path)
        if name.split(".")[0] not in {*FLOORS, "bridge"}
    }
    assert seen == set()


def test_only_the_ground_floor_sees_syntax_trees() -> None:
    seeing = {path for path in MODULES_OF_FLOORS if "ast" in {name for _, name in imports(path)}}
    assert {name_of(path) for path in seeing if path.parent.name != "ir"} == set()


def test_floors_import_downwards_but_for_what_is_named() -> None:
    upward = {
        (f"{path.parent.name}.{path.stem}", name)
        for path in MODULES_OF_FLOORS
        for name in parts_of_semantics(path)
        if name.split(".")[0] in FLOORS
        and FLOORS.index(name.split(".")[0]) > FLOORS.index(path.parent.name)
    }
    assert upward == UPWARD


RULE_FOLDERS = {path.parent for path in (SOURCE / "rules").glob("*/*/rule.py")}
ON_FLOORS = sorted(
    folder
    for folder in RULE_FOLDERS
    if any("deepperf.semantics.query" in imported_by(path) for path in folder.glob("*.py"))
)


# On their way from the older engine's view to the floors: they still ask both.
ON_BOTH = {
    "compiled_per_call": {"query", "view"},
    "eager_loop": {"query", "view", "view.eager_loop"},
    "looped_update": {"query", "view"},
    "map_before_batch": {"query", "view", "view.unbatched"},
    "model_per_turn": {"query", "view"},
    "per_slice_op": {"query", "view"},
    "predict_per_item": {"query", "view"},
    "read_per_item": {"query", "view"},
}


def test_a_rule_on_the_floors_asks_the_engine_through_query_alone() -> None:
    seen = {
        folder.name: {part for path in folder.glob("*.py") for part in parts_of_semantics(path)}
        for folder in ON_FLOORS
    }
    others = {name: parts for name, parts in seen.items() if parts != {"query"}}
    assert others == ON_BOTH
