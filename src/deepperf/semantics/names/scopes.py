"""The structure of a module: its scopes, and in each the calls, loops and bindings."""

from __future__ import annotations

import ast
import enum
from typing import TypeAlias

from msgspec import Struct, field

from deepperf.semantics.text.tree import Getter, Product, Setter

FunctionNode: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
LoopNode: TypeAlias = (
    ast.For
    | ast.AsyncFor
    | ast.While
    | ast.ListComp
    | ast.SetComp
    | ast.DictComp
    | ast.GeneratorExp
)
ComprehensionNode: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict)
LOOPS = (ast.For, ast.AsyncFor, ast.While, *COMPREHENSIONS)
_LOOP_KINDS = frozenset(LOOPS)


class ScopeKind(enum.Enum):
    MODULE = "module"
    CLASS = "class"
    FUNCTION = "function"


class Branch(enum.Enum):
    """Which part of a compound statement a frame stands for."""

    BODY = "body"
    ELSE = "else"
    HANDLER = "handler"
    FINALLY = "finally"


class Frame(Struct, eq=False):
    """A compound statement, or comprehension, around a piece of code of the same scope.

    Nothing writes to it, as with `CallSite`.
    """

    node: ast.AST
    branch: Branch
    scope: Scope
    is_loop: bool = False

    def __post_init__(self) -> None:
        self.is_loop = self.branch is Branch.BODY and type(self.node) in _LOOP_KINDS

    @property
    def lines(self) -> range:
        """The lines that it spans, from 1."""
        first = int(getattr(self.node, "lineno", 0))
        return range(first, int(getattr(self.node, "end_lineno", None) or first) + 1)


class CallSite(Struct, eq=False):
    """A call expression.

    `frames` are the compound statements around it within its scope, outermost first.
    Nothing writes to it; it isn't frozen because there is one for each call of the program,
    and making a frozen one takes three times as long.
    """

    node: ast.Call
    scope: Scope
    frames: tuple[Frame, ...]
    statement: ast.stmt

    @property
    def loops(self) -> tuple[Frame, ...]:
        """The loops around it within its scope, outermost first."""
        return tuple([frame for frame in self.frames if frame.is_loop]) if self.frames else ()

    @property
    def position(self) -> tuple[int, int]:
        """Its line, from 1, and its column, in bytes from 0."""
        return self.node.lineno, self.node.col_offset


class AttributeWrite(Struct, eq=False):
    """`base.attribute = value`, with the indices that unpack `value` on the way.

    Nothing writes to it, as with `CallSite`.
    """

    base: str
    attribute: str
    value: ast.expr | None
    unpacking: tuple[int, ...]
    scope: Scope
    frames: tuple[Frame, ...]


class Scope(Struct, eq=False):
    """A module, class body, function or lambda. Filled by the walk, read-only afterwards."""

    kind: ScopeKind
    node: ast.Module | ast.ClassDef | FunctionNode
    name: str
    parent: Scope | None
    module_path: str
    frames: tuple[Frame, ...] = ()  # in the parent scope, around the definition
    statement: ast.stmt | None = None  # the parent's statement that holds the definition
    bound: set[str] = field(default_factory=set)  # but for what comprehensions bind
    comprehended: set[str] = field(default_factory=set)  # bound by comprehensions in it
    outer_names: set[str] = field(default_factory=set)  # declared global or nonlocal
    calls: list[CallSite] = field(default_factory=list)
    loops: list[Frame] = field(default_factory=list)
    children: list[Scope] = field(default_factory=list)
    returns: list[ast.expr] = field(default_factory=list)
    yields: list[ast.expr | None] = field(default_factory=list)
    attribute_writes: list[AttributeWrite] = field(default_factory=list)
    item_writes: list[tuple[ast.expr, tuple[Frame, ...]]] = field(default_factory=list)
    star_imports: list[ast.ImportFrom] = field(default_factory=list)
    binds_in_expressions: int = 0  # how many `:=` there are

    @property
    def qualified_name(self) -> str:
        names = [self.name]
        scope = self.parent
        while scope is not None and scope.kind is not ScopeKind.MODULE:
            names.append(scope.name)
            scope = scope.parent
        return ".".join(reversed(names))

    def walk(self) -> list[Scope]:
        """This scope and all within it, in the order of the text."""
        found: list[Scope] = []
        pending = [self]
        while pending:
            scope = pending.pop()
            found.append(scope)
            pending += reversed(scope.children)
        return found


class Scopes(Struct, frozen=True, eq=False):
    """The result of the walk: the module's scope and where each node's scope or frame is."""

    module: Scope
    by_node: dict[int, Scope]  # id of a def, class or lambda -> its scope
    loop_frames: dict[int, Frame]  # id of a loop or comprehension -> its body's frame
    call_sites: dict[int, CallSite]  # id of a call -> its site
    declaring: list[Scope]  # those with a `global` or `nonlocal` statement
    renamed: set[tuple[str, str]]  # (new, old) names that imports and assignments make
    wrapped: set[tuple[str, str]]  # (new, old): `new = call(old)`
    imports: dict[int, ast.Import | ast.ImportFrom]  # id of an alias -> its statement
    # assignments of a list, tuple, set or dict that is written out, and where they stand
    displayed: list[tuple[ast.Assign | ast.AnnAssign, Scope, tuple[Frame, ...]]]
    choosing: set[int]  # ids of the statements with a condition, `and` or `or` in an expression


def last_name(node: ast.expr) -> str | None:
    """`c` of `a.b.c`, `a` of `a`; None for anything else."""
    kind = type(node)
    if kind is ast.Attribute:
        return node.attr  # type: ignore[attr-defined, no-any-return]
    if kind is ast.Name:
        return node.id  # type: ignore[attr-defined, no-any-return]
    return node.attr if isinstance(node, (Getter, Setter, Product)) else None


def parameters(node: FunctionNode) -> list[ast.arg]:
    """All parameters of a function, in the order of the signature."""
    arguments = node.args
    listed = [*arguments.posonlyargs, *arguments.args]
    if arguments.vararg:
        listed.append(arguments.vararg)
    listed.extend(arguments.kwonlyargs)
    if arguments.kwarg:
        listed.append(arguments.kwarg)
    return listed
