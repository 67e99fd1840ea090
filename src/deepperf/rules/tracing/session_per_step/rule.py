"""A session is opened in each iteration of a loop or for each request."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level, Role
from deepperf.rules.rule import Rule, on_call
from deepperf.semantics.view import Call, LoopOver, LoopPath, Pace

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("slow-execution", "memory-leak"),
    stage="training",
    level=Level.WARNING,
    frameworks=("tensorflow", "keras"),
)
REMEDY = (
    "open the session once, together with its graph, and pass it to where it is used; "
    "then variables are restored only once, too"
)

_SKETCH = """\
with {call} as session:  # once
    {header}:
        ...  # with `session`, which what is called here is passed
"""


@on_call(Trait.OPENS_SESSION)
def check(call: Call) -> Iterator[Finding]:
    # A test wants a session of its own.
    if call.file.role is Role.TEST:
        return
    path = _wasteful(call)
    if path is not None:
        yield rule.finding(
            call,
            f"`{call.called}` opens a session in {path.loop.turn}",
            REMEDY,
            path.steps(),
            sketch=_SKETCH.format(call=call.text, header=path.loop.header),
            level=_level(call, path),
        )
        return
    request = call.serves_request
    if request is None:
        function = call.function
        if function is not None and function.opens_to_answer(call):
            where = f"in every call of `{function.name}`, on a graph that its object keeps"
            yield rule.finding(call, f"`{call.called}` opens a session {where}", REMEDY)
        return
    # A training that was asked for takes long.
    if request.handler.trains:
        return
    if not request.handler.starts_graph or call.restores_same_model(request):
        yield rule.finding(
            call,
            f"`{call.called}` opens a session for each request to `{request.handler.name}`",
            REMEDY,
            request.steps(),
        )


def _level(call: Call, path: LoopPath) -> Level:
    """Opening one is little beside a pass through a data set, and entries are mostly few."""
    loop = path.loop
    is_seldom = loop.pace is Pace.SELDOM or loop.over is LoopOver.PARTS or loop.is_short
    # A training takes long, whatever session it runs in.
    opener = call.function if path.calls else None
    is_seldom = is_seldom or (opener is not None and opener.trains)
    if is_seldom or path.runs_each_nth_turn(call):
        return Level.NOTE
    # Variables of its own want initializing, in whichever session; a model that is loaded is one.
    is_another = loop.builds_model and not call.restores_same_model(path)
    return Level.NOTE if is_another else rule.level


def _wasteful(call: Call) -> LoopPath | None:
    for path in call.repeats():
        if path.loop.is_tiny:
            continue
        # Beside a wait between two looks at something it costs nothing.
        if path.is_of_tests or path.loop.waits:
            continue
        # A graph of its own in each iteration needs a session of its own.
        if path.starts_graph_for(call) and not (
            call.restores_same_model(path)
            or (call.could_keep_its_graph if path.calls else path.loop.could_share_a_graph)
        ):
            return None
        # A session that is used for many steps costs little.
        if call.is_long_lived(path):
            return None
        return path
    return None
