"""An evaluation keeps the scores of the whole vocabulary for each token of each sample."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import argument_text
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call

rule = Rule(
    module=__name__,
    cause="improper-configuration",
    symptoms=("out-of-memory", "slow-execution"),
    stage="evaluation",
    level=Level.NOTE,
    frameworks=("transformers",),
)
_REMEDY = (
    "pass `preprocess_logits_for_metrics=` a function that keeps what `{metrics}` needs, such as"
    " `logits.argmax(-1)`, or take `compute_metrics` out where the loss is enough"
)
_SKETCH = """\
def preprocess_logits_for_metrics(logits, labels):
    scores = logits[0] if isinstance(logits, tuple) else logits
    return scores.argmax(-1)  # a number for each token; `{metrics}` then gets these
"""


@each_call(Trait.BUILDS_TRAINER)
def check(call: Call) -> Iterator[Finding]:
    metrics = call.in_role(ParameterRole.METRICS)
    model = call.in_role(ParameterRole.MODEL)
    settings = call.in_role(ParameterRole.SETTINGS)
    if metrics is None or metrics.constant is None or model is None or settings is None:
        return
    made = settings.makers
    if not made or any(one.passes_unseen or _keeps_less(one) for one in (call, *made)):
        return
    if call.result.overrides(Trait.KEEPS_OUTPUTS):
        return
    if Trait.SCORES_WORDS in model.class_traits:
        written = _written(call)
        yield rule.finding(
            call,
            f"evaluation keeps the scores of all words for each token until `{written}` runs",
            _REMEDY.format(metrics=written),
            framework="transformers",
            sketch=_SKETCH.format(metrics=written),
            related=tuple([one.step("how it evaluates is set here") for one in made]),
            estimate=0.1,
        )


def _written(call: Call) -> str:
    """The function of the metrics, as it is named in the call."""
    for parameter, metrics in call.all_in_role(ParameterRole.METRICS):
        named = parameter.name in call.keywords or parameter.position is None
        which = parameter.name if named else parameter.position
        text = argument_text(call.file_text, *call.span, which or 0)
        return " ".join((text or metrics.text).split())
    return ""


def _keeps_less(call: Call) -> bool:
    """Whether an option says, or may say, that only a part of each batch's outputs is kept."""
    given = [value.constant for _, value in call.all_in_role(ParameterRole.KEEPS_LESS)]
    return any(value is not None and value is not False for value in given)
