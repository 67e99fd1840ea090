"""What the expressions of a function of one element give, on the element and on a batch alike."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from deepperf.knowledge.schema import Fact, ParameterRole, Trait, has
from deepperf.semantics.calls import callgraph, parts
from deepperf.semantics.calls.parts import Beside, Kind, Part, Structure
from deepperf.semantics.data.batch_walk import Batching, Names, Stop, Walk
from deepperf.semantics.names.scopes import Scope, parameters
from deepperf.semantics.text import tree
from deepperf.semantics.values import values
from deepperf.semantics.values.terms import Argument

_REBUILDERS = frozenset(("builtins.dict", "builtins.tuple", "builtins.list"))
_COPIERS = frozenset(("builtins.list", "builtins.tuple", "builtins.sorted"))
_TAKERS = frozenset(("pop", "get"))
_NEVER = (Trait.DECODES, Trait.READS_FILE, Trait.RANDOM, Trait.CALLS_PYTHON, Trait.VIEWS)
_NO_DATA = (ParameterRole.AXIS, ParameterRole.SETTING, ParameterRole.KEEPS_AXES)


@dataclass(frozen=True, slots=True)
class Expressions:
    """The expressions of one function of the walk."""

    walk: Walk
    scope: Scope
    depth: int

    def expression(self, node: ast.expr, names: Names) -> Kind:
        if isinstance(node, ast.Constant):
            return Beside(0, node.value)
        if isinstance(node, ast.Name):
            held = names.get(node.id)
            return parts.constant(self.walk.analysis, node, self.scope) if held is None else held
        if isinstance(node, ast.Call):
            return self.call(node, names)
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
            return self.combined([node.left, node.right], names)
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

    def combined(self, operands: list[ast.expr], names: Names) -> Kind:
        """What an elementwise operation on these operands gives."""
        kinds = [self.expression(operand, names) for operand in operands]
        own = {kind.axes for kind in kinds if isinstance(kind, Part)}
        ranks = [kind.rank for kind in kinds if isinstance(kind, Beside)]
        known = [rank for rank in ranks if rank is not None]
        if len(ranks) == len(kinds):
            return Beside(max(known) if len(known) == len(ranks) else None)
        if len(own) != 1 or len(known) < len(ranks) or max(known, default=0) > 1:
            raise Stop(Batching.UNKNOWN)
        if any(isinstance(k, Structure) or (isinstance(k, Part) and k.columns) for k in kinds):
            raise Stop(Batching.UNKNOWN)
        self.walk.works = True
        return Part(own.pop())

    def sequence(self, node: ast.Tuple | ast.List, names: Names) -> Kind:
        if any(isinstance(element, ast.Starred) for element in node.elts):
            raise Stop(Batching.UNKNOWN)
        kinds = tuple(self.expression(element, names) for element in node.elts)
        if kinds and all(isinstance(kind, Beside) for kind in kinds):
            return parts.constant(self.walk.analysis, node, self.scope)
        return Structure(None, kinds)

    def dict_display(self, node: ast.Dict, names: Names) -> Kind:
        if None in node.keys:
            return self.copied(node, [self.expression(part, names) for part in node.values])
        keys: list[str] = []
        for key in node.keys:
            assert key is not None
            held = self.expression(key, names)
            known = isinstance(held, Beside) and isinstance(held.value, str)
            keys.append(str(held.value) if known and isinstance(held, Beside) else parts.SOME_NAME)
        return Structure(tuple(keys), tuple(self.expression(part, names) for part in node.values))

    def copied(self, node: ast.expr, kinds: list[Kind]) -> Kind:
        """A copy of a dict with some entries changed."""
        if not all(isinstance(leaf, Part) for kind in kinds for leaf in parts.leaves(kind)):
            raise Stop(Batching.UNKNOWN)
        return Part(f"{id(node)}")

    def dict_comprehension(self, node: ast.DictComp, names: Names) -> Kind:
        inner = dict(names)
        for generator in node.generators:
            self.bind(generator.target, self.item_of(generator.iter, inner), inner)
            if not all(isinstance(self.expression(c, inner), Beside) for c in generator.ifs):
                raise Stop(Batching.NO)
        return Structure((parts.SOME_NAME,), (self.expression(node.value, inner),))

    def item(self, node: ast.Subscript, names: Names) -> Kind:
        whole = self.expression(node.value, names)
        index = node.slice
        if isinstance(whole, Beside):
            used = [names[name] for name in tree.names_in(index) if name in names]
            if any(isinstance(leaf, Part) for kind in used for leaf in parts.leaves(kind)):
                raise Stop(Batching.NO)  # each element would look up its own
            return parts.constant(self.walk.analysis, node, self.scope)
        if isinstance(whole, Part) and not whole.columns:
            first = index.elts[0] if isinstance(index, ast.Tuple) and index.elts else None
            is_from_right = isinstance(first, ast.Constant) and first.value is ...
            # A parsed tensor is indexed anew anyway: what parses it is rewritten for batches.
            if is_from_right or (whole.is_parsed and self.is_fixed(index, names)):
                rest = index.elts[1:] if isinstance(index, ast.Tuple) and is_from_right else None
                known = rest and parts.indexed(self.walk.analysis, whole, rest, self.scope)
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
            if found is None:
                raise Stop(Batching.UNKNOWN)
            return found
        if whole.columns:
            return Part(whole.axes)
        found = parts.entry(whole, key, index)
        if found is None or (key.value is None and not parts.is_mapping(node.value, self.scope)):
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

    def attribute(self, node: ast.Attribute, names: Names) -> Kind:
        root = tree.owner_of(node)
        if isinstance(root, ast.Name) and isinstance(names.get(root.id, Beside()), Beside):
            return parts.constant(self.walk.analysis, node, self.scope)
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
        analysis = self.walk.analysis
        held = values.evaluate(analysis, node.func, self.scope)
        targets = callgraph.targets_of(analysis, held)
        if targets:
            if not self.is_given_parts(node, names):
                return parts.constant(analysis, node, self.scope)
            # Callers that are seen say what a parameter holds.
            known = [term for term in held if not isinstance(term, Argument)]
            if max(len(targets), len(known)) > 1 or callgraph.partial_of(analysis, held):
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
        if kind is not None:
            return kind
        if has(fact, Trait.ELEMENTWISE, Trait.ALONG_AXIS):
            return self.operation(node, fact, names)
        has_parts = self.is_given_parts(node, names)
        if has_parts and parts.is_elementwise_layer(analysis, held):
            self.walk.works = True
            return Part(f"{id(node)}")
        if has(fact, Trait.RANDOM):
            raise Stop(Batching.NO)
        if not has_parts:
            return parts.constant(analysis, node, self.scope)
        if fact is None:
            raise Stop(Batching.UNKNOWN)
        if Trait.PARSES_EXAMPLE in fact.traits:
            self.walk.works = self.walk.parses = True
            return Part(f"{parts.PARSED}{id(node)}")
        if Trait.PRINTS in fact.traits and Trait.ADDS_NODE not in fact.traits:
            return Beside(0)  # printed once, while the function is traced
        raise Stop(Batching.NO if fact.traits & set(_NEVER) else Batching.UNKNOWN)

    def is_given_parts(self, node: ast.Call, names: Names) -> bool:
        """Whether a call is given anything of the element."""
        kinds = [self.expression(argument, names) for argument in tree.arguments(node)]
        return any(isinstance(leaf, Part) for kind in kinds for leaf in parts.leaves(kind))

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

    def rebuilt(self, call: ast.Call, names: Names) -> Kind | None:
        """What `dict(…)` makes: of a structure, or of names zipped with columns, and entries."""
        if call.keywords:
            kinds = [self.expression(part, names) for part in tree.arguments(call)]
            return self.copied(call, kinds) if call.args else parts.named(call, kinds)
        node = call.args[0]
        if isinstance(node, ast.Call) and len(node.args) == 2:
            zipped = callgraph.external_names(
                values.evaluate(self.walk.analysis, node.func, self.scope)
            )
            if zipped == ("builtins.zip",):
                key, part = (self.expression(argument, names) for argument in node.args)
                if isinstance(key, Beside) and isinstance(part, Part) and part.columns:
                    return Part(part.axes)
        kind = self.expression(node, names)
        return None if isinstance(kind, Beside) else kind

    def run(self, node: ast.Call, target: callgraph.Target, names: Names) -> Kind:
        """What a function of the project gives."""
        arguments = callgraph.bound_arguments(node, target)
        given = {name: self.expression(part, names) for name, part in arguments.items()}
        function = target.function.node
        if isinstance(function, (ast.Module, ast.ClassDef)):
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
        if isinstance(result, Part) and axis is not None:
            return result if self.keeps_axes(node, fact) else Part(f"{id(node)}")
        if isinstance(result, Part) and Trait.LISTS_COLUMNS in fact.traits:
            return Part(result.axes, columns=True)
        return result

    def keeps_axes(self, node: ast.Call, fact: Fact) -> bool:
        """Whether the axes along which an operation goes stay there, one long."""
        kept = callgraph.role_argument(node, fact, ParameterRole.KEEPS_AXES)
        return (
            kept is not None and parts.constant(self.walk.analysis, kept, self.scope).value is True
        )

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
        return Part(f"{id(node)}")

    def gathered(self, node: ast.Call, names: Names) -> Kind | None:
        """What is looked up in a table beside the data: for a batch of places a batch of rows."""
        if len(node.args) != 2 or node.keywords:
            return None
        table, places = (self.expression(argument, names) for argument in node.args)
        if not isinstance(table, Beside) or not isinstance(places, Part) or places.columns:
            return None
        self.walk.works = True
        return Part(places.axes if table.rank == 1 else f"{id(node)}")

    def merged(self, first: Kind, second: Kind, node: ast.AST) -> Kind:
        """What a name holds that is bound in either of two ways."""
        if isinstance(first, Part) and isinstance(second, Part):
            return Part(f"either@{id(node)}")
        if isinstance(first, Beside) and isinstance(second, Beside):
            return Beside(first.rank if first.rank == second.rank else None)
        raise Stop(Batching.UNKNOWN)

    # Names and items

    def item_of(self, iterable: ast.expr, names: Names) -> Kind:
        """What iterating over an expression gives."""
        if isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name):
            function = values.evaluate(self.walk.analysis, iterable.func, self.scope)
            copies = _COPIERS.issuperset(callgraph.external_names(function)) and function
            if copies and len(iterable.args) == 1:
                return self.item_of(iterable.args[0], names)
        if isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Attribute):
            held = self.expression(iterable.func.value, names)
            accessor = iterable.func.attr
            if isinstance(held, Part) and accessor in ("items", "keys", "values"):
                key, part = Beside(0, parts.SOME_NAME), Part(f"{held.axes}.*")
                if accessor == "items":
                    return Structure(None, (key, part))
                return key if accessor == "keys" else part
        if isinstance(self.expression(iterable, names), Beside):
            return parts.element(self.walk.analysis, iterable, self.scope)
        raise Stop(Batching.UNKNOWN)

    def bind(self, target: ast.expr, held: Kind, names: Names) -> None:
        if isinstance(target, ast.Name):
            names[target.id] = held
        elif isinstance(target, (ast.Tuple, ast.List)):
            if isinstance(held, Part) and held.columns:
                held = Structure(None, (Part(held.axes),) * len(target.elts))
            if isinstance(held, Beside):
                names.update(parts.bound(self.walk.analysis, target, self.scope))
                return
            if not isinstance(held, Structure) or len(held.parts) != len(target.elts):
                raise Stop(Batching.UNKNOWN)  # taking a tensor apart goes along its first axis
            for element, part in zip(target.elts, held.parts, strict=True):
                self.bind(element, part, names)
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
        if isinstance(held, Beside) and beside:
            names[name] = Beside()
        elif isinstance(key.value, int) or isinstance(held, Beside):
            raise Stop(Batching.UNKNOWN)
        elif isinstance(whole, Structure) and whole.keys is not None:
            entry = key.value if isinstance(key.value, str) else parts.SOME_NAME
            names[name] = parts.with_item(whole, entry, held)
        elif not isinstance(whole, Part):
            raise Stop(Batching.UNKNOWN)
