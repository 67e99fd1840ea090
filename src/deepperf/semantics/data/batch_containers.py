"""What lists, tuples and dicts hold in a function of one element, and what is taken from them."""

from __future__ import annotations

import ast
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

from msgspec.structs import replace

from deepperf.semantics.calls import callgraph, constants, parts
from deepperf.semantics.calls.parts import Beside, Kind, Part, Structure
from deepperf.semantics.data.batch_walk import Batching, Names, Stop, Walk
from deepperf.semantics.names.scopes import Scope
from deepperf.semantics.text import tree
from deepperf.semantics.values import values

_COPIERS = frozenset(("builtins.list", "builtins.tuple", "builtins.sorted"))
_OF_DICTS = frozenset(("items", "keys", "values", "update", "setdefault"))
_TAKERS = frozenset(("pop", "get"))
_MOST_LEAVES = 500
"""Tensors of one structure, after which the walk ends: those made of each other grow fast."""


@dataclass(frozen=True, slots=True)
class Containers(ABC):
    """The lists, tuples and dicts of one function of the walk."""

    walk: Walk
    scope: Scope
    depth: int

    @abstractmethod
    def expression(self, node: ast.expr, names: Names) -> Kind:
        """What any expression gives."""

    # Written out

    def sequence(self, node: ast.Tuple | ast.List, names: Names) -> Kind:
        if any(isinstance(element, ast.Starred) for element in node.elts):
            raise Stop(Batching.UNKNOWN)
        kinds = tuple(self.expression(element, names) for element in node.elts)
        _bound(kinds)
        if kinds and all(isinstance(kind, Beside) for kind in kinds):
            return constants.constant(self.walk.analysis, node, self.scope)
        return Structure(None, kinds, is_list=isinstance(node, ast.List))

    def dict_display(self, node: ast.Dict, names: Names) -> Kind:
        keys: list[str] = []
        for key in node.keys:
            held = None if key is None else self.expression(key, names)
            known = isinstance(held, Beside) and isinstance(held.value, str)
            text = str(held.value) if known and isinstance(held, Beside) else parts.SOME_NAME
            keys.append(parts.OTHERS if key is None else text)
        kinds = [self.expression(part, names) for part in node.values]
        _bound(kinds)
        if None in node.keys:
            return self.copied(keys, kinds)
        return Structure(tuple(keys), tuple(kinds))

    def copied(self, keys: list[str], kinds: list[Kind]) -> Structure:
        """A copy of a dict with some entries changed; what is copied stands under `OTHERS`."""
        if not all(isinstance(leaf, Part) for kind in kinds for leaf in parts.leaves(kind)):
            raise Stop(Batching.UNKNOWN)
        if keys.count(parts.OTHERS) > 1:  # which of them has an entry is not known
            some = Part(f"{parts.UNLIKE}{id(kinds)}", columns=True)
            kept = [(k, part) for k, part in zip(keys, kinds, strict=True) if k != parts.OTHERS]
            keys, kinds = [parts.OTHERS, *(k for k, _ in kept)], [some, *(p for _, p in kept)]
        copy = Structure((), ())
        for key, kind in zip(keys, kinds, strict=True):
            entries = [(key, kind)]
            if key == parts.OTHERS and isinstance(kind, Structure):
                entries = list(zip(kind.keys or (), kind.parts, strict=False))
            for name, part in entries:
                copy = parts.with_item(copy, name, part)
        return copy

    def dict_comprehension(self, node: ast.DictComp, names: Names) -> Kind:
        held = self.expression(node.value, self.within(node.generators, names))
        if isinstance(held, Part) and not held.columns:
            return parts.columns_of(held)
        return Structure((parts.SOME_NAME,), (held,))

    def list_comprehension(self, node: ast.ListComp | ast.GeneratorExp, names: Names) -> Kind:
        held = self.expression(node.elt, self.within(node.generators, names))
        if isinstance(held, Beside):
            return constants.constant(self.walk.analysis, node, self.scope)
        if isinstance(held, Structure) or held.columns:
            raise Stop(Batching.UNKNOWN)
        return parts.listed(parts.columns_of(held))

    def within(self, generators: list[ast.comprehension], names: Names) -> Names:
        """The names as the expression of a comprehension sees them."""
        inner = dict(names)
        for generator in generators:
            self.bind(generator.target, self.item_of(generator.iter, inner), inner)
            if not all(isinstance(self.expression(c, inner), Beside) for c in generator.ifs):
                raise Stop(Batching.NO)
        return inner

    # Taken from them

    def item(self, node: ast.Subscript, names: Names) -> Kind:
        if _is_length_from_the_right(node):
            measured = self.expression(node.value.value, names)  # type: ignore[attr-defined]
            if isinstance(measured, Part) and not measured.columns:
                return Beside(0)
        whole = self.expression(node.value, names)
        index = node.slice
        if isinstance(whole, Beside):
            used = [names[name] for name in tree.names_in(index) if name in names]
            if any(isinstance(leaf, Part) for kind in used for leaf in parts.leaves(kind)):
                raise Stop(Batching.NO)  # each element would look up its own
            return constants.constant(self.walk.analysis, node, self.scope)
        if isinstance(whole, Part) and not whole.columns:
            first = index.elts[0] if isinstance(index, ast.Tuple) and index.elts else None
            is_from_right = isinstance(first, ast.Constant) and first.value is ...
            # A parsed tensor is indexed anew anyway: what parses it is rewritten for batches.
            if is_from_right or (whole.is_parsed and self.is_fixed(index, names)):
                rest = index.elts[1:] if isinstance(index, ast.Tuple) and is_from_right else None
                known = rest and constants.indexed(self.walk.analysis, whole, rest, self.scope)
                return known or Part(f"{whole.axes}@{id(node)}")
        if isinstance(whole, Part) and whole.columns and isinstance(index, ast.Slice):
            return whole
        if isinstance(index, (ast.Slice, ast.Tuple)):
            raise Stop(Batching.NO)
        key = self.expression(index, names)
        if not isinstance(key, Beside):
            raise Stop(Batching.NO)
        if isinstance(whole, Structure):
            found = parts.item(whole, key.value)
            if found is None and key.value in (None, parts.SOME_NAME) and whole.keys is not None:
                return self.any_of(whole)
            if found is None:
                raise Stop(Batching.UNKNOWN)
            return found
        found = parts.entry(whole, key, index)
        is_named = whole.columns or key.value is not None
        if found is None or not (is_named or _is_mapping(node.value, self.scope)):
            raise Stop(Batching.NO)
        return found

    def is_fixed(self, index: ast.expr, names: Names) -> bool:
        """Whether an index takes the same from each element: by numbers, slices or new axes."""
        if isinstance(index, ast.Tuple):
            return all(self.is_fixed(element, names) for element in index.elts)
        if isinstance(index, ast.Slice):
            ends = (index.lower, index.upper, index.step)
            return all(end is None or self.is_fixed(end, names) for end in ends)
        held = self.expression(index, names)
        return isinstance(held, Beside) and not isinstance(held.value, str)

    def taken(self, node: ast.Call, names: Names) -> Kind | None:
        """What a method of a dict gives; None for other calls."""
        function = node.func
        root = tree.owner_of(function)
        is_other = isinstance(root, ast.Name) and root.id not in names
        if is_other or not isinstance(function, ast.Attribute):
            return None
        whole = self.expression(function.value, names)
        if isinstance(whole, Beside):
            return None
        if function.attr == "copy" and not node.args:
            return whole
        if function.attr == "values" and not node.args:
            return parts.columns_of(self.any_of(whole))
        if function.attr == "update" and isinstance(function.value, ast.Name):
            names[function.value.id] = self.updated_dict(node, whole, names)
            return Beside(0)
        key = self.expression(node.args[0], names) if node.args else None
        if function.attr not in _TAKERS or not isinstance(key, Beside):
            raise Stop(Batching.UNKNOWN)
        found: Kind | None = None
        if isinstance(whole, Part):  # no tensor or list has such a method
            found = parts.entry(whole, key, node.args[0])
        elif isinstance(key.value, str):
            found = parts.item(whole, key.value)
            if found is not None and function.attr == "pop" and isinstance(root, ast.Name):
                names[root.id] = parts.without_item(whole, key.value)
        if found is None:
            raise Stop(Batching.UNKNOWN)
        return found

    def updated_dict(self, call: ast.Call, whole: Kind, names: Names) -> Kind:
        """What `whole.update(…)` makes of a dict."""
        keys = [parts.OTHERS] * (1 + len(call.args)) + [k.arg or "" for k in call.keywords]
        kinds = [self.expression(part, names) for part in tree.arguments(call)]
        if any(isinstance(kind, Beside) for kind in kinds):
            raise Stop(Batching.UNKNOWN)
        return self.copied(keys, [whole, *kinds])

    def rebuilt(self, call: ast.Call, names: Names) -> Kind | None:
        """What `dict(…)` makes: of a structure, or of names zipped with columns, and entries."""
        if call.keywords:
            kinds = [self.expression(part, names) for part in tree.arguments(call)]
            keys = [keyword.arg or parts.OTHERS for keyword in call.keywords]
            if call.args:
                return self.copied([parts.OTHERS, *keys], kinds)
            return Structure(tuple(keys), tuple(kinds))
        node = call.args[0]
        if self.is_call_of(node, "builtins.zip") and len(node.args) == 2:  # type: ignore[attr-defined]
            key, part = (self.expression(argument, names) for argument in node.args)  # type: ignore[attr-defined]
            if isinstance(key, Beside) and isinstance(part, Part) and part.columns:
                return replace(part, is_list=False)
        kind = self.expression(node, names)
        if isinstance(kind, Beside):
            return None
        return replace(kind, is_list=self.is_call_of(call, "builtins.list"))

    # Names and items

    def item_of(self, iterable: ast.expr, names: Names) -> Kind:
        """What iterating over an expression gives."""
        if isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name):
            function = values.evaluate(self.walk.analysis, iterable.func, self.scope)
            copies = _COPIERS.issuperset(callgraph.external_names(function)) and function
            if copies and len(iterable.args) == 1:
                return self.item_of(iterable.args[0], names)
        if self.is_given_zipped(iterable, names):
            return Structure(None, tuple(self.item_of(a, names) for a in iterable.args))  # type: ignore[attr-defined]
        if isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Attribute):
            held = self.expression(iterable.func.value, names)
            accessor = iterable.func.attr
            if not isinstance(held, Beside) and accessor in ("items", "keys", "values"):
                key, part = Beside(0, parts.SOME_NAME), self.any_of(held)
                if accessor == "items":
                    return Structure(None, (key, part))
                return key if accessor == "keys" else part
        held = self.expression(iterable, names)
        if isinstance(held, Beside):
            return constants.element(self.walk.analysis, iterable, self.scope)
        is_list = held.keys is None if isinstance(held, Structure) else held.columns
        if is_list:
            return self.any_of(held)
        raise Stop(Batching.UNKNOWN)

    def is_given_zipped(self, iterable: ast.expr, names: Names) -> bool:
        """Whether it is `zip(…)` of lists of which one is of the element."""
        if not self.is_call_of(iterable, "builtins.zip"):
            return False
        kinds = [self.expression(part, names) for part in tree.arguments(iterable)]  # type: ignore[arg-type]
        return not all(isinstance(kind, Beside) for kind in kinds)

    def is_call_of(self, node: ast.expr, name: str) -> bool:
        if not isinstance(node, ast.Call):
            return False
        held = values.evaluate(self.walk.analysis, node.func, self.scope)
        return callgraph.external_names(held) == (name,)

    def any_of(self, held: Part | Structure) -> Part:
        """Any of the tensors of a list or dict."""
        if isinstance(held, Part):
            return parts.column(held, "*") if held.columns else Part(f"{held.axes}.*")
        keys = held.keys or ("",) * len(held.parts)
        tensors: list[Part] = []
        for key, part in zip(keys, held.parts, strict=True):
            if not isinstance(part, Part) or (part.columns and key != parts.OTHERS):
                raise Stop(Batching.UNKNOWN)
            is_open = key == parts.OTHERS
            tensors.append(self.any_of(part) if is_open else part)
        axes = parts.common_axes(tensors) if tensors else None
        return Part(axes or f"{parts.UNLIKE}{id(held)}.*")

    def bind(self, target: ast.expr, held: Kind, names: Names) -> None:
        if isinstance(target, ast.Name):
            names[target.id] = held
        elif isinstance(target, (ast.Tuple, ast.List)):
            if isinstance(held, Beside):
                names.update(constants.bound(self.walk.analysis, target, self.scope))
                return
            taken = parts.taken_apart(held, target.elts)
            if taken is None:
                raise Stop(Batching.UNKNOWN)  # taking a tensor apart goes along its first axis
            for element, part in zip(target.elts, taken, strict=True):
                inner = element.value if isinstance(element, ast.Starred) else element
                self.bind(inner, part, names)
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            self.set_item(target, target.value.id, held, names)
        else:
            raise Stop(Batching.UNKNOWN)

    def set_item(self, target: ast.Subscript, name: str, held: Kind, names: Names) -> None:
        """`name[key] = held` in a dict: the element's own, or one made in the function."""
        key = self.expression(target.slice, names)
        whole = names.get(name)
        if not isinstance(key, Beside):
            raise Stop(Batching.UNKNOWN)
        beside = whole is not None and all(isinstance(k, Beside) for k in parts.leaves(whole))
        if isinstance(held, Part) and not held.columns and parts.columns_of(held) == whole:
            return
        if isinstance(held, Beside) and beside:
            names[name] = Beside()
        elif isinstance(key.value, int) or isinstance(held, Beside):
            raise Stop(Batching.UNKNOWN)
        elif isinstance(whole, Structure) and whole.keys is not None:
            entry = key.value if isinstance(key.value, str) else parts.SOME_NAME
            names[name] = parts.with_item(whole, entry, held)
        elif not isinstance(whole, Part):
            raise Stop(Batching.UNKNOWN)
        else:
            entry = key.value if isinstance(key.value, str) else parts.SOME_NAME
            names[name] = parts.with_item(Structure((parts.OTHERS,), (whole,)), entry, held)


def _bound(kinds: Iterable[Kind]) -> None:
    if sum(len(parts.leaves(kind)) for kind in kinds) > _MOST_LEAVES:
        raise Stop(Batching.UNKNOWN)


def _is_length_from_the_right(node: ast.Subscript) -> bool:
    """Whether it is a length as `x.shape[-1]` gives it, which a batch has, too."""
    is_shape = isinstance(node.value, ast.Attribute) and node.value.attr == "shape"
    return is_shape and parts.counts_from_the_right(node.slice)


def _is_mapping(name: ast.expr, function: Scope) -> bool:
    """Whether a function uses what a name holds as a dict: unpacks or copies it, names entries."""
    if not isinstance(name, ast.Name):
        return False
    for node in tree.walk(function.node):
        used: list[ast.expr] = []
        if isinstance(node, ast.Dict):
            used = [v for k, v in zip(node.keys, node.values, strict=True) if k is None]
        elif (
            (isinstance(node, ast.keyword) and node.arg is None)
            or (isinstance(node, ast.Attribute) and node.attr in _OF_DICTS)
            or (isinstance(node, ast.Subscript) and _is_name_written(node.slice))
        ):
            used = [node.value]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", None) == "dict":
            used = node.args[:1]
        if any(getattr(value, "id", None) == name.id for value in used):
            return True
    return False


def _is_name_written(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and isinstance(index.value, str)
