"""What the expressions of a function of one slice give, and whether all slices could have it.

A slice is what a map takes from an array at a time. Each expression is beside the slice, or
made of it; operations on it must be known to take all slices at once.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from deepperf.knowledge import members
from deepperf.knowledge.schema import Fact, ParameterRole, Trait, has
from deepperf.semantics.calls import callgraph, effects
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.names.scopes import Scope, ScopeKind, last_name
from deepperf.semantics.text import tree
from deepperf.semantics.values import arrays, values
from deepperf.semantics.values.terms import Display
from deepperf.semantics.vectorization import row_picks
from deepperf.semantics.vectorization.row_kinds import (
    BESIDE,
    CONDITION,
    SLICE,
    Kind,
    Names,
    RowOperation,
    Unfit,
    counts,
    picks,
    symbol,
    touches,
)
from deepperf.semantics.vectorization.row_walk import NEVER, Walk, takes_batch

_PARTS = members.VIEW_ATTRIBUTES | members.SPARSE_ATTRIBUTES
_DICTIONARIES = (ast.Dict, ast.DictComp)
_NAMES_ONLY = frozenset(("builtins.isinstance", "builtins.len", "builtins.type"))


@dataclass(frozen=True, slots=True)
class Expressions:
    """The expressions of one function of the walk."""

    walk: Walk
    scope: Scope
    depth: int

    def bind(self, target: ast.expr, held: Kind, names: Names) -> None:
        if isinstance(target, ast.Name):
            names[target.id] = held
        elif isinstance(target, (ast.Tuple, ast.List)):
            if isinstance(held, tuple) and len(held) != len(target.elts):
                raise Unfit
            listed = held if isinstance(held, tuple) else (held,) * len(target.elts)
            for element, kind in zip(target.elts, listed, strict=True):
                self.bind(element, kind, names)
        else:
            raise Unfit

    def joined(self, kinds: list[Kind]) -> Kind:
        """What may be either of several."""
        first = kinds[0]
        if all(kind == first for kind in kinds):
            return first
        if any(isinstance(kind, tuple) or picks(kind) for kind in kinds):
            raise Unfit
        return SLICE

    def items(self, iterable: ast.expr, names: Names) -> Kind:
        """What a loop over something beside the slice, or over a written tuple, goes through."""
        kind = self.expression(iterable, names)
        if isinstance(kind, tuple) and kind:
            return self.joined(list(kind))
        if touches(kind):
            raise Unfit  # as many iterations as the slice has elements
        return BESIDE

    def expression(self, node: ast.expr, names: Names) -> Kind:
        if isinstance(node, ast.Name):
            return names.get(node.id, BESIDE)
        if isinstance(node, ast.JoinedStr):
            named = (part.id for part in tree.walk(node) if isinstance(part, ast.Name))
            if any(touches(names.get(name, BESIDE)) for name in named):
                raise Unfit
            return BESIDE
        if isinstance(node, (ast.Constant, ast.Lambda)):
            return BESIDE
        if isinstance(node, ast.Call):
            return self.call(node, names)
        if isinstance(node, ast.BinOp):
            return self.combined(node, [node.left, node.right], names)
        if isinstance(node, ast.UnaryOp):
            return self.combined(node, [node.operand], names)
        if isinstance(node, ast.Compare):
            if any(isinstance(op, (ast.In, ast.NotIn)) for op in node.ops):
                raise Unfit
            if any(isinstance(op, (ast.Is, ast.IsNot)) for op in node.ops):
                return BESIDE
            kind = self.combined(node, [node.left, *node.comparators], names)
            return CONDITION if touches(kind) else kind
        if isinstance(node, ast.BoolOp):
            kinds = [self.expression(part, names) for part in node.values]
            return CONDITION if any(map(touches, kinds)) else BESIDE
        if isinstance(node, (ast.Tuple, ast.List)):
            if any(isinstance(element, ast.Starred) for element in node.elts):
                raise Unfit
            return tuple(self.expression(element, names) for element in node.elts)
        if isinstance(node, ast.Subscript):
            return self.item(node, names)
        if isinstance(node, ast.Attribute):
            held = self.whole(node.value, names)
            if not touches(held):
                return BESIDE
            if node.attr in members.SHAPE_ATTRIBUTES:
                return BESIDE  # an axis less than all slices have
            if node.attr in _PARTS:
                return SLICE
            raise Unfit
        if isinstance(node, ast.IfExp):
            if touches(self.data(node.test, names)):
                self.walk.chooses = True
            parts = [self.expression(node.body, names), self.expression(node.orelse, names)]
            return SLICE if self.walk.chooses else self.joined(parts)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and len(node.generators) == 1:
            inner, generator = dict(names), node.generators[0]
            self.bind(generator.target, self.items(generator.iter, names), inner)
            if generator.ifs:
                raise Unfit
            return self.expression(node.elt, inner)
        if isinstance(node, ast.Slice):
            bounds = [b for b in (node.lower, node.upper, node.step) if b is not None]
            if any(touches(self.expression(bound, names)) for bound in bounds):
                raise Unfit  # as long as the data say
            return BESIDE
        raise Unfit

    def data(self, node: ast.expr, names: Names) -> Kind:
        """What an operand is; the slice's number serves to pick the slice, and for nothing else."""
        kind = self.whole(node, names)
        if counts(kind):
            raise Unfit
        return kind

    def whole(self, node: ast.expr, names: Names) -> Kind:
        """What an expression gives, where it is not picked out of the slice."""
        kind = self.expression(node, names)
        if picks(kind):
            raise Unfit
        return kind

    def combined(self, node: ast.AST, operands: list[ast.expr], names: Names) -> Kind:
        kinds = [self.data(operand, names) for operand in operands]
        if not any(map(touches, kinds)):
            return BESIDE
        self.walk.operations.append(RowOperation(symbol(node)))
        return CONDITION if CONDITION in kinds else SLICE

    def item(self, node: ast.Subscript, names: Names) -> Kind:
        whole = self.expression(node.value, names)
        index = self.expression(node.slice, names)
        inner = index if isinstance(index, tuple) else (index,)
        picked = row_picks.of_item(whole, index)
        if picked is not None:
            self.walk.chooses = True
            return picked
        if isinstance(whole, tuple):
            key = node.slice.value if isinstance(node.slice, ast.Constant) else None
            if isinstance(key, int) and -len(whole) <= key < len(whole):
                return whole[key]
            if touches(index):
                raise Unfit
            return self.joined(list(whole)) if whole else BESIDE
        if any(map(counts, inner)):
            return self.slice_at(node, whole)
        if any(map(touches, inner)):
            if _is_mapping(self.walk.analysis, node.value, self.scope):
                raise Unfit
            is_array = touches(whole) or arrays.is_array(self.walk.analysis, node.value, self.scope)
            self.walk.operations.append(RowOperation("[]", may_look_up=not is_array))
            return SLICE
        return whole

    def slice_at(self, node: ast.Subscript, whole: Kind) -> Kind:
        """The slice that has the iteration's number, of what is known to be an array."""
        is_array = isinstance(node.slice, ast.Tuple) or arrays.is_array(
            self.walk.analysis, node.value, self.scope
        )
        if not is_array or counts(whole):
            raise Unfit
        return SLICE

    # Calls

    def call(self, node: ast.Call, names: Names) -> Kind:
        if callgraph.has_unpacked_arguments(node):
            raise Unfit
        analysis, function = self.walk.analysis, node.func
        if isinstance(function, ast.Attribute):
            receiver = self.expression(function.value, names)
            if isinstance(receiver, tuple) and function.attr == "append" and node.args:
                return self.appended(node, function.value, names)
            if touches(receiver) and function.attr in members.SHAPE_METHODS and not picks(receiver):
                return BESIDE  # an axis less than all slices have
            if touches(receiver):
                return self.method(node, function, names)
            if touches(self.root(function, names)):
                return BESIDE  # of its shape
        held = values.evaluate(analysis, function, self.scope)
        fact = callgraph.fact_of(analysis, held)
        if has(fact, Trait.MAPS_ROWS):
            return self.nested(node, fact, names)
        if has(fact, Trait.CHOOSES):
            return self.choice(node, names)
        kinds = [self.expression(argument, names) for argument in tree.arguments(node)]
        targets = callgraph.targets_of(analysis, held)
        if not any(map(touches, kinds)) and not any(map(self.closes_over, targets)):
            return self.beside(node)
        if targets:
            if len(targets) != 1 or len(held) != 1:
                raise Unfit
            bound, by_name = self.walk.preset(held)
            by_name |= {
                keyword.arg: self.expression(keyword.value, names)
                for keyword in node.keywords
                if keyword.arg is not None
            }
            given = [*bound, *kinds[: len(node.args)]]
            outer = names if self.closes_over(targets[0]) else {}
            return self.walk.entered(targets[0], given, by_name, outer, self.depth + 1)
        if fact is None:
            raise Unfit
        is_about_shape = fact.name in _NAMES_ONLY or Trait.TELLS_SHAPE in fact.traits
        if is_about_shape and not any(map(picks, kinds)):
            return BESIDE  # an axis less than all slices have
        return self.operation(node, fact, kinds, 0)

    def root(self, node: ast.expr, names: Names) -> Kind:
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        return names.get(node.id, BESIDE) if isinstance(node, ast.Name) else BESIDE

    def closes_over(self, target: callgraph.Target) -> bool:
        """Whether a function is defined in the one that is walked, or in one around that."""
        scope: Scope | None = self.scope
        parent = target.function.parent
        if parent is None or parent.kind is not ScopeKind.FUNCTION:
            return False
        while scope is not None and scope is not parent:
            scope = scope.parent
        return scope is not None

    def beside(self, node: ast.Call) -> Kind:
        site = self.walk.analysis.module_of(self.scope).scopes.call_sites[id(node)]
        done = effects.of_call(self.walk.analysis, site)
        if done & effects.ONCE or effects.Effect.UNKNOWN in done:
            raise Unfit
        return BESIDE

    def appended(self, node: ast.Call, receiver: ast.expr, names: Names) -> Kind:
        if not isinstance(receiver, ast.Name):
            raise Unfit
        whole = names[receiver.id]
        assert isinstance(whole, tuple)
        names[receiver.id] = (*whole, self.expression(node.args[0], names))
        return BESIDE

    def method(self, node: ast.Call, function: ast.Attribute, names: Names) -> Kind:
        knowledge = self.walk.analysis.knowledge
        found = (knowledge.method(name, function.attr) for name in values.ARRAY_TYPES)
        name = next((name for name in found if name is not None), None)
        fact = knowledge.fact(name) if name is not None else None
        if fact is None:
            raise Unfit
        kinds = [self.expression(argument, names) for argument in tree.arguments(node)]
        self.whole(function.value, names)
        return self.operation(node, fact, kinds, 1)

    def operation(self, node: ast.Call, fact: Fact, kinds: list[Kind], before: int) -> Kind:
        """What a framework's operation gives; `before` counts the data before its arguments."""
        if not fact.traits.isdisjoint(NEVER):
            raise Unfit
        picked = None if before else row_picks.of_operation(last_name(node.func) or "", fact, kinds)
        if picked is not None:
            self.walk.chooses = True
            return picked
        if not takes_batch(fact) or any(map(picks, kinds)):
            raise Unfit
        if any(map(counts, kinds)):
            raise Unfit
        own = [index for index, kind in enumerate(kinds) if touches(kind)]
        limit = fact.data
        if limit is not None and (
            len(own) + before > limit
            or any(index + before >= limit for index in own if index < len(node.args))
        ):
            raise Unfit
        self.walk.note(node.func, fact)
        return SLICE

    def nested(self, node: ast.Call, fact: Fact, names: Names) -> Kind:
        function = callgraph.role_argument(node, fact, ParameterRole.FUNCTION)
        if function is None:
            raise Unfit
        self.walk.is_nested = True
        self.walk.applied(function, self.scope, [SLICE], names, self.depth + 1)
        return SLICE

    def choice(self, node: ast.Call, names: Names) -> Kind:
        if not tree.arguments(node):
            raise Unfit
        condition, *branches = tree.arguments(node)
        if touches(self.data(condition, names)):
            self.walk.chooses = True
        functions = [b for b in branches if self.is_function(b)]
        given = [self.whole(b, names) for b in branches if b not in functions]
        for function in functions:
            self.walk.applied(function, self.scope, given, names, self.depth + 1)
        return SLICE

    def is_function(self, node: ast.expr) -> bool:
        held = values.evaluate(self.walk.analysis, node, self.scope)
        return bool(callgraph.targets_of(self.walk.analysis, held))


def _is_mapping(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether it is a dictionary, or is asked for its keys anywhere in its function."""
    held = values.evaluate(analysis, node, scope)
    if any(isinstance(term, Display) and isinstance(term.node, _DICTIONARIES) for term in held):
        return True
    if not isinstance(node, ast.Name):
        return False
    return any(
        isinstance(part, ast.Attribute)
        and part.attr in ("keys", "items", "get", "setdefault")
        and isinstance(part.value, ast.Name)
        and part.value.id == node.id
        for definition in values.definitions_of(analysis, node, scope)
        for part in tree.walk(definition.scope.node)
    )
