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
    ("cli", "lsp", "dev"),
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
# `cli` has a file for each verb, those of `dev` and `lsp` among them.
NEIGHBOURS = {("cli", "dev"), ("cli", "lsp")}
HEIGHT = {name: -depth for depth, layer in enumerate(LAYERS) for name in layer}
MODULES = sorted(SOURCE.rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def packages_imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and package of deepperf for each import, wherever in the file it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
            if node.module == "deepperf":
                names = [f"deepperf.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        for name in names:
            parts = name.split(".")
            if parts[0] == "deepperf" and len(parts) > 1:
                yield node.lineno, parts[1]


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
