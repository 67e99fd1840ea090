"""Reaching definitions: finds which bindings of a name each of its uses may see.

One structured pass per scope, made only for scopes that a question leads to. Loop bodies
are passed over twice: first for their definitions alone, which gives what flows back to
the head of the loop, then with uses recorded. Definitions made in the body do not depend
on what reaches it, so two passes are exact.
"""

from __future__ import annotations

import ast

from msgspec import Struct, field

from deepperf.semantics.names.flow import (
    Binding,
    Definition,
    Definitions,
    Environment,
    Flow,
    join,
)
from deepperf.semantics.names.scopes import (
    COMPREHENSIONS,
    ComprehensionNode,
    FunctionNode,
    Scope,
    ScopeKind,
    Scopes,
    parameters,
)
from deepperf.semantics.text import tree


def find_flow(scope: Scope, scopes: Scopes) -> Flow:
    """The flow of one scope; nested functions and classes are bindings in it."""
    walker = _Walker(scope, scopes)
    environment: Environment = {}
    node = scope.node
    if isinstance(node, ast.Lambda):
        walker.bind_parameters(node, environment)
        walker.expression(node.body, environment)
        end: Environment | None = environment
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        walker.bind_parameters(node, environment)
        end = walker.block(node.body, environment)
    else:
        end = walker.block(node.body, environment)
    ends = [end, *walker.returns] if scope.kind is ScopeKind.FUNCTION else [end]
    last = join(ends) or join(walker.stops) or {}
    everything: dict[str, list[Definition]] = {}
    for definition in walker.made.values():
        everything.setdefault(definition.name, []).append(definition)
    return Flow(walker.uses, last, everything)


class _Jumps(Struct):
    """The environments that leave a loop by `break` and `continue`."""

    breaks: list[Environment] = field(default_factory=list)
    continues: list[Environment] = field(default_factory=list)


class _Walker:
    """The state of one pass over one scope."""

    def __init__(self, scope: Scope, scopes: Scopes) -> None:
        self.scope = scope
        self.scopes = scopes
        self.uses: dict[int, Definitions] = {}
        self.made: dict[tuple[int, str], Definition] = {}
        self.returns: list[Environment] = []
        self.stops: list[Environment] = []  # where it raises, or turns for ever
        self.jumps: list[_Jumps] = []
        self.loops: tuple[int, ...] = ()
        self.recording = True

    # Bindings

    def bind(
        self,
        name: str,
        binding: Binding,
        node: ast.AST,
        environment: Environment,
        value: ast.expr | None = None,
        unpacking: tuple[int, ...] = (),
    ) -> None:
        if name in self.scope.outer_names:
            environment = {}
        key = (id(node), name)
        definition = self.made.get(key)
        if definition is None:
            definition = Definition(name, binding, node, value, unpacking, self.scope, self.loops)
            self.made[key] = definition
        environment[name] = (definition,)

    def bind_parameters(self, node: FunctionNode, environment: Environment) -> None:
        for argument in parameters(node):
            self.bind(argument.arg, Binding.PARAMETER, argument, environment)

    def bind_target(
        self,
        target: ast.expr,
        binding: Binding,
        value: ast.expr | None,
        environment: Environment,
        unpacking: tuple[int, ...] = (),
    ) -> None:
        if isinstance(target, ast.Name):
            self.bind(target.id, binding, target, environment, value, unpacking)
        elif isinstance(target, (ast.Tuple, ast.List)):
            starred = False
            for index, element in enumerate(target.elts):
                if isinstance(element, ast.Starred):
                    starred = True
                    self.bind_target(element.value, Binding.OTHER, None, environment)
                elif starred:
                    self.bind_target(element, Binding.OTHER, None, environment)
                else:
                    self.bind_target(element, binding, value, environment, (*unpacking, index))
        elif isinstance(target, ast.Starred):
            self.bind_target(target.value, Binding.OTHER, None, environment)
        else:
            self.expression(target, environment)

    # Expressions

    def expression(self, root: ast.expr, environment: Environment) -> None:
        if not self.recording:
            # Only bindings matter in this pass, and only `:=` makes them in expressions.
            if not self.scope.binds_in_expressions:
                return
            for node in tree.walk(root):
                if type(node) is ast.NamedExpr:
                    self.bind_target(node.target, Binding.ASSIGNED, node.value, environment)
            return
        # The commonest kinds come first, and are taken apart here: most of a flow's time is spent
        # on them. What is pushed last is evaluated first, as it is in the program.
        stack: list[ast.AST] = [root]
        uses = self.uses
        while stack:
            node = stack.pop()
            kind = type(node)
            while kind is ast.Attribute:
                node = node.value  # type: ignore[attr-defined]
                kind = type(node)
            if kind is ast.Name:
                found = environment.get(node.id)  # type: ignore[attr-defined]
                if found is not None:
                    uses[id(node)] = found
            elif kind is ast.Constant:
                continue
            elif kind is ast.Call:
                if node.keywords:  # type: ignore[attr-defined]
                    stack += [keyword.value for keyword in reversed(node.keywords)]  # type: ignore[attr-defined]
                stack += reversed(node.args)  # type: ignore[attr-defined]
                stack.append(node.func)  # type: ignore[attr-defined]
            elif kind is ast.Subscript:
                stack += (node.slice, node.value)  # type: ignore[attr-defined]
            elif kind is ast.BinOp:
                stack += (node.right, node.left)  # type: ignore[attr-defined]
            elif kind is ast.Tuple or kind is ast.List:
                stack += reversed(node.elts)  # type: ignore[attr-defined]
            elif kind is ast.Lambda:
                arguments = node.args  # type: ignore[attr-defined]
                stack += arguments.defaults
                stack += [default for default in arguments.kw_defaults if default is not None]
            elif kind in _COMPREHENSION_KINDS:
                self.comprehension(node, environment)  # type: ignore[arg-type]
            elif kind is ast.NamedExpr:
                self.expression(node.value, environment)  # type: ignore[attr-defined]
                self.bind_target(
                    node.target,  # type: ignore[attr-defined]
                    Binding.ASSIGNED,
                    node.value,  # type: ignore[attr-defined]
                    environment,
                )
            else:
                stack += reversed(tree.children(node))

    def comprehension(self, node: ComprehensionNode, environment: Environment) -> None:
        inner = dict(environment)
        outer_loops = self.loops
        for index, generator in enumerate(node.generators):
            self.expression(generator.iter, environment if index == 0 else inner)
            self.loops = (*outer_loops, id(node))
            self.bind_target(generator.target, Binding.ITERATED, generator.iter, inner)
            for condition in generator.ifs:
                self.expression(condition, inner)
        parts = (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,)
        for part in parts:
            self.expression(part, inner)
        self.loops = outer_loops

    # Statements: each takes the environment before and gives the one after, None if the
    # end is not reached.

    def block(
        self, statements: list[ast.stmt], environment: Environment | None
    ) -> Environment | None:
        for statement in statements:
            if environment is None:
                # Unreachable code is still analysed: it may be reached by what we don't see.
                environment = {}
                self.statement(statement, environment)
                environment = None
                continue
            environment = self.statement(statement, environment)
        return environment

    def statement(self, node: ast.stmt, environment: Environment) -> Environment | None:
        if isinstance(node, ast.Expr):
            self.expression(node.value, environment)
        elif isinstance(node, ast.Assign):
            self.expression(node.value, environment)
            for target in node.targets:
                self.bind_target(target, Binding.ASSIGNED, node.value, environment)
        elif isinstance(node, ast.AugAssign):
            self.expression(node.value, environment)
            if isinstance(node.target, ast.Name):
                if self.recording:
                    before = environment.get(node.target.id)
                    if before is not None:
                        self.uses[id(node)] = before
                        self.uses[id(node.target)] = before
                self.bind(node.target.id, Binding.AUGMENTED, node, environment, node.value)
            else:
                self.expression(node.target, environment)
        elif isinstance(node, ast.AnnAssign):
            self.expression(node.annotation, environment)
            if node.value is not None:
                self.expression(node.value, environment)
                self.bind_target(node.target, Binding.ASSIGNED, node.value, environment)
        elif isinstance(node, ast.If):
            return self.branch(node, environment)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self.expression(node.iter, environment)
            return self.loop(node, environment)
        elif isinstance(node, ast.While):
            return self.loop(node, environment)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                self.expression(item.context_expr, environment)
                if item.optional_vars is not None:
                    self.bind_target(
                        item.optional_vars, Binding.ENTERED, item.context_expr, environment
                    )
            return self.block(node.body, environment)
        elif isinstance(node, ast.Try) or type(node).__name__ == "TryStar":
            return self.attempt(node, environment)  # type: ignore[arg-type]
        elif isinstance(node, ast.Return):
            if node.value is not None:
                self.expression(node.value, environment)
            self.returns.append(environment)
            return None
        elif isinstance(node, ast.Raise):
            for part in (node.exc, node.cause):
                if part is not None:
                    self.expression(part, environment)
            self.stops.append(environment)
            return None
        elif isinstance(node, ast.Break):
            if self.jumps:
                self.jumps[-1].breaks.append(environment)
            return None
        elif isinstance(node, ast.Continue):
            if self.jumps:
                self.jumps[-1].continues.append(environment)
            return None
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.definition_header(node, environment)
            self.bind(node.name, Binding.FUNCTION, node, environment)
        elif isinstance(node, ast.ClassDef):
            for part in (*node.decorator_list, *node.bases, *(k.value for k in node.keywords)):
                self.expression(part, environment)
            self.bind(node.name, Binding.CLASS, node, environment)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self.imports(node, environment)
        elif isinstance(node, ast.Match):
            return self.match(node, environment)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                self.bind_target(target, Binding.OTHER, None, environment)
        elif isinstance(node, ast.Assert):
            self.expression(node.test, environment)
            if node.msg is not None:
                self.expression(node.msg, environment)
        return environment

    def definition_header(
        self, node: ast.FunctionDef | ast.AsyncFunctionDef, environment: Environment
    ) -> None:
        for decorator in node.decorator_list:
            self.expression(decorator, environment)
        annotations = (argument.annotation for argument in parameters(node))
        for part in (*node.args.defaults, *node.args.kw_defaults, *annotations, node.returns):
            if part is not None:
                self.expression(part, environment)

    def imports(self, node: ast.Import | ast.ImportFrom, environment: Environment) -> None:
        for alias in node.names:
            if alias.name == "*":
                continue
            if alias.asname:
                name = alias.asname
            elif isinstance(node, ast.Import):
                name = alias.name.partition(".")[0]
            else:
                name = alias.name
            self.bind(name, Binding.IMPORTED, alias, environment)

    def branch(self, node: ast.If, environment: Environment) -> Environment | None:
        self.expression(node.test, environment)
        body = self.block(node.body, dict(environment))
        other = self.block(node.orelse, dict(environment)) if node.orelse else environment
        return join([body, other])

    def match(self, node: ast.Match, environment: Environment) -> Environment | None:
        self.expression(node.subject, environment)
        ends: list[Environment | None] = [environment]
        for case in node.cases:
            inner = dict(environment)
            for pattern in tree.walk(case.pattern):
                name = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
                if isinstance(name, str):
                    self.bind(name, Binding.OTHER, pattern, inner)
            if case.guard is not None:
                self.expression(case.guard, inner)
            ends.append(self.block(case.body, inner))
        return join(ends)

    def attempt(self, node: ast.Try, environment: Environment) -> Environment | None:
        may_raise: list[Environment | None] = [dict(environment)]
        current: Environment | None = dict(environment)
        for statement in node.body:
            current = self.block([statement], current)
            may_raise.append(dict(current) if current is not None else None)
        raised = join(may_raise) or {}
        if node.orelse:
            current = self.block(node.orelse, current)
        ends = [current]
        for handler in node.handlers:
            inner = dict(raised)
            if handler.type is not None:
                self.expression(handler.type, inner)
            if handler.name:
                self.bind(handler.name, Binding.OTHER, handler, inner)
            ends.append(self.block(handler.body, inner))
        after = join(ends)
        if node.finalbody:
            entered = join([after, raised]) if after is None else after
            ended = self.block(node.finalbody, dict(entered or {}))
            return ended if after is not None else None
        return after

    def loop(
        self, node: ast.For | ast.AsyncFor | ast.While, environment: Environment
    ) -> Environment | None:
        outer_loops = self.loops
        self.loops = (*outer_loops, id(node))
        recording, self.recording = self.recording, False
        back = self.turn(node, dict(environment))
        self.recording = recording
        head = join([environment, back[0]]) or {}
        if recording:
            after, breaks = self.turn(node, dict(head))
            head = join([head, after]) or {}
        else:
            breaks = back[1]
        self.loops = outer_loops
        endless = (
            isinstance(node, ast.While)
            and isinstance(node.test, ast.Constant)
            and bool(node.test.value)
        )
        ended: Environment | None = None if endless else dict(head)
        if endless:
            self.stops.append(head)
        if node.orelse and ended is not None:
            ended = self.block(node.orelse, ended)
        return join([ended, *breaks])

    def turn(
        self, node: ast.For | ast.AsyncFor | ast.While, environment: Environment
    ) -> tuple[Environment | None, list[Environment]]:
        """One pass over a loop's body: what flows back to its head, and what breaks out."""
        if isinstance(node, ast.While):
            self.expression(node.test, environment)
        else:
            self.bind_target(node.target, Binding.ITERATED, node.iter, environment)
        self.jumps.append(_Jumps())
        end = self.block(node.body, environment)
        jumps = self.jumps.pop()
        return join([end, *jumps.continues]), jumps.breaks


_COMPREHENSION_KINDS = frozenset(COMPREHENSIONS)
