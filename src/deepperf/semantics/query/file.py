"""A file, as rules see it."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.knowledge.words import AUGMENTING_WORDS
from deepperf.records import Location, Role
from deepperf.semantics import bridge
from deepperf.semantics.compiled.reach import is_anything_compiled
from deepperf.semantics.device.accelerator import uses_accelerator
from deepperf.semantics.program.answers import Ground
from deepperf.semantics.program.program import Program, program_of
from deepperf.semantics.query.call import Call
from deepperf.semantics.query.function import Function
from deepperf.semantics.query.loop import Loop
from deepperf.semantics.summaries.imported import is_imported
from deepperf.semantics.summaries.self_tests import is_self_test
from deepperf.semantics.summaries.traits import calls_in_file

_FRAMEWORKS = ("lightning", "transformers", "torch", "jax", "tensorflow", "keras", "numpy")


def file_of(project: bridge.Project, path: str) -> File:
    """A file of a project."""
    program = program_of(project)
    program.answers.ask_for(path)
    return File(program, path)


class File:
    """One file of a project."""

    __slots__ = ("_functions", "_looped", "_loops", "path", "program")

    def __init__(self, program: Program, path: str) -> None:
        self.program = program
        self.path = path
        self._functions: list[Function] | None = None  # each rule asks for them
        self._loops: list[Loop] | None = None
        self._looped: list[tuple[Call, Loop]] | None = None

    def forget(self) -> None:
        """Give up what was listed, which holds the file itself."""
        self._functions = self._loops = self._looped = None

    @property
    def file(self) -> File:
        return self

    @property
    def role(self) -> Role:
        return bridge.role(self.program.project, self.path)

    @property
    def location(self) -> Location:
        return Location(self.path, 1, 1, 1, 1)

    @property
    def source_line(self) -> str:
        return bridge.line(self.program.project, self.path, 1)

    @property
    def text(self) -> str:
        """All of its text."""
        return bridge.text(self.program.project, self.path)

    @property
    def framework(self) -> str:
        """The framework whose name stands in the file."""
        for name in _FRAMEWORKS:
            if self.path in bridge.naming(self.program.project, name):
                return {"lightning": "torch"}.get(name, name)
        return ""

    def function_at(self, line: int) -> Function:
        """The innermost function, class body or module in whose text a line stands."""
        around = (u for u in self.program.table(self.path).units if u.span[0] <= line <= u.span[2])
        inner = max(around, key=lambda unit: unit.number, default=None)
        return Function(self.program, (self.path, inner.number if inner is not None else 0))

    @property
    def is_imported(self) -> bool:
        """Whether another file of the project, other than a test, imports it."""
        return is_imported(self.program, self.path)

    def is_self_test(self, line: int) -> bool:
        """Whether a line runs only where this file, which others import, is tried out."""
        return is_self_test(self.program, self.function_at(line).place[:2], line)

    def loop_at(self, location: Location) -> Loop | None:
        """The loop whose header, or comprehension, begins at a place."""
        at = location.line, location.column
        starts = ((loop, loop.location) for loop in self.loops())
        return next((loop for loop, start in starts if (start.line, start.column) == at), None)

    def call_at(self, span: tuple[int, int]) -> Call | None:
        """The call that stands between two offsets in the text, in characters."""
        return next((call for call in self.calls() if call.span == span), None)

    def mentions(self, word: str) -> bool:
        """Whether a word stands in its text."""
        return self.path in bridge.naming(self.program.project, word)

    @property
    def is_in_compiling_project(self) -> bool:
        """Whether a function of its project is seen to be compiled."""
        return is_anything_compiled(self.program)

    def mentions_any(self, *traits: Trait) -> bool:
        """Whether the name of something with one of some traits stands in its text."""
        names = self.program.knowledge.trigger_names(traits)
        return any(self.mentions(name) for name in sorted(names))

    @property
    def project_augments(self) -> bool:
        """Whether any file of its project shows that samples are changed at random."""
        names = self.program.knowledge.trigger_names((Trait.AUGMENTS,))
        return any(self.project_mentions(word) for word in (*AUGMENTING_WORDS, *sorted(names)))

    def project_mentions(self, word: str) -> bool:
        """Whether a word stands in any file of its project."""
        return bool(self.program.naming(word))

    @property
    def uses_accelerator(self) -> bool:
        """Whether its project moves anything to an accelerator."""
        return uses_accelerator(self.program)

    def admits(self, framework: str, since: str = "", until: str = "") -> bool:
        """Whether the newest version of a framework that its project admits is in a range."""
        return bridge.admits(self.program.project, self.path, framework, since, until)

    def rests_on(self, kind: Ground) -> frozenset[str]:
        """The files, or words anywhere in the project, that the answers so far rest on."""
        return self.program.answers.rests_on(self.path, kind)

    @property
    def followed_in_part(self) -> Function | None:
        """The first function of which some answer ran into a bound, and may be incomplete."""
        program = self.program
        bounded = (*program.answers.bounded, *program.symbolic.answers.bounded)
        numbers = [key[1] for key in bounded if len(key) > 1 and key[0] == self.path]
        first = min((n for n in numbers if isinstance(n, int)), default=None)
        return None if first is None else Function(program, (self.path, first))

    def functions(self) -> Iterator[Function]:
        """Its module, classes, functions and lambdas, in the order of the text."""
        if self._functions is None:
            units = self.program.table(self.path).units
            self._functions = [Function(self.program, unit.key, self) for unit in units]
        yield from self._functions

    def calls(self, *traits: Trait) -> Iterator[Call]:
        """All calls that have one of some traits by themselves; all for none."""
        if traits:
            for place in calls_in_file(self.program, self.path, traits):
                yield Call(self.program, place)
            return
        for function in self.functions():
            yield from function.calls()

    def looped_calls(self) -> Iterator[tuple[Call, Loop]]:
        """The calls that stand in a loop, in their function, which may have more than a handful
        of iterations, and the innermost such loop.
        """
        if self._looped is None:
            found = ((call, call.long_loop) for call in self.calls())
            self._looped = [(call, loop) for call, loop in found if loop is not None]
        yield from self._looped

    def loops(self) -> Iterator[Loop]:
        """All loops and comprehensions."""
        if self._loops is None:
            self._loops = [loop for function in self.functions() for loop in function.loops()]
        yield from self._loops
