"""Log-probabilities of all words are kept for the gradient, and one of each position is read."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Kind, Value

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("out-of-memory", "slow-execution"),
    stage="training",
    level=Level.NOTE,
    frameworks=("torch",),
)

_OF_WORDS = 2
"""The axis of the classes where each position of a sequence has its own."""
_SKETCH = """\
chosen = {scores}.gather(-1, {index}).float()
normalizers = torch.stack([each.float().logsumexp(-1) for each in {scores}])
log_probabilities = chosen - normalizers.unsqueeze(-1)"""


@each_call(Trait.GIVES_LOG_PROBABILITIES)
def check(call: Call) -> Iterator[Finding]:
    readers = [reader.call for reader in _reads(call.result)]
    gathers = [one for one in readers if one is not None and one.has(Trait.GATHERS)]
    if not gathers or len(gathers) < len(readers) or call.is_gradient_free:
        return
    scores = _scores(call)
    if scores is not None and (_is_of_model(scores) or any(map(_goes_over_words, gathers))):
        yield rule.finding(
            call,
            f"`{call.text}` keeps a number for each class, and `{gathers[0].name}` reads one of"
            " each position",
            "gather the scores, and subtract their `logsumexp` of one sequence after the other, in"
            " 32 bits",
            related=tuple([one.step("read here") for one in gathers]),
            sketch=_sketch(scores, gathers[0]),
            estimate=0.01,
        )


def _sketch(scores: Value, gather: Call) -> str:
    """What is gathered along the last axis, of sequence after sequence."""
    axis = gather.argument("dim", 1 if gather.receiver is None or gather.receiver.names else 0)
    index = gather.argument("index", 2 if gather.receiver is None or gather.receiver.names else 1)
    if axis is None or index is None or axis.source not in ("-1", "2"):
        return ""
    return _SKETCH.format(scores=scores.text, index=index.text)


def _reads(value: Value) -> Iterator[Value]:
    """What takes a value, the calls of its methods included."""
    for reader in value.readers:
        called = [user for user in reader.users if user.call is not None]
        is_method = reader.kind is Kind.ATTRIBUTE and len(called) == len(reader.users)
        yield from called if is_method else (reader,)


def _scores(call: Call) -> Value | None:
    """What the logarithms are computed of."""
    given = (call.receiver, *call.arguments[:1])
    return next((one for one in given if one is not None and not one.names), None)


def _is_of_model(scores: Value) -> bool:
    """Whether scores are those that a model of sequences gives, all of them or without the last."""
    pending, seen = [scores], {scores}
    while pending:
        one = pending.pop()
        if one.kind is Kind.ATTRIBUTE and one.data == "logits":
            return True
        is_part = one.kind in (Kind.PHI, Kind.BINARY) or (
            one.kind is Kind.ITEM and one.operands[1].kind in (Kind.TUPLE, Kind.SLICE)
        )
        sources = one.operands if one.kind is not Kind.ITEM else one.operands[:1]
        receiver = one.call.receiver if one.call is not None else None
        new = [source for source in (sources if is_part else ()) if source not in seen]
        if receiver is not None and receiver not in seen and not receiver.names:
            new.append(receiver)
        seen.update(new)
        pending += new
    return False


def _goes_over_words(gather: Call) -> bool:
    """Whether it reads along the third axis."""
    numbers = [given.constant for given in gather.arguments]
    return _OF_WORDS in numbers
