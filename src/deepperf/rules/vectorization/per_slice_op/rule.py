"""An operation that takes a whole batch is applied slice by slice in a Python loop."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level, Role
from deepperf.rules.rule import Rule, each_loop, on_file
from deepperf.rules.vectorization.per_slice_op.mapped import axes_of
from deepperf.semantics.query import Loop as CallingLoop
from deepperf.semantics.view import Call, FileView, Loop, LoopOver, Taken

rule = Rule(
    module=__name__,
    cause="missed-batch-api",
    symptoms=("slow-execution",),
    stage="training",
    level=Level.NOTE,
    frameworks=("tensorflow", "torch", "jax", "numpy"),
)
WANTED = frozenset((Trait.BATCHED, Trait.ELEMENTWISE))
BESIDE = frozenset((Trait.CREATES_ARRAY, Trait.VIEWS, Trait.CASTS, Trait.RANDOM, Trait.CHOOSES))
BESIDE |= frozenset((Trait.ARRANGES, Trait.JOINS, Trait.GATHERS, Trait.SCATTERS))
OWN = (Taken.SLICE, Taken.COUNTER)  # a slice, or what picks one inside
SEVERAL = 3  # operations of a function that are worth a word, though each is elementwise
ELEMENTWISE = "{op} is elementwise: call it once on the whole array"


@on_file
def check(file: FileView) -> Iterator[Finding]:
    if file.role is Role.TEST:  # what it does slice by slice is what it compares with
        return
    found: dict[Loop, Call] = {}
    for call in file.kept_calls(WANTED):
        loop = _loop(call, (Taken.SLICE,))
        if (
            loop is not None
            and _is_before(call, found.get(loop))
            and call.taken_in(loop) is Taken.SLICE
            and not (call.runs_natively or call.is_given_numbers_in(loop) or _outgrows(call, loop))
        ):
            found[loop] = call
    yield from _of_functions(file, found)
    for loop, call in found.items():
        # Nodes made in a loop that runs a session, and choices, are other smells.
        if not (loop.runs_session or loop.only_chooses):
            yield rule.finding(call, _message(call, loop), _remedy(call, loop))


@each_loop
def check_compiled(loop: CallingLoop) -> Iterator[Finding]:
    """JAX makes of a function for one row one for all rows, whatever it does with the row."""
    if loop.file.role is Role.TEST or loop.function.is_traced:
        return
    for call in loop.calls():
        axes = axes_of(call, loop) if call.compiler == "jax" else ""
        if axes:
            yield rule.finding(
                call,
                f"`{call.name}`, which is compiled, is called for one row at a time in"
                f" `{loop.header}`",
                f"map it over all rows: `jax.vmap({call.name}, in_axes={axes})`, in blocks where"
                " memory is short",
                framework="jax",
                estimate=0.05,
            )


def _of_functions(file: FileView, found: dict[Loop, Call]) -> Iterator[Finding]:
    """Calls of functions of the file that do to each slice what could be done to all."""
    for call in file.kept_calls_of_own(WANTED):
        loop = _loop(call, OWN)
        if loop is None or loop in found or call.taken_in(loop) not in OWN:
            continue
        work = call.row_work_in(loop)
        # A function with loops of its own does much at a time, perhaps in blocks on purpose.
        if work is None or work.has_loops or work.may_look_up:
            continue
        facts = [operation.fact for operation in work.operations if operation.fact is not None]
        wanted = [f for f in facts if Trait.BATCHED in f.traits and not f.traits & BESIDE]
        if not wanted and len(work.operations) >= SEVERAL:
            wanted = [f for f in facts if Trait.ELEMENTWISE in f.traits]
        if wanted:
            yield rule.finding(
                call,
                _message(call, loop) + ", although its operations accept all slices at once",
                f"call it once, with its operations on whole arrays: {'; '.join(work.forms[:2])}",
                framework=wanted[0].framework,
            )


def _loop(call: Call, wanted: tuple[Taken, ...]) -> Loop | None:
    """The nearest loop of more than a few iterations that keeps what it gives.

    None where none of the loops that do gives it what is wanted.
    """
    keeping = [loop for loop in reversed(call.loops) if call.is_kept_by(loop)]
    if not keeping or (call.fact is not None and call.fact.traits & BESIDE):
        return None
    # How often loops turn may rest on what all callers pass: it is asked last.
    if not any(call.taken_in(loop) in wanted for loop in keeping):
        return None
    for loop in keeping:
        if not (loop.is_tiny or loop.is_tiny_by_default):
            return None if loop.over is LoopOver.BATCHES else loop
    return None


def _outgrows(call: Call, loop: Loop) -> bool:
    """Whether the other form would make a temporary of each iteration's whole array."""
    fact = call.fact
    has_pairs = fact is not None and bool(fact.pairs_form) and call.compares_pairs(loop)
    return not has_pairs and call.outgrows(loop)


def _is_before(call: Call, other: Call | None) -> bool:
    """Whether it is to be named rather: what takes work goes before what is elementwise."""
    return other is None or _rank(call) < _rank(other)


def _rank(call: Call) -> tuple[bool, int]:
    return not call.has(Trait.BATCHED), call.span[1]


def _message(call: Call, loop: Loop) -> str:
    return f"`{call.called}` is applied to one slice at a time in `{loop.header}`"


def _remedy(call: Call, loop: Loop) -> str:
    fact = call.fact
    assert fact is not None
    pairs = fact.pairs_form if fact.pairs_form and call.compares_pairs(loop) else None
    form = pairs or fact.batched_form or ELEMENTWISE
    return form.format(op=f"`{call.called}`")
