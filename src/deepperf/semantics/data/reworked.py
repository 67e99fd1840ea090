"""What is done to a parsed example that has to be written anew for a batch, and can be.

What parses an example is rewritten for batches anyway: the shapes that it tells get one axis more,
and axes that are counted from the left move by one. Of what only its bytes tell the text has to
say how large it is: parsing saves a fixed time for each example, which is not felt beside a pass
over a large one.
"""

from __future__ import annotations

import ast
import math

from deepperf.knowledge.schema import Fact, ParameterRole, Trait
from deepperf.semantics.calls import callgraph, constants, parts
from deepperf.semantics.calls.parts import Beside, Kind, Part, Structure
from deepperf.semantics.data.batch_containers import Containers
from deepperf.semantics.data.batch_walk import Batching, Names, Stop
from deepperf.semantics.sizes import rows
from deepperf.semantics.text import tree

_BYTES = "bytes@"
_MOST = 1 << 14
"""Numbers of one example up to which a pass over them is short: measured, 64 by 64 by 3 are."""
_OTHERWISE = frozenset((Trait.JOINS, Trait.SPLITS, Trait.SPLITS_EVENLY, Trait.SELECTS))


class Reworked(Containers):
    """What a function that parses examples does to tensors that it parsed."""

    __slots__ = ()

    def reworked(self, node: ast.Call, fact: Fact | None, names: Names) -> Kind | None:
        """What a call gives of parsed tensors; None if it is not one of these."""
        if not self.walk.parses or fact is None or not node.args:
            return None
        whole = self.expression(node.args[0], names)
        if isinstance(whole, Structure):
            return self._joined(node, fact, whole)
        if not isinstance(whole, Part) or whole.columns or not whole.is_parsed:
            return None
        if Trait.NUMBERS_BYTES in fact.traits:
            return Part(f"{parts.PARSED}{_BYTES}{id(node)}")
        if Trait.LAYS_ANEW in fact.traits:
            shape = tree.argument(node, 1, "shape")
            return None if shape is None else self.laid_anew(whole, shape, names)
        if Trait.FILLS_IN in fact.traits or self._moves(node, fact, names):
            return _anew(whole, node)
        axis = callgraph.role_argument(node, fact, ParameterRole.AXIS)
        is_view = Trait.VIEWS in fact.traits
        is_told = _counts_from_the_left(axis) or (axis is None and is_view)
        if Trait.ALONG_AXIS in fact.traits and is_told:
            self.walk.works = True
            is_reduced = Trait.REDUCES in fact.traits and not self.keeps_axes(node, fact)
            return _anew(whole, node) if is_view or is_reduced else whole
        return None

    def keeps_axes(self, node: ast.Call, fact: Fact) -> bool:
        """Whether the axes along which an operation goes stay there, one long."""
        kept = callgraph.role_argument(node, fact, ParameterRole.KEEPS_AXES)
        return (
            kept is not None
            and constants.constant(self.walk.analysis, kept, self.scope).value is True
        )

    def _moves(self, node: ast.Call, fact: Fact, names: Names) -> bool:
        """Whether a call takes or turns the same numbers of each example."""
        if Trait.ARRANGES not in fact.traits or not fact.traits.isdisjoint(_OTHERWISE):
            return False
        told = [self.expression(one, names) for one in tree.arguments(node)[1:]]
        return all(isinstance(leaf, Beside) for kind in told for leaf in parts.leaves(kind))

    def taken(self, node: ast.Call, names: Names) -> Kind | None:
        """What a method gives; `set_shape` gives nothing, and tells of a parsed tensor."""
        function = node.func
        if (
            self.walk.parses
            and isinstance(function, ast.Attribute)
            and function.attr == "set_shape"
            and isinstance(function.value, ast.Name)
            and len(node.args) == 1
        ):
            whole = names.get(function.value.id)
            if isinstance(whole, Part) and whole.is_parsed and not whole.columns:
                names[function.value.id] = self.laid_anew(whole, node.args[0], names)
                return Beside(0)
        return super().taken(node, names)

    def _joined(self, node: ast.Call, fact: Fact, listed: Structure) -> Kind | None:
        axis = callgraph.role_argument(node, fact, ParameterRole.AXIS)
        takes_axis = any(one.role is ParameterRole.AXIS for one in fact.parameters)
        if Trait.JOINS not in fact.traits or listed.keys is not None or not takes_axis:
            return None
        if axis is not None and not _counts_from_the_left(axis):
            return None
        tensors = [part for part in listed.parts if isinstance(part, Part) and part.is_parsed]
        if len(tensors) < len(listed.parts) or any(part.columns for part in tensors):
            return None
        self.walk.works = True
        return _anew(next((part for part in tensors if _is_bytes(part)), tensors[0]), node)

    def laid_anew(self, whole: Part, shape: ast.expr, names: Names) -> Part:
        """What is given a shape that does not depend on the element."""
        told = self.expression(shape, names)
        if not all(isinstance(leaf, Beside) for leaf in parts.leaves(told)):
            raise Stop(Batching.NO)
        lengths = self._lengths(shape)
        if lengths is None or None in lengths or -1 in lengths:
            return _anew(whole, shape)
        size = math.prod(length for length in lengths if length is not None)
        if size > _MOST:
            raise Stop(Batching.UNKNOWN)
        return parts.with_axes(Part(f"{parts.PARSED}{parts.SCALAR}"), len(lengths))

    def _lengths(self, shape: ast.expr) -> list[int | None] | None:
        """The lengths of the axes, None for what is not known."""
        if not isinstance(shape, (ast.List, ast.Tuple)):
            length = rows.number(self.walk.analysis, shape, self.scope)
            return None if length is None else [length]
        return [rows.number(self.walk.analysis, one, self.scope) for one in shape.elts]


def stays_unsized(kind: Kind) -> bool:
    """Whether anything in it may hold bytes of which the text does not say how many."""
    return any(isinstance(leaf, Part) and _is_bytes(leaf) for leaf in parts.leaves(kind))


def _is_bytes(part: Part) -> bool:
    return part.axes.startswith(f"{parts.PARSED}{_BYTES}")


def _anew(whole: Part, node: ast.expr) -> Part:
    """A parsed tensor with axes of its own; of bytes not more is known than before."""
    return Part(f"{parts.PARSED}{_BYTES if _is_bytes(whole) else 'new@'}{id(node)}")


def _counts_from_the_left(axis: ast.expr | None) -> bool:
    """Whether an axis is told by a number that is not negative."""
    return isinstance(axis, ast.Constant) and type(axis.value) is int
