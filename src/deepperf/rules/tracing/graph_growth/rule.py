"""Nodes are added to a graph in a loop that runs a session."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level, Role
from deepperf.rules.rule import Rule, on_file
from deepperf.semantics.view import Call, FileView, LoopPath, growth

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("increasing-time", "memory-leak"),
    stage="training",
    level=Level.WARNING,
    frameworks=("tensorflow", "keras"),
)

SESSIONS = "tensorflow"
"""Whose sessions run the layers and operators of which no fact tells the framework."""
KEPT = "create it once, before the loop, and reuse it in every iteration"
FED = (
    "create it once, before the loop, on a placeholder, and feed the value in every iteration; "
    "or compute it with NumPy"
)


@on_file
def check(file: FileView) -> Iterator[Finding]:
    # The graph of a test ends with it.
    if file.role is Role.TEST or not file.may_concern_graphs:
        return
    found: set[tuple[int, int]] = set()
    for call in (*file.repeatable_calls(frozenset((Trait.ADDS_NODE,))), *file.layer_calls()):
        path = growth.growing_path(call)
        if call.has(Trait.KEEPS_NUMPY) and not any(one.is_tensor for one in call.arguments):
            continue
        # One finding per statement is enough to know what to move.
        if path is None or not call.is_first_to_add_nodes:
            continue
        others = growth.others_beside(call, path)
        if others is None:
            continue
        found.add(call.statement_span)
        more = f", and so do {others} other calls" if others else ""
        slowly = "; the iterations are few or long" if path.adds_slowly(call) else ""
        yield rule.finding(
            call,
            f"`{call.called}` adds nodes to the graph in {path.loop.turn}, "
            f"which runs a session{more}{slowly}",
            _remedy(call, path),
            path.steps(),
            framework=call.framework or SESSIONS,
            level=_level(call, path),
        )
    # Variables are set now and then; what answers for values is asked again and again.
    asked = [(call, method, rule.level) for call, method in file.nodes_asked_for()]
    asked += [(call, method, Level.NOTE) for call, method in file.variable_sets()]
    for call, method, level in asked:
        if call.statement_span in found:
            continue
        if level is not Level.NOTE:
            found.add(call.statement_span)
        where = f"in every call of `{method.name}`, which runs a session"
        yield rule.finding(
            call,
            f"`{call.called}` adds nodes to the graph {where}",
            _remedy(call, None),
            framework=call.framework or SESSIONS,
            level=level,
        )


def _level(call: Call, path: LoopPath) -> Level:
    """How fast the graph grows: hardly, where an iteration is awaited or one certain turn adds to
    it.
    """
    is_seldom = path.is_for_one_turn(call)
    is_seldom = is_seldom or any(one.suits_either_mode for one in (call, *path.calls))
    is_note = is_seldom or path.loop.waits or path.adds_slowly(call)
    return Level.NOTE if is_note else rule.level


def _remedy(call: Call, path: LoopPath | None) -> str:
    """What is given the iteration's values has to be fed them, and savers delete old
    checkpoints.
    """
    given = call.arguments
    if path is not None and not path.calls:
        given = tuple(argument for argument in given if argument.names_turn_of(path.loop))
    if call.has(Trait.ADDS_MANY_NODES) or not given:
        kept = call.takes(ParameterRole.KEPT)
        is_left_out = kept is not None and call.argument(ParameterRole.KEPT) is None
        keeping = f", with `{kept}=None` if older files are to be kept" if is_left_out else ""
        return f"create it once, before the loop{keeping}, and reuse it in every iteration"
    if call.has(Trait.WRITES_STATE):
        fed = ", on a placeholder, and feed the new value when it is run"
        return f"create the operation once, before the loop{fed}"
    return FED
