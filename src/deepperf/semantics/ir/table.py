"""The table of a file: its functions as operations in static single assignment form.

Each function, lambda, class body and module is a `Unit`: a list of operations in the order in
which they run, each with the numbers of the operations whose results it takes. A use of a local
variable is the operation that defined it; where several definitions meet there is a `PHI`, and
at the head of a loop a `CYCLE` (value before the loop, value of the iteration before). Regions
say which loops, conditions and `with` blocks an operation stands in. Nothing above this floor
touches `ast`.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec import Struct, field

Span = tuple[int, int, int, int]
"""First line (from 1), column (in UTF-8 bytes from 0), last line, end column (exclusive)."""
UNBOUND = 0
"""The number of the first operation of each unit: a variable that has no value yet."""


class Kind(enum.IntEnum):
    """What an operation does; `data` of `Op` is said in parentheses."""

    UNBOUND = 0
    PARAMETER = 1  # (index) operands: annotation and default, UNBOUND where there is none
    CONSTANT = 2  # (the value)
    NAME = 3  # (name) not bound in this function: a global, a builtin, an enclosing function's
    CALL = 4  # (keyword names) operands: callee, positional arguments, then keywords' values
    ATTRIBUTE = 5  # (name) operand: the object
    ITEM = 6  # operands: object, index
    SLICE = 7  # operands: lower, upper, step, UNBOUND where left out
    BINARY = 8  # (operator) operands: left, right
    UNARY = 9  # (operator)
    COMPARE = 10  # (operators) operands: all that is compared
    LOGIC = 11  # ("and" or "or")
    CHOICE = 12  # operands: test, then, else
    TEST = 13  # operand: what an `if` or `while` or `assert` takes the truth of
    FORMAT = 14  # (its text, as for `str.format`) operands: what an f-string shows
    LIST = 15
    TUPLE = 16
    SET = 17
    DICT = 18  # (keys, as operation numbers, -1 for `**`) operands: values
    COLLECT = 19  # ("list", "set", "dict", "generator") operands: element, or key and value
    ELEMENT = 20  # (the loop's region) operand: what is iterated over
    PART = 21  # (index, or -1 for a starred one) operand: what is unpacked
    PHI = 22
    CYCLE = 23  # (the loop's region) operands: value before the loop, value carried around
    FUNCTION = 24  # (number of its unit) operands: decorators
    CLASS = 25  # (number of its unit) operands: bases, then decorators
    IMPORT = 26  # (dotted name, "." for each level first)
    SET_ATTRIBUTE = 27  # (name) operands: object, value
    SET_ITEM = 28  # operands: object, index, value
    RETURN = 29
    YIELD = 30
    AWAIT = 31  # operand: what is awaited; what `async for` goes over or `async with` enters, too
    DELETE = 32
    RAISE = 33
    ENTER = 34  # operand: a context manager; the value is what `as` gets
    STAR = 35  # an operand of a call or display that is `*operand`; (2 for `**`)
    CAUGHT = 36  # an exception


class Op:
    """One operation. Nothing writes to it once its unit is made."""

    __slots__ = ("args", "data", "kind", "region", "span")

    def __init__(
        self, kind: Kind, args: tuple[int, ...], data: Any, region: int, span: Span
    ) -> None:
        self.kind = kind
        self.args = args
        self.data = data
        self.region = region
        self.span = span


class Block(enum.IntEnum):
    """What a region is the body of."""

    BODY = 0  # of the unit
    FOR = 1  # operation: what is iterated over
    WHILE = 2  # operation: the TEST
    COMPREHENSION = 3  # operation: what is iterated over
    THEN = 4  # operation: the TEST that holds
    ELSE = 5  # operation: the TEST that does not hold
    TRY = 6
    HANDLER = 7
    WITH = 8  # operation: the ENTER


UNBOUND_METHODS = frozenset(("staticmethod", "classmethod"))
"""The decorators of methods that are given no instance."""
LOOPS = frozenset((Block.FOR, Block.WHILE, Block.COMPREHENSION))


class Region(Struct):
    """A block of statements: what kind, inside which other region, governed by what."""

    block: Block
    parent: int
    op: int
    span: Span
    header: Span = (0, 0, 0, 0)
    """Of a loop statement, all of it before the colon."""
    leaves: bool = False
    """Whether it ends in `break`, `return` or `raise` on its every way through."""


class Parameter(NamedTuple):
    """A parameter: its name and how it is passed ("", "*", "**", "keyword")."""

    name: str
    passing: str


class Unit(Struct, eq=False):
    """One function, lambda, class body or module.

    `parent` is the number of the unit that it stands in, -1 for the module. `bindings` has all
    operations that a name is bound to anywhere in the unit.
    """

    path: str
    number: int
    kind: str  # "module", "class", "function", "lambda"
    name: str
    parent: int
    span: Span
    parameters: tuple[Parameter, ...] = ()
    is_async: bool = False
    is_generator: bool = False
    definition: int = UNBOUND  # its FUNCTION or CLASS operation in the parent
    ops: list[Op] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    bindings: dict[str, list[int]] = field(default_factory=dict)
    outer_names: set[str] = field(default_factory=set)
    calls: list[int] = field(default_factory=list)
    returns: list[int] = field(default_factory=list)
    yields: list[int] = field(default_factory=list)
    stars: list[str] = field(default_factory=list)  # modules of which all names are imported
    key: tuple[str, int] = ("", 0)
    """Which unit it is, in the whole project."""
    _uses: dict[int, list[int]] | None = None
    _elements: dict[int, int] | None = None

    def __post_init__(self) -> None:
        self.key = (self.path, self.number)

    def uses(self, op: int) -> list[int]:
        """The operations that take the result of one."""
        if self._uses is None:
            self._uses = {}
            for number, user in enumerate(self.ops):
                for operand in user.args:
                    self._uses.setdefault(operand, []).append(number)
        return self._uses.get(op, [])

    def plain_decorators(self, made: Op) -> frozenset[str]:
        """The names of a function's decorators, of those that are no more than a name."""
        decorators = (self.ops[index] for index in made.args)
        return frozenset(op.data for op in decorators if op.kind is Kind.NAME)

    def element(self, region: int) -> int | None:
        """The operation that gives what an iteration of a loop over something is given."""
        if self._elements is None:
            elements = (n for n, op in enumerate(self.ops) if op.kind is Kind.ELEMENT)
            self._elements = {self.ops[number].data: number for number in elements}
        return self._elements.get(region)

    def around(self, region: int) -> Iterator[int]:
        """A region and all that it lies in, the innermost first."""
        while region >= 0:
            yield region
            region = self.regions[region].parent

    def loops_around(self, op: int) -> tuple[int, ...]:
        """The regions of the loops that an operation stands in, the innermost first."""
        regions = self.regions
        return tuple(
            [
                number
                for number in self.around(self.ops[op].region)
                if regions[number].block in LOOPS
            ]
        )

    def within(self, region: int, outer: int) -> bool:
        """Whether a region is, or lies in, another."""
        regions = self.regions
        while region > outer:  # a region's number is greater than that of what it lies in
            region = regions[region].parent
        return region == outer >= 0


class Table(Struct, eq=False):
    """All units of a file, the module's first, in the order of the text."""

    path: str
    units: list[Unit]
    failures: tuple[tuple[int, int, str], ...] = ()


def has_default(unit: Unit, parameter: int) -> bool:
    """Whether a parameter, by its number, may be left out by callers."""
    made = (op for op in unit.ops if op.kind is Kind.PARAMETER and op.data == parameter)
    return any(op.args[1] != UNBOUND for op in made)
