"""What a loop over tiny operations is a case of: lookups, updates, draws, slices, or just eager."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from deepperf.dynamic.diagnosis import Diagnosis, Weight
from deepperf.dynamic.program.loops import is_header, loop_around
from deepperf.dynamic.program.turns import needs_last_turn
from deepperf.dynamic.recording.trace import Observation

TINY = 4096
"""Elements up to which an operation on a CPU is mostly dispatch."""
DRAWN = 64
"""Numbers up to which drawing them, or making an array of them, is mostly dispatch."""
PARTS = 2
"""Elements of what is picked up to which it is a number or a place, and no slice of data."""
LEAST = {"read": 0.0, "update": 0.3, "draw": 0.5, "make": 0.5}
"""Part of a loop's operations that a case takes: in a simulation that draws, the draws are not what
can be done at once. Reading a file takes long, however few operations it is."""
SEVERAL = 3
"""Operations of a turn from which on compiling its body gains more than it takes to call it."""
READS = ("ReadFile", "Decode")
DRAWS = (
    "Random",
    "StatelessRandom",
    "StatefulUniform",
    "StatefulStandardNormal",
    "Multinomial",
    "StatelessMultinomial",
    "TruncatedNormal",
    "StatelessTruncatedNormal",
)
UPDATES = (
    "TensorScatter",
    "Scatter",
    "ResourceScatter",
    "TensorStridedSliceUpdate",
    "StridedSliceAssign",
    "ResourceStridedSliceAssign",
)
LOOKUPS = ("StridedSlice", "Slice", "Gather", "ResourceGather", "Unpack", "Split")
AROUND = (
    "Cast",
    "Pack",
    "ExpandDims",
    "Reshape",
    "Squeeze",
    "ReadVariableOp",
    "Identity",
    "Range",
    "ConcatV2",
    "Fill",
    "Shape",
    "Sub",
    "AddV2",
    "Mul",
    "FloorMod",
    "FloorDiv",
    "Maximum",
)
"""What is done to indices and to what was looked up, and says nothing of what a line is for."""


@dataclass(frozen=True, slots=True)
class Words:
    """How the operations of a framework begin that read, draw, set, pick, or only prepare, and what
    those are called that make arrays of Python's values."""

    reads: tuple[str, ...]
    draws: tuple[str, ...]
    updates: tuple[str, ...]
    lookups: tuple[str, ...]
    around: tuple[str, ...]
    makes: tuple[str, ...] = ()


TENSORFLOW = Words(READS, DRAWS, UPDATES, LOOKUPS, AROUND)


@dataclass(frozen=True, slots=True)
class Loop:
    """The lines of a loop, header included, or of a function that one calls."""

    file: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Case:
    """What is told of a smell."""

    rule: str
    cause: str
    message: str
    remedy: str


SMELLS: Mapping[str, tuple[str, str, str]] = {
    "read": (
        "read-per-item",
        "improper-data-input",
        "files are read and decoded one at a time",
    ),
    "update": ("looped-update", "missed-efficient-api", "elements of {array} are set one by one"),
    "draw": ("looped-draw", "missed-efficient-api", "random numbers are drawn one at a time"),
    "make": ("", "missed-batch-api", "{array} is created for each value separately"),
    "lookup": ("looped-lookup", "missed-efficient-api", "parts of {array} are indexed one by one"),
    "slice": (
        "per-slice-op",
        "missed-batch-api",
        "operations are applied slice by slice in a Python loop",
    ),
    "map": (
        "row-wise-map",
        "missed-batch-api",
        "a function is mapped over {array} row by row",
    ),
    "branch": (
        "looped-branch",
        "missed-efficient-api",
        "a Python loop chooses a formula for each element of {array}",
    ),
    "scalar": ("", "missed-batch-api", "the elements of {array} are read one by one"),
    "eager": (
        "eager-loop",
        "inefficient-api-usage",
        "a loop runs many tiny operations, each dispatched by Python",
    ),
}
"""The static rule for each smell, its cause, and what is said of it."""


def cases(array: str, remedies: Mapping[str, str]) -> Mapping[str, Case]:
    """What is told of each smell that has a remedy, where `array` is what is looped over."""
    return {
        what: Case(*SMELLS[what][:2], SMELLS[what][2].format(array=array), remedy)
        for what, remedy in remedies.items()
    }


CASES = cases(
    "an array",
    {
        "read": "read them in a `tf.data` pipeline: "
        "`map(read, num_parallel_calls=tf.data.AUTOTUNE)`",
        "update": "collect indices and values, and set all of them with one `tf.scatter_nd` or "
        "`tf.tensor_scatter_nd_update`",
        "draw": "draw all of them in one call with their shape, and scale the result by the bounds",
        "lookup": "read all of them with one `tf.gather` or `tf.gather_nd` with all indices",
        "slice": "apply them once to the whole array, with `axis` for the slices",
        "eager": "put the body of the loop, or the whole loop, into a `tf.function`",
    },
)


def loops_of(heard: Sequence[Observation]) -> Iterator[tuple[Loop, list[Observation]]]:
    """The innermost loops and the lines that were heard in each, or in what it calls."""
    found: dict[tuple[str, int, int], list[Observation]] = {}
    for seen in heard:
        file = seen.file
        around = loop_around(file, seen.line)
        for file_of_caller, line, *_ in seen.detail.get("callers", ()):
            if around is None and is_header(file_of_caller, line):
                # What makes the elements of a loop is no part of its turns.
                break
            if around is None:
                file = file_of_caller
                around = loop_around(file, line)
        if around is not None:
            found.setdefault((file, *around), []).append(seen)
    for loop, lines in found.items():
        yield Loop(*loop), sorted(lines, key=lambda seen: (seen.file, seen.line))


@dataclass(frozen=True, slots=True)
class Smell:
    """A case, the lines that show it, and the line of the loop's header where that is the place.

    `beside` are lines that only serve the others, and whose time would be saved with theirs.
    """

    what: str
    lines: tuple[Observation, ...]
    header: int = 0
    beside: tuple[Observation, ...] = ()


def smells(loop: Loop, lines: Sequence[Observation], words: Words = TENSORFLOW) -> Iterator[Smell]:
    """What is wrong with a loop: the most telling thing, at each of its lines or at the first."""
    said = [(seen, _says(seen, words)) for seen in lines]
    heard = sum(seen.detail["heard"] for seen in lines)
    for what, least in LEAST.items():
        telling = [seen for seen, word in said if word == what]
        if telling and sum(seen.detail["heard"] for seen in telling) >= least * heard:
            if what == "read":
                # What is done to each file can be done in the same pipeline.
                rest = [seen for seen in lines if seen not in telling]
                yield Smell(what, (*telling, *rest))
                return
            for seen in telling:
                yield Smell(what, (seen,))
            return
    works = [seen for seen, word in said if word == "work" or word in LEAST]
    looks = any(word == "lookup" for _, word in said) or any(map(_has_slices, works))
    if works and looks and not all(_follows_last_turn(loop, seen) for seen in works):
        own = [seen for seen in works if seen.file == loop.file]
        beside = tuple(seen for seen, word in said if word == "lookup")
        yield Smell("slice", tuple(own or works), beside=beside)
    elif works:
        if _each_turn(works) >= SEVERAL:
            yield Smell("eager", tuple(works), loop.first)
    else:
        for seen, word in said:
            # What a loop goes over is not looked up; taking it whole is for what is in it.
            if word in ("lookup", "element") and not _is_header(seen, loop):
                yield Smell("lookup", (seen,))


def _follows_last_turn(loop: Loop, seen: Observation) -> bool:
    """Whether the line of the loop that runs a line needs what the turn before has made."""
    ways = [(seen.file, seen.line), *((way[0], way[1]) for way in seen.detail.get("callers", ()))]
    within = (at for file, at in ways if file == loop.file and loop.first <= at <= loop.last)
    line = next(within, None)
    return line is not None and needs_last_turn(loop.file, line)


def _each_turn(works: Sequence[Observation]) -> float:
    """About how many operations a turn runs: what is heard least is heard once in each."""
    turns = min(max(seen.detail["kinds"].values()) for seen in works)
    return float(sum(seen.detail["heard"] for seen in works) / turns)


def _says(seen: Observation, words: Words) -> str:
    """What a line does: one of the cases, "element" for scalars that are taken, or "work"."""
    kinds: Mapping[str, int] = seen.detail["kinds"]
    heard = seen.detail["heard"]
    if seen.detail.get("calls", 0) * 5 >= heard:
        # The time of such a line goes to the compiled functions that it calls.
        return ""
    mean = seen.detail["elements"] / heard
    if any(kind.startswith(words.reads) for kind in kinds):
        return "read"
    if any(kind.startswith(words.updates) for kind in kinds):
        return "update"
    if any(kind.startswith(words.draws) for kind in kinds):
        return "draw" if mean <= DRAWN else ""
    if mean > TINY:
        return ""
    # What is made to be joined with something else by each turn is a part of that turn's work.
    made = sum(count for kind, count in kinds.items() if kind in words.makes)
    if made * 4 >= heard * 3:
        return "make" if mean <= DRAWN else ""
    rest = [kind for kind in kinds if not kind.startswith(words.lookups + words.around)]
    looks = sum(count for kind, count in kinds.items() if kind.startswith(words.lookups))
    # What only computes where to look is part of looking.
    if not rest and looks * 2 >= heard - seen.detail.get("indexing", 0):
        if seen.detail["picks"] * 4 < heard:
            return ""
        return "lookup" if _size_of_pick(seen) > PARTS else "element"
    return "work"


def _has_slices(seen: Observation) -> bool:
    return seen.detail["picks"] * 8 >= seen.detail["heard"] and _size_of_pick(seen) > PARTS


def _is_header(seen: Observation, loop: Loop) -> bool:
    return seen.file == loop.file and seen.line == loop.first < loop.last


def _size_of_pick(seen: Observation) -> float:
    picks = seen.detail["picks"]
    return seen.detail["picked"] / picks if picks else 0.0


def diagnosis_of(
    signal: str, loop: Loop, smell: Smell, case: Case, evidence: str, share: float, weight: Weight
) -> Diagnosis:
    """A smell, told at its first line or at the loop's header."""
    first = smell.lines[0]
    return Diagnosis(
        signal=signal,
        cause=case.cause,
        file=loop.file if smell.header else first.file,
        line=smell.header or first.line,
        function=first.function,
        message=case.message,
        evidence=evidence,
        remedy=case.remedy,
        weight=weight,
        share=min(1.0, share),
        rule=case.rule,
        is_general=not case.rule,
    )


def operations_of(smell: Smell) -> str:
    """How many operations were seen, which, and how large they are, in words."""
    kinds: dict[str, int] = {}
    for seen in smell.lines:
        for kind, count in seen.detail["kinds"].items():
            kinds[kind] = kinds.get(kind, 0) + count
    heard = sum(seen.detail["heard"] for seen in smell.lines)
    elements = sum(seen.detail["elements"] for seen in smell.lines)
    most = ", ".join(sorted(kinds, key=lambda kind: (-kinds[kind], kind))[:4])
    return f"{heard:,} operations ({most}), of {elements / heard:,.0f} elements on average"
