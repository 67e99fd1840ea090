"""What the expressions of a function of one element give, on the element and on a batch alike."""

from __future__ import annotations

import ast

from deepperf.knowledge.schema import Fact, ParameterRole, Trait, has
from deepperf.semantics.calls import callgraph, constants, parts
from deepperf.semantics.calls.parts import Beside, Kind, Part, Structure
from deepperf.semantics.data import preparing
from deepperf.semantics.data.batch_walk import Batching, Names, Stop
from deepperf.semantics.data.reworked import Reworked, stays_unsized
from deepperf.semantics.names.scopes import parameters
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import NONE, UNKNOWN, Argument, Value

_REBUILDERS = frozenset(("builtins.dict", "builtins.tuple", "builtins.list"))
_NEVER = (Trait.DECODES, Trait.READS_FILE, Trait.RANDOM, Trait.CALLS_PYTHON, Trait.VIEWS)
_NO_DATA = (ParameterRole.AXIS, ParameterRole.SETTING, ParameterRole.KEEPS_AXES)


class Expressions(Reworked):
    """The expressions of one function of the walk."""

    __slots__ = ()

    def expression(self, node: ast.expr, names: Names) -> Kind:
        if isinstance(node, ast.Constant):
            return Beside(0, node.value)
        if isinstance(node, ast.Name):
            held = names.get(node.id)
            return (
                constants.constant(self.walk.analysis, node, self.scope) if held is None else held
            )
        if isinstance(node, ast.Call):
            return self.call(node, names)
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
            return self.added(node.op, [node.left, node.right], names)
        if isinstance(node, ast.UnaryOp):
            held = self.combined([node.operand], names)
            if isinstance(node.op, ast.Not) and not isinstance(held, Beside):
                raise Stop(Batching.NO)
            return held
        if isinstance(node, ast.Compare):
            if any(isinstance(op, (ast.In, ast.NotIn, ast.Is, ast.IsNot)) for op in node.ops):
                return Beside(0)
            return self.combined([node.left, *node.comparators], names)
        if isinstance(node, ast.BoolOp):
            if all(isinstance(self.expression(part, names), Beside) for part in node.values):
                return Beside(0)
            raise Stop(Batching.NO)
        if isinstance(node, (ast.Tuple, ast.List)):
            return self.sequence(node, names)
        if isinstance(node, ast.Dict):
            return self.dict_display(node, names)
        if isinstance(node, ast.DictComp):
            return self.dict_comprehension(node, names)
        if isinstance(node, (ast.ListComp, ast.GeneratorExp)):
            return self.list_comprehension(node, names)
        if isinstance(node, ast.Subscript):
            return self.item(node, names)
        if isinstance(node, ast.Attribute):
            return self.attribute(node, names)
        if isinstance(node, ast.IfExp):
            if not isinstance(self.expression(node.test, names), Beside):
                raise Stop(Batching.NO)
            first, second = self.expression(node.body, names), self.expression(node.orelse, names)
            return first if first == second else self.merged(first, second, node)
        if isinstance(node, (ast.JoinedStr, ast.Lambda)):
            return Beside(0)
        used = [names[n.id] for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in names]
        if all(isinstance(leaf, Beside) for kind in used for leaf in parts.leaves(kind)):
            return Beside()
        raise Stop(Batching.UNKNOWN)

    def added(self, operator: ast.operator, operands: list[ast.expr], names: Names) -> Kind:
        """What an operator gives: lists are put one behind the other, tensors combined."""
        if isinstance(operator, ast.Add):
            kinds = [self.expression(operand, names) for operand in operands]
            listed = [k for k in kinds if isinstance(k, Structure) and k.keys is None]
            if len(listed) == len(kinds):
                joined = tuple(part for kind in listed for part in kind.parts)
                return Structure(None, joined, any(kind.is_list for kind in listed))
            if listed and all(isinstance(k, Structure) or getattr(k, "columns", 0) for k in kinds):
                whole = self.any_of(Structure(None, self.leaves_of(kinds)))
                return parts.listed(parts.columns_of(whole))
        return self.combined(operands, names)

    def leaves_of(self, kinds: list[Kind]) -> tuple[Kind, ...]:
        """The tensors of lists; of one of unknown length any stands for all."""
        leaves = [leaf for kind in kinds for leaf in parts.leaves(kind)]
        return tuple(self.any_of(p) if isinstance(p, Part) and p.columns else p for p in leaves)

    def combined(self, operands: list[ast.expr], names: Names) -> Kind:
        """What an elementwise operation on these operands gives."""
        kinds = [self.expression(operand, names) for operand in operands]
        own = [kind for kind in kinds if isinstance(kind, Part)]
        ranks = [kind.rank for kind in kinds if isinstance(kind, Beside)]
        known = [rank for rank in ranks if rank is not None]
        if len(ranks) == len(kinds):
            return Beside(max(known) if known and len(known) == len(ranks) else None)
        if any(isinstance(k, Structure) or (isinstance(k, Part) and k.columns) for k in kinds):
            raise Stop(Batching.UNKNOWN)
        axes = parts.common_axes(own)
        if axes is None or len(known) < len(ranks):
            raise Stop(Batching.UNKNOWN)
        result = Part(axes)
        # What has more axes than an element would be laid along the axis of the batch.
        if max(known, default=0) > parts.least_rank(result):
            raise Stop(Batching.UNKNOWN)
        self.walk.works = True
        return result

    def attribute(self, node: ast.Attribute, names: Names) -> Kind:
        root = tree.owner_of(node)
        if isinstance(root, ast.Name) and isinstance(names.get(root.id, Beside()), Beside):
            return constants.constant(self.walk.analysis, node, self.scope)
        if isinstance(self.expression(node.value, names), Beside):
            return Beside()
        if node.attr == "dtype":
            return Beside(0)
        raise Stop(Batching.NO)

    # Calls

    def call(self, node: ast.Call, names: Names) -> Kind:
        if callgraph.has_unpacked_arguments(node):
            raise Stop(Batching.UNKNOWN)
        if (taken := self.taken(node, names)) is not None:
            return taken
        held = values.evaluate(self.walk.analysis, node.func, self.scope)
        if isinstance(node.func, ast.Name) and UNKNOWN in held:
            held = constants.known(self.walk.analysis, node.func, self.scope)
        # Callers that are seen say what a parameter holds; before it is made, it holds None.
        known = [term for term in held if not isinstance(term, Argument) and term != NONE]
        if len(known) < 2 or not self.is_given_parts(node, names):
            return self.called(node, held, names)
        first, *others = (self.called(node, (term,), names) for term in known)
        for other in others:
            first = self.merged(first, other, node)
        return first

    def called(self, node: ast.Call, held: Value, names: Names) -> Kind:
        """What a call gives if `held` is what is called."""
        analysis = self.walk.analysis
        targets = callgraph.targets_of(analysis, held)
        if targets:
            if not self.is_given_parts(node, names):
                return constants.constant(analysis, node, self.scope)
            if len(targets) > 1 or callgraph.partial_of(analysis, held):
                raise Stop(Batching.UNKNOWN)
            return self.run(node, targets[0], names)
        fact = callgraph.fact_of(analysis, held)
        kind: Kind | None = None
        if fact is not None and fact.name in _REBUILDERS and (node.args or node.keywords):
            kind = self.rebuilt(node, names)
        elif has(fact, Trait.JOINS):
            kind = self.joined(node, fact, names)
        elif has(fact, Trait.GATHERS):
            kind = self.gathered(node, names)
        elif has(fact, Trait.SELECTS) and len(tree.arguments(node)) > 2:
            kind = self.combined(tree.arguments(node), names)  # chosen place by place
        if kind is None:
            kind = self.reworked(node, fact, names)
        if kind is not None:
            return kind
        if has(fact, Trait.ELEMENTWISE, Trait.ALONG_AXIS):
            return self.operation(node, fact, names)
        has_parts = self.is_given_parts(node, names)
        if has_parts and preparing.is_elementwise_layer(analysis, held):
            self.walk.works = True
            return Part(f"new@{id(node)}")
        # What counts or remembers does so once for each element.
        if has(fact, Trait.RANDOM, Trait.WRITES_STATE):
            raise Stop(Batching.NO)
        if not has_parts:
            return constants.constant(analysis, node, self.scope)
        if fact is None:
            raise Stop(Batching.UNKNOWN)
        if Trait.PARSES_EXAMPLE in fact.traits:
            self.walk.works = self.walk.parses = True
            return preparing.parsed(analysis, node, self.scope)
        if Trait.PRINTS in fact.traits and Trait.ADDS_NODE not in fact.traits:
            return Beside(0)  # printed once, while the function is traced
        raise Stop(Batching.NO if fact.traits & set(_NEVER) else Batching.UNKNOWN)

    def is_given_parts(self, node: ast.Call, names: Names) -> bool:
        """Whether a call is given anything of the element."""
        kinds = [self.expression(argument, names) for argument in tree.arguments(node)]
        return any(isinstance(leaf, Part) for kind in kinds for leaf in parts.leaves(kind))

    def run(self, node: ast.Call, target: callgraph.Target, names: Names) -> Kind:
        """What a function of the project gives."""
        arguments = callgraph.bound_arguments(node, target)
        given = {name: self.expression(part, names) for name, part in arguments.items()}
        function = target.function.node
        if isinstance(function, (ast.Module, ast.ClassDef)):
            raise Stop(Batching.UNKNOWN)
        if function.args.vararg or function.args.kwarg:
            raise Stop(Batching.UNKNOWN)
        for argument in parameters(function)[: target.shift]:
            given[argument.arg] = Beside()
        return self.walk.enter(self.walk, target.function, given, self.depth + 1)

    def operation(self, node: ast.Call, fact: Fact, names: Names) -> Kind:
        """What an elementwise framework operation gives."""
        settings = [callgraph.role_argument(node, fact, role) for role in _NO_DATA]
        axis = settings[_NO_DATA.index(ParameterRole.AXIS)]
        needs_axis = Trait.ALONG_AXIS in fact.traits
        if needs_axis if axis is None else not parts.counts_from_the_right(axis):
            raise Stop(Batching.NO)
        data = [argument for argument in tree.arguments(node) if argument not in settings]
        result = self.combined(data, names)
        if isinstance(result, Part) and Trait.LISTS_PARTS in fact.traits:
            return Part(f"new@{id(node)}", columns=True, is_list=True)
        if isinstance(result, Part) and axis is not None:
            return result if self.keeps_axes(node, fact) else Part(f"{parts.FEWER}{id(node)}")
        if isinstance(result, Part) and Trait.LISTS_COLUMNS in fact.traits:
            return Part(result.axes, columns=True, is_list=True)
        if isinstance(result, Part) and Trait.MARKS_INDICES in fact.traits:
            return parts.with_axes(result, 1)
        return result

    def joined(self, node: ast.Call, fact: Fact, names: Names) -> Kind | None:
        """What joins tensors along an axis that is counted from the right; None for others.

        What is joined has equally many axes, or is refused by the framework.
        """
        axis = callgraph.role_argument(node, fact, ParameterRole.AXIS)
        if axis is None or not parts.counts_from_the_right(axis) or not node.args:
            return None
        listed = self.expression(node.args[0], names)
        if isinstance(listed, Structure):
            is_plain = all(isinstance(tensor, Part) for tensor in listed.parts)
            if listed.keys is not None or not is_plain:
                return None
        elif not (isinstance(listed, Part) and listed.columns):
            return None
        self.walk.works = True
        tensors = list(listed.parts) if isinstance(listed, Structure) else [self.any_of(listed)]
        axes = parts.common_axes([part for part in tensors if isinstance(part, Part)])
        if axes is None:
            return Part(f"new@{id(node)}")
        return parts.with_axes(Part(axes), 0 if Trait.LENGTHENS in fact.traits else 1)

    def gathered(self, node: ast.Call, names: Names) -> Kind | None:
        """What is looked up in a table beside the data: for a batch of places a batch of rows.

        At places beside the data the same is taken of each element, along one of its last axes.
        """
        if len(node.args) != 2 or any(given.arg != "axis" for given in node.keywords):
            return None
        table, places = (self.expression(argument, names) for argument in node.args)
        axis = tree.argument(node, 3, "axis")
        if isinstance(table, Part) and isinstance(places, Beside):
            is_last = axis is not None and parts.counts_from_the_right(axis)
            if not is_last or table.columns or table.is_parsed:
                return None
            self.walk.works = True
            return Part(f"new@{id(node)}")
        if not isinstance(table, Beside) or not isinstance(places, Part) or places.columns:
            return None
        if axis is not None and not (isinstance(axis, ast.Constant) and axis.value == 0):
            return None
        self.walk.works = True
        return Part(places.axes if table.rank == 1 else f"{id(node)}")

    def merged(self, first: Kind, second: Kind, node: ast.AST) -> Kind:
        """What a name holds that is bound in either of two ways."""
        found = parts.merged(first, second, id(node))
        if found is None or stays_unsized(first) or stays_unsized(second):
            raise Stop(Batching.UNKNOWN)
        return found
