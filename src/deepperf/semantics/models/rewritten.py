"""Whether a program may give a model, or a part of it, other parameters without training it.

What prunes layers, moves along a direction or puts noise on weights does. It does so by way of
names that no text ties to the model, so that the files are asked as a whole.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait, has
from deepperf.semantics.calls import callgraph, effects
from deepperf.semantics.calls.effects import Effect
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops.regions import Access, Region, last_name
from deepperf.semantics.models import freezing, identity
from deepperf.semantics.names import scopes
from deepperf.semantics.names.scopes import COMPREHENSIONS, Scope, ScopeKind
from deepperf.semantics.text import tree
from deepperf.semantics.text.tree import Chain
from deepperf.semantics.writes import writes

_LISTINGS = freezing.LISTINGS | {"buffers", "children", "modules", "named_buffers"}
_LISTINGS |= {"named_children", "named_modules", "state_dict"}
_CHANGING = frozenset(("assign", "assign_add", "assign_sub", "set_weights"))
_REPLACING = frozenset(("l1_unstructured", "ln_structured", "random_unstructured"))
_REPLACING |= {"global_unstructured", "random_structured", "set_weights", "vector_to_parameters"}
_OF_GRADIENTS = frozenset(("grad", "requires_grad", "trainable"))
_PARAMETERS = frozenset(("bias", "kernel", "weight"))
_HANDING_ON = frozenset(("dict", "enumerate", "filter", "list", "sorted", "tuple", "zip"))
_DEFINING = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_ALTERING = frozenset((Effect.WRITES_STATE, Effect.TRAINS, Effect.UNKNOWN))
_LEAVING = members.ASKINGS | members.EMBEDDINGS
_LEAVING |= frozenset(("children", "cpu", "cuda", "eval", "modules", "requires_grad_", "to"))


def is_rewritten(analysis: Analysis, model: ast.expr, region: Region) -> bool:
    """Whether the code, or what else stands in the files, may set parameters of the model."""
    chain = tree.chain_of(model)
    if chain is None:
        return True
    name = tree.dotted(model)
    if any(_is_within(item, chain) for item in writes.written_objects(analysis, region)):
        return True
    if any(base == name or base.startswith(f"{name}.") for base in region.objects):
        return True
    paths = set(identity.files_of(analysis, model, region.scope))
    for access in region.accesses.get(chain[0], ()):
        if not _is_within(access.chain, chain):
            continue
        if _may_rewrite(analysis, access, chain):
            return True
        targets = () if access.on_it else callgraph.targets(analysis, access.site)
        paths |= {target.function.module_path for target in targets}
    return any(_rewrites_parameters(analysis, path) for path in sorted(paths))


def is_altered(analysis: Analysis, model: ast.expr, region: Region) -> bool:
    """Whether a region may give a model other parameters, or have it trained, by its text."""
    chain = tree.chain_of(model)
    if chain is None:
        return True
    for access in region.accesses.get(chain[0], ()):
        if access.chain != chain:
            continue
        name = last_name(access.site)
        if access.on_it:
            if name in _LEAVING or freezing.only_freezes(access.site):
                continue
            # A method of the project's own may do no more than read.
            if not effects.of_call(analysis, access.site).isdisjoint(_ALTERING):
                return True
        elif callgraph.fact_at(analysis, access.site) is None:
            return True
    return False


def _may_rewrite(analysis: Analysis, access: Access, chain: Chain) -> bool:
    called = last_name(access.site)
    if access.on_it:
        if called in freezing.LISTINGS:
            return not freezing.only_freezes(access.site)
        return _is_in_place(called) or called.startswith(("register_", "load_"))
    if len(access.chain) == len(chain):
        return False
    fact = callgraph.fact_at(analysis, access.site)
    return not has(fact, Trait.PURE, Trait.COMPUTES, Trait.PRINTS)


def _is_within(inner: Chain, outer: Chain) -> bool:
    return inner[: len(outer)] == outer


def _is_in_place(method: str) -> bool:
    """Whether a method changes what it is called of: PyTorch's end so that do."""
    is_named_so = method.endswith("_") and not method.startswith("_")
    return method in _CHANGING or (is_named_so and method != "requires_grad_")


# In a whole file


def _rewrites_parameters(analysis: Analysis, path: str) -> bool:
    def find() -> bool:
        module = analysis.module(path)
        if any(True for _ in module.calls_of(_REPLACING)):
            return True
        everywhere = _standing_for_parameters(_own_parts(module.scopes.module), set())
        return any(
            _writes_parameters(scope, everywhere)
            for scope in module.all_scopes
            if scope.name != "__init__"
        )

    return analysis.remember(("rewrites parameters", path), find, otherwise=False)


def _own_parts(scope: Scope) -> list[ast.AST]:
    """The nodes of a function, or of a module apart from its functions."""
    lines = [
        line
        for line in getattr(scope.node, "body", ())
        if scope.kind is ScopeKind.FUNCTION or not isinstance(line, _DEFINING)
    ]
    return [part for line in lines for part in tree.walk(line)]


def _writes_parameters(scope: Scope, everywhere: set[str]) -> bool:
    """Whether the lines of a function, or of a module, do so; all see the names `everywhere`."""
    if scope.kind is ScopeKind.CLASS or isinstance(scope.node, ast.Lambda):
        return False
    parts = _own_parts(scope)
    listed = _standing_for_parameters(parts, everywhere - scope.bound)
    for written in _written(parts):
        names = [
            part.id if isinstance(part, ast.Name) else part.attr
            for part in tree.walk(written)
            if isinstance(part, (ast.Name, ast.Attribute))
        ]
        # What becomes of gradients, and whether there are any, leaves the parameters alone.
        if not _OF_GRADIENTS.isdisjoint(names) or not isinstance(
            written, (ast.Attribute, ast.Subscript, ast.Name)
        ):
            continue
        if not _PARAMETERS.isdisjoint(names) or not listed.isdisjoint(names):
            return True
    return False


def _standing_for_parameters(parts: list[ast.AST], outer: set[str]) -> set[str]:
    """The names that hold parameters, or layers, of some model, those of `outer` among them."""
    known = set(outer)
    for part in parts:
        if isinstance(part, (ast.For, ast.AsyncFor, ast.comprehension)):
            if _lists_parameters(part.iter, known):
                known |= set(tree.names_in(part.target))
        elif isinstance(part, ast.Assign) and _lists_parameters(part.value, known):
            known |= set(tree.names_in(*part.targets))
    return known


def _lists_parameters(node: ast.expr, known: set[str]) -> bool:
    if isinstance(node, ast.Name):
        return node.id in known
    if isinstance(node, ast.Call):
        called = scopes.last_name(node.func)
        if called in _LISTINGS:
            return True
        if called in _HANDING_ON:
            return any(_lists_parameters(given, known) for given in node.args)
        return isinstance(node.func, ast.Attribute) and _lists_parameters(node.func.value, known)
    if isinstance(node, COMPREHENSIONS):
        return any(_lists_parameters(one.iter, known) for one in node.generators)
    return isinstance(node, (ast.Subscript, ast.Attribute)) and _lists_parameters(node.value, known)


def _written(parts: list[ast.AST]) -> Iterator[ast.AST]:
    """What code writes to: targets of assignments, and owners of methods."""
    for part in parts:
        if isinstance(part, ast.Assign):
            yield from (one for one in part.targets if not isinstance(one, ast.Name))
        elif isinstance(part, ast.AugAssign):
            yield part.target
        elif (
            isinstance(part, ast.Call)
            and isinstance(part.func, ast.Attribute)
            and _is_in_place(part.func.attr)
        ):
            yield part.func.value
