"""Whether what the turns of loops cost in all would be felt, as far as the text tells.

How many turns there are, how often the function around them is run, and what is done beside them
decide that. What goes through a framework's dispatch takes some ten microseconds a turn, and is
felt in each call of a function that training or serving calls again and again; an operation of
NumPy takes some microseconds; what NumPy or Python does to one number takes a fraction of one: a
thousand of them are over in less than a millisecond, so that only rows of rows are felt.
"""

from __future__ import annotations

import ast
import enum
import itertools

from deepperf.knowledge import members
from deepperf.knowledge.schema import Trait
from deepperf.semantics.calls import callers, callgraph, hooks, reach
from deepperf.semantics.execution import contexts
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops import loops, pace
from deepperf.semantics.loops.loops import LoopOver
from deepperf.semantics.loops.pace import Pace
from deepperf.semantics.names.flow import Binding
from deepperf.semantics.names.scopes import CallSite, Frame, Scope, ScopeKind, last_name
from deepperf.semantics.sizes import dimensions, rows
from deepperf.semantics.text import tree
from deepperf.semantics.values import arrays, elements, values
from deepperf.semantics.vectorization import answers

THOUSAND = 1000
_FARTHEST = 3
"""Callers of callers up to which it is asked whether they are run again and again."""
_STEPS = frozenset((Trait.STEPS_TRAINING, Trait.RUNS_SESSION, Trait.PREDICTS, Trait.EVALUATES))
_NAMED_STEPS = frozenset((Trait.STEPS_TRAINING, Trait.PREDICTS, Trait.EVALUATES))
_ONCE = frozenset(
    ("__init__", "__post_init__", "build", "reset_parameters", "set_timesteps", "setup")
)
"""Methods that make an object ready; a scheduler of noise gets its steps before each sampling."""
_FOR_EACH = frozenset(("__call__", "__getitem__", "__next__", "forward"))
_OF_AXES = frozenset(("axes", "degree", "lmax", "ndim", "ndims", "order", "rank"))
_FEW = ("ens_size", "ensemble_size", "spatial_dim", "spatial_dims", "top_k", "topk")
"""Words that end the names of what counts axes, powers, or the best of many."""
_AT_HAND = ("devices", "device_count", "gpus", "players", "speakers", "spk", "spks")
"""Words that end the names of what counts things of which there is room for few."""

_OF_MANY = frozenset("customer document item patient product query session user".split())  # noqa: SIM905
"""What columns are named for, with or without `_id`, that tell many things apart."""
_MEANT = frozenset(("bruteforce", "loops", "naive", "slow"))
_COUNTING = frozenset(("for", "one", "single", "three", "two", "with"))


class Turns(enum.IntEnum):
    """About how many turns a loop has."""

    FEW = 0  # up to ten, or as many as there are axes, layers, classes
    SOME = 1  # tens, as far as anybody can tell
    MANY = 2  # thousands: the rows of an array
    EVERY = 3  # as many as an array that was laid flat has numbers


class Cost(enum.Enum):
    """About how long a turn takes for what another form would do for all turns at once."""

    SLIGHT = "slight"  # one number, by NumPy or Python
    ARRAY = "array"  # a row or more, by NumPy
    DISPATCHED = "dispatched"  # by a framework


def is_felt(analysis: Analysis, loop: Frame, cost: Cost) -> bool:
    """Whether all turns of a loop, and of those around it, cost what would be felt."""
    around = standing_around(loop)
    counts = [turns(analysis, one) for one in around]
    total = sum(counts)
    scope = loop.scope
    if total == Turns.FEW or is_meant_to_loop(scope):
        return False
    gone_over = loops.gone_over(analysis, loop)
    # Asking a model takes far longer than looking once at what it said.
    is_answer = any(answers.comes_from_model(analysis, part, scope) for part in gone_over)
    if cost is Cost.DISPATCHED:
        if total <= Turns.MANY and is_setup(analysis, scope):
            return False
        return (total >= Turns.MANY and not is_answer) or runs_often(analysis, scope)
    if is_answer or is_setup(analysis, scope):
        return False
    if total < Turns.MANY or _steps_beside(analysis, around) or _is_dwarfed(analysis, loop, total):
        return False
    # The rows of what each step is given are those of a batch.
    is_of_batch = total == Turns.MANY and max(counts) is Turns.MANY
    return cost is Cost.ARRAY or not (is_of_batch and runs_each_step(analysis, scope))


def is_meant_to_loop(function: Scope) -> bool:
    """Whether a function says by its name that it is the slow form, to be compared with another.

    `distances_two_loops` and `loss_naive` do; `train_loop` does not.
    """
    words = function.name.lower().split("_")
    if not _MEANT.isdisjoint(words):
        return True
    return any(word == "loop" and before in _COUNTING for before, word in itertools.pairwise(words))


def _is_dwarfed(analysis: Analysis, loop: Frame, total: int) -> bool:
    """Whether loops beside it, within those that it stands in, turn far more often."""
    outer = standing_around(loop)[:-1]
    return any(
        sum(turns(analysis, one) for one in standing_around(other)) > total
        for other in loop.scope.loops
        if other is not loop and isinstance(other.node, (ast.For, ast.While))
        for around in (standing_around(other)[:-1],)
        if len(around) > len(outer) and around[: len(outer)] == outer and loop not in around
    )


def is_dwarfed_within(analysis: Analysis, loop: Frame) -> bool:
    """Whether a loop within it does, in each of its turns, far more than the rest of the turn."""
    return any(
        isinstance(inner.node, (ast.For, ast.While)) and turns(analysis, inner) > Turns.FEW
        for inner in loops.loops_within(loop)
        if inner is not loop
    )


def is_setup(analysis: Analysis, function: Scope, steps: int = _FARTHEST) -> bool:
    """Whether a function is run where objects are made, and nowhere else."""
    if function.kind is not ScopeKind.FUNCTION:
        return False
    if function.name in _ONCE:
        return True

    def find() -> bool:
        found = callers.callers(analysis, function)
        return bool(found) and all(
            not site.loops and is_setup(analysis, site.scope, steps - 1) for site in found
        )

    return steps > 0 and analysis.remember(("is setup", function, steps), find, otherwise=False)


def standing_around(loop: Frame) -> tuple[Frame, ...]:
    """The loops of the same function that a loop stands in, outermost first, and itself."""
    outer = (one for one in loop.scope.loops if loop in loops.loops_within(one))
    return (*sorted(outer, key=lambda one: one.lines.start), loop)


def turns(analysis: Analysis, loop: Frame) -> Turns:
    """About how many turns a loop has."""
    return analysis.remember(("turns", loop.node), lambda: _turns(analysis, loop), Turns.SOME)


def _turns(analysis: Analysis, loop: Frame) -> Turns:
    trips = loops.trips(analysis, loop)
    if trips is not None and trips > loops.TINY:
        return Turns.MANY if trips >= THOUSAND else Turns.SOME
    if pace.pace(analysis, loop) is Pace.SELDOM:
        return Turns.FEW
    over = loops.over(analysis, loop)
    if over is LoopOver.PARTS:
        return Turns.FEW
    gone_over = loops.gone_over(analysis, loop)
    if goes_over_places(loop):
        return Turns.EVERY
    if any(_is_shape(part) for part in gone_over):
        return Turns.FEW
    if any(_is_flat(analysis, part, loop.scope) for part in gone_over):
        return Turns.EVERY
    if any(_are_kinds(analysis, part, loop.scope) for part in gone_over):
        return Turns.SOME
    iterable = loops.iterable_of(loop)
    if over is LoopOver.ELEMENTS and len(gone_over) == 1:
        return _of_rows(analysis, gone_over[0], loop.scope)
    if over in (LoopOver.ELEMENTS, LoopOver.BATCHES):
        return Turns.MANY
    if iterable is None:
        return Turns.SOME
    iterable = elements.bare(analysis, iterable, loop.scope)
    if isinstance(iterable, ast.Call) and last_name(iterable.func) in ("range", "trange", "xrange"):
        return _counted(analysis, iterable, loop.scope)
    if any(_lists_rows(part) or arrays.is_array(analysis, part, loop.scope) for part in gone_over):
        return Turns.MANY
    if any(_tells_apart_many(part) for part in gone_over):
        return Turns.MANY
    return Turns.SOME


def _of_rows(analysis: Analysis, node: ast.expr, scope: Scope) -> Turns:
    """About how many rows an array has: thousands, where its own function does not tell."""
    root = node
    while isinstance(root, (ast.Attribute, ast.Call, ast.Subscript)):
        root = root.func if isinstance(root, ast.Call) else root.value
    # What one caller passes, others need not.
    is_given = isinstance(root, ast.Name) and any(
        definition.binding is Binding.PARAMETER
        for definition in values.definitions_of(analysis, root, scope)
    )
    count = None if is_given else rows.rows(analysis, node, scope)
    if count is None or count >= THOUSAND:
        return Turns.MANY
    return Turns.FEW if count <= loops.TINY else Turns.SOME


def goes_over_places(loop: Frame) -> bool:
    """Whether each turn has a single number of an array, by its place: `np.ndindex(x.shape)`."""
    iterable = loops.iterable_of(loop)
    return isinstance(iterable, ast.Call) and last_name(iterable.func) in ("ndenumerate", "ndindex")


def _is_shape(node: ast.expr) -> bool:
    """Whether it is a shape, or a part of one: `x.shape[1:]`."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice):
        node = node.value
    return isinstance(node, ast.Attribute) and node.attr == "shape"


def _are_kinds(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether it is what differs in an array, each once: there are fewer of these than rows."""
    if isinstance(node, ast.Name):
        found = values.definitions_of(analysis, node, scope)
        given = found[0] if len(found) == 1 and found[0].binding is Binding.ASSIGNED else None
        if given is None or given.value is None:
            return False
        node = given.value
    return isinstance(node, ast.Call) and last_name(node.func) == "unique"


def _is_flat(analysis: Analysis, node: ast.expr, scope: Scope) -> bool:
    """Whether it is an array that was laid flat, so that its elements are single numbers."""
    if isinstance(node, ast.Name):
        found = values.definitions_of(analysis, node, scope)
        given = found[0] if len(found) == 1 and found[0].binding is Binding.ASSIGNED else None
        if given is None or given.value is None or given.unpacking:
            return False
        node = given.value
    if not isinstance(node, ast.Call):
        return False
    if last_name(node.func) in members.JOINS and node.args:
        return any(_lays_flat(part) for part in tree.walk(node.args[0]))
    return _lays_flat(node)


def _lays_flat(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = last_name(node.func)
    if name == "reshape" and isinstance(node.func, ast.Attribute):
        return [ast.unparse(argument) for argument in node.args] == ["-1"]
    return name in members.FLATTENINGS


def _lists_rows(node: ast.expr) -> bool:
    """Whether it makes a list of an array's rows, as nothing but arrays can."""
    return isinstance(node, ast.Call) and last_name(node.func) in ("nonzero", "tolist")


def _tells_apart_many(node: ast.expr) -> bool:
    """Whether it puts the rows of a table together by whom or what each is about."""
    if not isinstance(node, ast.Call) or last_name(node.func) != "groupby" or not node.args:
        return False
    by = node.args[0]
    columns = by.elts if isinstance(by, (ast.List, ast.Tuple)) else [by]
    return any(
        isinstance(column, ast.Constant)
        and isinstance(column.value, str)
        and column.value.lower().removesuffix("id").rstrip("_") in _OF_MANY
        for column in columns
    )


def _counted(analysis: Analysis, call: ast.Call, scope: Scope) -> Turns:
    """About how many numbers a `range` has, by what its end is the length of."""
    if not call.args:
        return Turns.SOME
    end = call.args[0] if len(call.args) == 1 else call.args[1]
    if isinstance(end, ast.BinOp) and isinstance(end.op, ast.Sub):
        end = end.left  # a few less
    if dimensions.asks_first_size(end):
        return Turns.MANY
    whole = dimensions.measured(analysis, end, scope)
    if whole is not None:
        if _tells_axes(whole[0]):
            return Turns.FEW
        if _is_flat(analysis, *whole):
            return Turns.EVERY
        return _of_rows(analysis, *whole) if arrays.is_array(analysis, *whole) else Turns.SOME
    if _counts_axes(end):
        return Turns.FEW
    if not isinstance(end, ast.Name):
        return Turns.SOME
    found = values.definitions_of(analysis, end, scope)
    given = found[0] if len(found) == 1 and found[0].binding is Binding.ASSIGNED else None
    if given is None or given.value is None:
        return Turns.SOME
    if given.unpacking:
        is_first = given.unpacking == (0,) and _tells_axes(given.value)
        return Turns.MANY if is_first else Turns.SOME
    return Turns.FEW if _counts_axes(given.value) else Turns.SOME


def _tells_axes(node: ast.expr) -> bool:
    """Whether it is, by its name, a shape: one number for each axis."""
    called = node.func if isinstance(node, ast.Call) else node
    name = (last_name(called) or "").lower()
    return name.endswith(("shape", "spacing", "patch_size")) or name == "size"


def _counts_axes(node: ast.expr) -> bool:
    """Whether a number, or one more or less than it, counts axes or the like by its name."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        return _counts_axes(node.left)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Attribute) and node.func.attr == "dim"
    name = (last_name(node) or "").lower()
    return name.rpartition("_")[2] in _OF_AXES or name.endswith((*_FEW, *_AT_HAND))


# How often it is run


def runs_often(analysis: Analysis, function: Scope, steps: int = _FARTHEST) -> bool:
    """Whether a function is run again and again: for steps, batches, samples or requests."""
    if function.kind is not ScopeKind.FUNCTION:
        return False

    def find() -> bool:
        if function.name in _FOR_EACH or contexts.is_forward(analysis, function):
            return True
        is_inner = function.parent is not None and function.parent.kind is ScopeKind.FUNCTION
        if is_inner or function.yields or hooks.runs_each_step(analysis, function):
            return True
        if contexts.handed_to(analysis, function):
            return True
        if any(
            _repeats(analysis, loop) for loop, _ in reach.function_loop_paths(analysis, function)
        ):
            return True
        return steps > 0 and any(
            runs_often(analysis, site.scope, steps - 1)
            for site in callers.callers(analysis, function)
        )

    return analysis.remember(("runs often", function, steps), find, otherwise=False)


def runs_each_step(analysis: Analysis, function: Scope) -> bool:
    """Whether what a function is given is what one step of a training or a game is about."""
    if function.kind is not ScopeKind.FUNCTION:
        return False
    if function.name in _FOR_EACH or contexts.is_forward(analysis, function):
        return True
    return hooks.runs_each_step(analysis, function) or any(
        isinstance(loop.node, ast.While)
        or pace.strides(loop)
        or loops.over(analysis, loop) in (LoopOver.BATCHES, LoopOver.STEPS)
        for loop, _ in reach.function_loop_paths(analysis, function)
    )


def _repeats(analysis: Analysis, loop: Frame) -> bool:
    """Whether a loop goes from step to step, or from batch to batch, however many."""
    return (
        isinstance(loop.node, ast.While) or pace.strides(loop) or turns(analysis, loop) > Turns.FEW
    )


# What is done beside it


def _steps_beside(analysis: Analysis, around: tuple[Frame, ...]) -> bool:
    """Whether what is run for each batch or step runs a model, too, in the same function."""
    scope = around[-1].scope
    if scope.kind is not ScopeKind.FUNCTION and len(around) < 2:
        return False  # a script does so once
    if len(around) > 1:
        return runs_steps(analysis, around[0])
    names = analysis.project.trigger_names(_NAMED_STEPS)
    return any(_is_step(analysis, site, names) for site in scope.calls)


def runs_steps(analysis: Analysis, loop: Frame) -> bool:
    """Whether the turns of a loop, in its own function, run a model or take a step of training."""
    names = analysis.project.trigger_names(_NAMED_STEPS)
    return any(_is_step(analysis, site, names) for site in loops.sites_in(analysis, loop))


def _is_step(analysis: Analysis, site: CallSite, names: frozenset[str]) -> bool:
    fact = callgraph.fact_at(analysis, site)
    if fact is not None:
        return not fact.traits.isdisjoint(_STEPS)
    return isinstance(site.node.func, ast.Attribute) and last_name(site.node.func) in names
