"""A model is asked about one row or a few in each iteration of a loop, or for each request."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import add_keyword, call_object, remove_keyword
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Fix, Level, Location, Role, Safety
from deepperf.rules.inference.predict_per_item.beside import (
    directly,
    is_batched_beside,
    is_for_few,
    is_light,
    is_listened_to,
    queried,
    takes_tensor,
)
from deepperf.rules.inference.predict_per_item.samples import (
    is_about_each,
    is_of_one,
    is_of_same,
    may_have_weights,
    ways,
    window,
)
from deepperf.rules.rule import Rule, on_file
from deepperf.semantics.query import Call, Loop, LoopKind
from deepperf.semantics.view import Asks, FileView, LoopOver, LoopPath, Prediction

rule = Rule(
    module=__name__,
    cause="missed-batch-api",
    symptoms=("slow-execution",),
    stage="prediction",
    level=Level.WARNING,
    frameworks=("keras", "torch", "transformers"),
)
_OF_LOOPS = frozenset(("verbose", "batch_size"))
FEW = 4  # rows up to which a batch is mostly overhead
_ONE_EACH = frozenset((Trait.ASKS_PERSON, Trait.SEEDS))
"""What waits for a person, or draws for each item what only its own seed gives."""
FRAMEWORK = {
    Asks.PIPELINE: "transformers",
    Asks.TOKENS: "transformers",
    Asks.MODULE: "torch",
}


@on_file
def check(file: FileView) -> Iterator[Finding]:
    # What a test asks, it asks once.
    if file.role is Role.TEST:
        return
    told = set[int]()
    for finding in _predicted(file):
        told.add(finding.location.line)
        yield finding
    for loop in file.queried.loops():
        for finding in _one_by_one(loop):
            lines = {place.line for place in (finding.location, *_places(finding))}
            if not lines & told:
                told.update(lines)
                yield finding


def _places(finding: Finding) -> Iterator[Location]:
    """Where the calls stand that lead to what a finding tells, in its file."""
    for step in finding.path:
        if step.location.path == finding.location.path:
            yield step.location


def _predicted(file: FileView) -> Iterator[Finding]:
    for asked in file.predictions():
        if asked.rows > FEW or is_listened_to(asked):
            continue
        path = _again(asked)
        if path is not None:
            yield _in_loop(asked, path)
        elif asked.asks is Asks.LOOP and (request := asked.serves_request) is not None:
            yield rule.finding(
                asked,
                f"`{asked.called}` is called with {_rows(asked)}, for each "
                f"request to `{request.handler.name}`",
                directly(asked),
                request.steps(),
                fix=_fix(asked),
                framework="keras",
                level=Level.NOTE if is_light(asked) else None,
            )


def _again(asked: Prediction) -> LoopPath | None:
    """The nearest loop whose iterations ask about other rows each, and often if one does."""
    little: LoopPath | None = None
    for path in asked.repeats():
        loop = path.loop
        # Once per epoch is seldom; a few iterations cost little.
        if loop.is_tiny or loop.over in (LoopOver.EPOCHS, LoopOver.PARTS):
            continue
        # What a loader gives is a batch, whatever axis the model wants before it.
        if loop.over is LoopOver.BATCHES and asked.asks in FRAMEWORK:
            continue
        if loop.file.role is Role.TEST or not asked.asks_about_each(path):
            continue
        # Nobody types so fast that it would be felt. What rests on the last answer cannot be asked
        # earlier: only a costly way to ask remains.
        has_to_wait = asked.asks is not Asks.LOOP and (loop.is_open or asked.feeds_itself(path))
        if has_to_wait or loop.reached_calls(_ONE_EACH):
            return little
        if not asked.is_little_in(path):
            return path
        little = little or path
    return little


def _in_loop(asked: Prediction, path: LoopPath) -> Finding:
    turn = f"in {path.loop.turn}"
    level = Level.NOTE if asked.is_little_in(path) or is_for_few(asked, path) else None
    fix = None
    if asked.asks is Asks.LOOP:
        message = f"`{asked.called}` is called with {_rows(asked)} {turn}"
        if asked.has_to_wait_in(path):
            remedy, fix = directly(asked), _fix(asked)
            level = Level.NOTE if is_light(asked) and asked.is_counted_in(path) else level
        else:
            remedy = (
                f"collect the rows and call `{asked.called}` once with a large `batch_size`; "
                f"where rows must go one by one, {directly(asked)}"
            )
    elif asked.asks is Asks.THROUGH:
        message = f"`{asked.called}` passes {_rows(asked)} to `predict` {turn}"
        remedy = f"collect the rows and call `{asked.called}` once with all of them"
    elif asked.asks is Asks.PIPELINE:
        message = f"`{asked.called}` is called with one text {turn}, so it cannot batch"
        remedy = f"call it once with all texts: `{asked.called}(texts, batch_size=…)`"
    elif asked.asks is Asks.TOKENS:
        message = f"`{asked.called}` is called with the tokens of one text {turn}"
        remedy = (
            "tokenize many texts at once with `padding=True` and pass the model a batch "
            "(for generation, pad on the left)"
        )
    else:
        message = f"`{asked.called}` is called with {_rows(asked)} {turn}"
        remedy = "if the inputs have one shape, stack them and call the model on a batch"
        # Whether they are is for the data to say, unless they are the elements of one array.
        level = level if path.loop.over is LoopOver.ELEMENTS else Level.NOTE
    framework = FRAMEWORK.get(asked.asks, "keras")
    return rule.finding(
        asked, message, remedy, path.steps(), fix=fix, framework=framework, level=level
    )


def _fix(asked: Prediction) -> Fix | None:
    """A call of the model itself, which gives a tensor."""
    place, call = (asked.file.text, *asked.span), queried(asked)
    if call is None or len(call.arguments) != 1 + len(call.keywords) or call.passes_unseen:
        return None
    if not (_OF_LOOPS.issuperset(call.keywords) and takes_tensor(call.result)):
        return None
    edits = [remove_keyword(*place, name) for name in call.keywords]
    edits += [call_object(*place), add_keyword(*place, "training", "False")]
    made = tuple([edit for edit in edits if edit is not None])
    title = "call the model without the loop around it"
    return Fix(title, made, Safety.UNSAFE) if len(made) == len(edits) else None


def _rows(asked: Prediction) -> str:
    return "one row" if asked.rows == 1 else f"{asked.rows} rows"


# What runs a model on one sample, wherever gradients are recorded
_SAMPLES = frozenset((LoopKind.UNKNOWN, LoopKind.BATCH, LoopKind.ROW))
_TRAINING = frozenset((LoopKind.STEP, LoopKind.PARAMETER, LoopKind.LAYER, LoopKind.FEW))
_FEW_SAMPLES = 8
_WAITS = (Trait.ASKS_PERSON, Trait.TELLS_TIME, Trait.STEPS_OPTIMIZER, Trait.BACKPROPAGATES)
_CHANGES = (Trait.STEPS_OPTIMIZER, Trait.STEPS_TRAINING, Trait.LISTS_PARAMETERS)


def _one_by_one(loop: Loop) -> Iterator[Finding]:
    if loop.reaches(Trait.SEEDS):
        return
    if loop.is_over_loader or (loop.trip_count or 99) <= _FEW_SAMPLES:
        return
    if loop.kind not in _SAMPLES or loop.reaches(*_WAITS):
        yield from _repeated(loop)
        return
    for call, way in ways(loop):
        if not is_about_each(call, loop):
            continue
        if not loop.is_while and is_of_one(way, loop):
            yield from _told_one(way, loop)
        elif (cut := window(way, loop)) is not None:
            yield _told(way, loop, f"one window of `{cut.text}`", _WINDOWS)
    yield from _repeated(loop)


def _repeated(loop: Loop) -> Iterator[Finding]:
    if loop.kind in _TRAINING or loop.reaches(*_CHANGES) or any(loop.calls(*_WAITS)):
        return
    # A model that runs one of its layers again and again is no draw of many.
    owner = loop.function.parameters[:1] if loop.function.is_method else ()
    if any(Trait.RUNS_MODULE in one.call_traits for one in owner):
        return
    for _, way in ways(loop):
        if is_of_same(way, loop):
            yield _told(way, loop, "the same arguments", _REPEATED)


_WINDOWS = "cut several windows, stack them, and call the model on a batch of them"
_REPEATED = "repeat the input along the batch axis, and call the model once for all draws"


def _told(way: tuple[Call, ...], loop: Loop, what: str, remedy: str) -> Finding:
    return rule.finding(
        way[0],
        f"`{way[-1].name}` is called with {what} in each iteration of `{loop.header}`",
        remedy,
        path=tuple([call.step(f"`{call.name}` is called") for call in way[1:]]),
        framework="transformers" if way[-1].framework in ("transformers", "vllm") else "torch",
        level=Level.NOTE,
        related=(loop.step("the loop"),),
        estimate=0.005,
    )


def _told_one(way: tuple[Call, ...], loop: Loop) -> Iterator[Finding]:
    run = way[-1]
    if run.has(Trait.INFERS, Trait.GENERATES):
        # A picture drawn out of noise keeps the device busy for seconds by itself.
        if run.has(Trait.RANDOM) or run.in_role(ParameterRole.LISTENER) is not None:
            return
        is_little = loop.runs_seldom or is_batched_beside(way[0], loop)
        level = Level.NOTE if is_little else None
        remedy = f"pass many samples at once: `{run.name}` takes a list, or a padded batch"
    else:
        if not may_have_weights(run):
            return
        level = None if loop.kind is LoopKind.ROW else Level.NOTE
        remedy = "if the inputs have one shape, stack them and call the model on a batch"
    yield rule.finding(
        way[0],
        f"`{run.name}` is called with one sample in each iteration of `{loop.header}`",
        remedy,
        path=tuple([call.step(f"`{call.name}` is called") for call in way[1:]]),
        framework="transformers" if run.framework in ("transformers", "vllm") else "torch",
        level=level,
        estimate=0.3,
    )
