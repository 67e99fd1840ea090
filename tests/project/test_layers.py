"""Each layer imports only from those below it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

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
    "device",
    "gradients",
    "estimate",
    "query",
)
# What questions that need each other's answers still import upwards, as importer and imported.
UPWARD = {
    ("program.program", "objects.origin"),  # the words for places: values without logic
    ("objects.holds", "callgraph.calls"),  # a parameter holds what callers pass
    ("objects.integers", "callgraph.calls"),  # and so does a number
    ("summaries.reach", "frequency.guards"),  # a way behind a condition that seldom holds
    ("summaries.reach", "frequency.excluded"),  # or that a call excludes
}
MODULES_OF_FLOORS = [
    path
    for path in MODULES
    if path.parts[len(SOURCE.parts)] == "semantics" and path.parts[len(SOURCE.parts) + 1] in FLOORS
]


def modules_imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and dotted name for each import of deepperf's, wherever in the file it stands.

    Of `from deepperf import x` and `from deepperf.semantics import x` that is the name with `x`.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
            if node.module in ("deepperf", "deepperf.semantics"):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        yield from ((node.lineno, name) for name in names if name.split(".")[0] == "deepperf")


def packages_imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and package of deepperf for each import, wherever in the file it stands."""
    for line, name in modules_imported(tree):
        if "." in name:
            yield line, name.split(".")[1]


def imported_by(path: Path) -> list[str]:
    return [name for _, name in modules_imported(ast.parse(path.read_text(encoding="utf-8")))]


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


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_imports_only_from_below(path: Path) -> None:
    package = path.relative_to(SOURCE).parts[0]
    if package.endswith(".py"):
        return  # the package's own __init__ offers the public names of every layer
    upward = [
        f"line {line}: {imported}"
        for line, imported in packages_imported(ast.parse(path.read_text(encoding="utf-8")))
        if not allowed(package, imported)
    ]
    assert upward == []


def test_every_package_has_its_layer() -> None:
    packages = {
        folder.name for folder in SOURCE.iterdir() if folder.is_dir() and any(folder.glob("*.py"))
    }
    assert packages - HEIGHT.keys() == set()


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_framework_is_imported(path: Path) -> None:
    frameworks = {"tensorflow", "keras", "torch", "jax", "flax", "transformers"}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
        )
    }
    assert imported & frameworks == set()


@pytest.mark.parametrize("path", MODULES_OF_FLOORS, ids=name_of)
def test_a_floor_of_the_engine_sees_what_is_older_through_the_bridge_alone(path: Path) -> None:
    seen = {name.split(".")[0] for name in parts_of_semantics(path)}
    assert seen - {*FLOORS, "bridge"} == set()


@pytest.mark.parametrize("path", MODULES_OF_FLOORS, ids=name_of)
def test_only_the_ground_floor_sees_syntax_trees(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    assert "ast" not in imported or path.parent.name == "ir"


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
    "eager_loop": {"query", "view", "view.eager_loop"},
    "looped_draw": {"query", "view", "view.drawing"},
    "predict_per_item": {"query", "view"},
    "retracing": {"query", "view", "view.retracing"},
}


@pytest.mark.parametrize("folder", ON_FLOORS, ids=name_of)
def test_a_rule_on_the_floors_asks_the_engine_through_query_alone(folder: Path) -> None:
    seen = {part for path in folder.glob("*.py") for part in parts_of_semantics(path)}
    assert seen == ON_BOTH.get(folder.name, {"query"})
