"""What Keras compiles: the steps and layers of a model of the project that it fits or asks."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.knowledge.words import UNCOMPILED_WORDS
from deepperf.semantics.ir.table import Kind
from deepperf.semantics.objects.holds import attribute_of, holds
from deepperf.semantics.objects.origin import Place, UnitKey, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import facts_of

RUNNING = (Trait.FITS, Trait.EVALUATES, Trait.PREDICTS)


def fitted(program: Program, path: str) -> Iterator[tuple[Place, str, UnitKey]]:
    """The calls in a file that compile methods of the project's models, what these calls are, and
    the methods.
    """
    if any(program.naming(word) for word in UNCOMPILED_WORDS):
        return
    names = program.knowledge.method_names(RUNNING)
    hooks = sorted(program.knowledge.method_names((Trait.RUNS_COMPILED,)))
    for unit in program.table(path).units:
        for index in unit.calls:
            callee = unit.ops[unit.ops[index].args[0]]
            if callee.kind is not Kind.ATTRIBUTE or callee.data not in names:
                continue
            place = (*unit.key, index)
            run = [one for one in facts_of(program, place) if not one.traits.isdisjoint(RUNNING)]
            models = holds(program, (*unit.key, callee.args[0])) if run else ()
            found = (
                method.place[:2]
                for model in sorted(models)
                if model.what is What.INSTANCE
                for hook in hooks
                for method in sorted(attribute_of(program, model, hook))
                if method.what is What.BOUND
            )
            for key in dict.fromkeys(found):
                yield place, run[0].name, key
