"""A model is asked for the states of all its layers, and the last alone, or none, are read."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import remove_keyword
from deepperf.knowledge.schema import Trait
from deepperf.records import Edit, Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Kind, Value

rule = Rule(
    module=__name__,
    cause="inefficient-api-usage",
    symptoms=("out-of-memory", "slow-execution"),
    stage="prediction",
    level=Level.NOTE,
    frameworks=("transformers",),
)


_ASKED = {
    "output_hidden_states": ("hidden_states", "the states of all layers"),
    "output_attentions": ("attentions", "the attention weights of all layers"),
}
"""What asks for more results, how their names end, and what they are."""
_OF_ALL = frozenset(
    ("last_hidden_state", "pooler_output", "hidden_states", "attentions", "past_key_values")
)
"""What results of models without a head have. Whatever else is read, a head has made."""


@each_call(Trait.RUNS_MODULE)
def check_call(call: Call) -> Iterator[Finding]:
    for keyword, (name, what) in _ASKED.items():
        asked = call.argument(keyword)
        if asked is None or asked.constant is not True:
            continue
        readers = call.result.readers
        if not readers or any(reader.kind is not Kind.ATTRIBUTE for reader in readers):
            continue
        if not any(reader.data.endswith(name) for reader in readers):
            yield _unread(call, keyword, what)
        elif keyword == "output_hidden_states":
            yield from _last_alone(call, [one for one in readers if one.data == name])


def _unread(call: Call, keyword: str, what: str) -> Finding:
    removed = remove_keyword(call.file_text, *call.span, keyword)
    return rule.finding(
        call,
        f"`{call.name}` keeps {what}, and nothing reads them",
        f"leave `{keyword}` out",
        fix=Fix(f"leave `{keyword}` out", (removed,), Safety.UNSAFE) if removed else None,
        estimate=0.005,
    )


def _last_alone(call: Call, states: list[Value]) -> Iterator[Finding]:
    picked = [item for state in states for item in state.readers]
    # There the last of all is nowhere else.
    if call.has(Trait.NORMS_LAST):
        return
    if picked and all(_is_last(item) for item in picked):
        yield rule.finding(
            call,
            f"`{call.name}` keeps the states of all layers, and `{picked[0].text}` reads the last",
            "leave `output_hidden_states` out and read `last_hidden_state`; of a model with a"
            " head, call its base model",
            fix=None if _has_head(call) else _fix(call, picked),
            estimate=0.005,
        )


def _has_head(call: Call) -> bool:
    """Whether the model's result has no last hidden state, by its class or by what is read."""
    read = {reader.data for reader in call.result.readers}
    return call.has(Trait.ANSWERS_BY_HEAD) or not read <= _OF_ALL


def _fix(call: Call, picked: list[Value]) -> Fix | None:
    """The base model's own output, which a model with a head does not have."""
    asked = remove_keyword(call.file_text, *call.span, "output_hidden_states")
    if asked is None:
        return None
    reads = []
    for item in picked:
        states, (start, end) = item.operands[0].span, item.span
        if states[0] < start:
            return None  # a variable: what it was made of stands elsewhere
        reads.append(Edit(states[1] - len("hidden_states"), end, "last_hidden_state"))
    return Fix("read the last state alone", (asked, *reads), Safety.UNSAFE)


def _is_last(item: Value) -> bool:
    if item.kind is not Kind.ITEM:
        return False
    index = item.operands[1]
    negated = index.kind is Kind.UNARY and index.data == "USub"
    return index.constant == -1 or (negated and index.operands[0].constant == 1)
