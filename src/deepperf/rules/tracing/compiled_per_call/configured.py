"""Loops that configure one Keras model again for each training of it."""

from __future__ import annotations

from deepperf.knowledge.schema import Trait
from deepperf.semantics.query import Call, Dependence, Kind, Loop, Value


def configured(loop: Loop) -> tuple[Call, Call] | None:
    """The call by which each iteration has a model trace its step anew, and the training of it.

    None where an iteration begins with other weights, as for a fold, or with other layers that
    learn: what follows is another training.
    """
    if loop.is_comprehension or loop.is_while or loop.is_short:
        return None
    calls = [call for call in loop.calls() if not call.is_conditional(loop)]
    for made in (call for call in calls if call.has(Trait.TRACES_ANEW)):
        model = made.receiver
        if model is None or (model.call is not None and loop.contains(model)):
            continue
        if model.dependence(loop) is not Dependence.INVARIANT:
            continue
        trained = (call for call in calls if call.has(Trait.FITS) and _is_of(call, model))
        fit = next(trained, None)
        if fit is not None and not _begins_again(loop, model):
            return made, fit
    return None


def _is_of(call: Call, model: Value) -> bool:
    return call.receiver is not None and call.receiver.source == model.source


def _begins_again(loop: Loop, model: Value) -> bool:
    """Whether an attribute is set, as `trainable` is, or something else changes the model."""
    if any(loop.values(Kind.SET_ATTRIBUTE)):
        return True
    changing = (call for call in loop.calls(Trait.WRITES_STATE) if _is_of(call, model))
    return any(not call.has(Trait.TRACES_ANEW, Trait.FITS) for call in changing)
