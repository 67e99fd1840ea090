"""Predictions are made for more rows at once."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import add_keyword, replace_argument
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.prove.offer import Machine, Offer, Part, Quantity
from deepperf.semantics.query import File

QUANTITY = Quantity.CPU
TOUCHES = Part.HERE
SAVES = 0.3
ROWS = 512


def offers(file: File, _: Machine) -> Iterator[Offer]:
    for call in file.calls(Trait.PREDICTS, Trait.EVALUATES):
        role = ParameterRole.BATCH_SIZE
        parameters = [p for fact in call.facts for p in fact.parameters if p.role is role]
        if call.passes_unseen or not parameters:
            continue
        name, given = parameters[0].name, call.in_role(role)
        where = call.file_text, *call.span
        if given is None:
            edit = add_keyword(*where, name, str(ROWS))
        elif isinstance(given.constant, int) and given.constant < ROWS:
            edit = replace_argument(*where, name, str(ROWS))
        else:
            edit = None
        if edit is not None:
            yield Offer(f"predict {ROWS} rows at once", call.location.line, (edit,))
