"""What Keras compiles: the steps and layers of a model of the project that it fits or asks."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.knowledge.words import UNCOMPILED_WORDS
from deepperf.semantics.callgraph.uses import uses
from deepperf.semantics.ir.table import Kind
from deepperf.semantics.objects.classes import library_bases
from deepperf.semantics.objects.holds import attribute_of, holds
from deepperf.semantics.objects.origin import Place, UnitKey, What
from deepperf.semantics.program.program import Program
from deepperf.semantics.summaries.traits import facts_of

_LAYER, _MODEL = "keras.Layer", "keras.Model"
_COMPILING = ("keras", "tensorflow")
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
            keys = dict.fromkeys(found)
            is_own = any(model.what is What.INSTANCE for model in models)
            if run and not is_own and run[0].framework in _COMPILING:
                # Layers of the project flow into a model whose class is the library's.
                layers: tuple[UnitKey, ...] = program.answers.ask(_layers, (), bottom=())
                keys.update(dict.fromkeys(layers))
            for key in keys:
                yield place, run[0].name, key


def _layers(program: Program) -> tuple[UnitKey, ...]:
    """What the layers of the project compute: `call` of each class of them that is used."""
    found: list[UnitKey] = []
    for path in program.naming("call"):
        for unit in program.table(path).units:
            bases = library_bases(program, unit.key) if unit.kind == "class" else ()
            if _LAYER not in bases or _MODEL in bases:
                continue
            if uses(program, unit.name).classes.get(unit.key):
                ops = [unit.ops[index] for index in unit.bindings.get("call", ())]
                found += [(path, op.data) for op in ops if op.kind is Kind.FUNCTION]
    return tuple(found)
