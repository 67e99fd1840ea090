"""Steps of JAX that Python runs: gradients, updates of parameters and models outside of `jit`."""

from __future__ import annotations

from typing import NamedTuple

from deepperf.knowledge.schema import Trait
from deepperf.semantics.query import Call, Function, Kind, Loop, LoopKind

_KINDS = frozenset((LoopKind.STEP, LoopKind.BATCH, LoopKind.TOKEN, LoopKind.UNKNOWN, LoopKind.ROW))
_FEWEST = 16
"""Iterations below which a loop is over before anything would be compiled."""
_SWITCH = "disable_jit"
"""Whoever names this has asked for what is found here."""


class EagerStep(NamedTuple):
    """A function that dispatches steps one operation at a time, and the calls that do it."""

    function: Function
    gradients: tuple[Call, ...]
    updates: tuple[Call, ...]
    models: tuple[Call, ...]
    loop: Loop | None
    """The innermost loop around them, in the function or around a call of it."""

    @property
    def calls(self) -> tuple[Call, ...]:
        return (*self.gradients, *self.updates, *self.models)

    @property
    def takers(self) -> tuple[Call, ...]:
        """What else is given the gradients: mostly the optimizer, of which nothing is known."""
        parts = {call.result for call in self.gradients}
        parts |= {part for call in self.gradients for part in call.result.users}
        found = (call for call in self.function.calls() if not parts.isdisjoint(call.arguments))
        return tuple([call for call in found if call not in self.calls and not call.runs_compiled])

    @property
    def callers(self) -> tuple[Call, ...]:
        """The calls by which the loop runs the function."""
        if self.loop is None or self.holds_loop:
            return ()
        return tuple([one for one in self.function.callers() if one.long_loop == self.loop])

    @property
    def holds_loop(self) -> bool:
        """Whether the loop stands in the function itself."""
        return self.loop is not None and self.loop.function == self.function

    @property
    def is_loss_compiled(self) -> bool:
        """Whether what gradients are taken of is compiled by itself."""
        runs = [one for call in self.gradients for one in call.runs]
        return bool(runs) and all(one.compiled_itself is not None for one in runs)


def eager_step(function: Function) -> EagerStep | None:
    """What a function does in each step, operation by operation; None where that is nothing."""
    if function.file.mentions(_SWITCH) or not function.file.project_mentions("jax"):
        return None
    if _is_of_model(function):
        return None
    calls = [call for call in function.calls() if _is_often(call)]
    if not calls:
        return None
    gradients = tuple([call for call in calls if call.gradient_makers])
    updates = tuple([call for call in calls if _updates(call)])
    models = () if gradients else tuple([call for call in calls if _applies(call)])
    first = next(iter((*gradients, *updates, *models)), None)
    if first is None or not function.is_run_by_python or _is_differentiated(function):
        return None
    if not models and _is_part_of_a_step(function):
        return None
    return EagerStep(function, gradients, updates, models, _loop(first))


def _is_often(call: Call) -> bool:
    """Whether it runs in each step or the like, and not seldom."""
    loop = call.long_loop
    if loop is not None and loop.kind in _KINDS:
        is_long = loop.known_count is None or loop.known_count >= _FEWEST
        return is_long and not call.guard(loop).is_rare
    return call.runs_often is not False


def _updates(call: Call) -> bool:
    frameworks = {fact.framework for fact in call.facts}
    return call.has(Trait.STEPS_OPTIMIZER) and not frameworks.isdisjoint(("jax", "optax"))


def _applies(call: Call) -> bool:
    is_eager = call.has(Trait.APPLIES_MODEL) and not call.runs_compiled
    return is_eager and not _is_replaced(call)


def _is_replaced(call: Call) -> bool:
    """Whether the method was set to a compiled one: `model.apply = jax.jit(model.apply)`."""
    if call.receiver is None:
        return False
    stores = (
        one for function in call.file.functions() for one in function.values(Kind.SET_ATTRIBUTE)
    )
    made = (one.operands[1].call for one in stores if one.data == call.callee.data)
    return any(one is not None and one.has(Trait.COMPILES) for one in made)


def _is_of_model(function: Function) -> bool:
    """Whether it is a part of a model, which those run that use the model."""
    while function.is_function:
        owner = function.parameters[:1] if function.is_method else ()
        if any(Trait.APPLIES_MODEL in one.call_traits for one in owner):
            return True
        function = function.definition.function
    return False


def _is_differentiated(function: Function) -> bool:
    """Whether a gradient is taken of it: what takes the gradient is told."""
    return any(call.gradient_makers for call in function.callers())


def _is_part_of_a_step(function: Function) -> bool:
    """Whether all who call it update parameters themselves, and are told."""
    callers = [call.function for call in function.callers()]
    return bool(callers) and all(_steps(one) for one in callers if one != function)


def _steps(function: Function) -> bool:
    return any(call.gradient_makers or _updates(call) for call in function.calls())


def _loop(first: Call) -> Loop | None:
    loop = first.long_loop
    if loop is not None:
        return loop
    found = (call.long_loop for call in first.function.callers())
    return next((one for one in found if one is not None), None)


def findings_place(step: EagerStep) -> Loop | Call:
    """Where it is told: at the head of the loop that trains, if that is in sight; else at the
    first call.
    """
    loop = step.loop
    if loop is None or not (step.holds_loop or _is_whole(step)):
        return step.calls[0]
    return loop if loop.path == step.function.path else step.calls[0]


def _is_whole(step: EagerStep) -> bool:
    """Whether nothing of a training step is compiled: then it is the loop that is slow."""
    return bool(step.gradients) and not step.is_loss_compiled


def what(step: EagerStep) -> str:
    """What is done eagerly, and how often, for people."""
    if not step.gradients and not step.updates:
        (first, *_) = step.models
        return f"`{first.name}` runs the model operation by operation{_when(step)}"
    if _is_whole(step):
        does = "computes gradients eagerly"
    elif step.gradients:
        does = "computes gradients outside of the compiled loss"
    else:
        does = "updates parameters eagerly"
    if step.gradients and step.updates:
        does += " and updates parameters"
    if step.loop is not None and findings_place(step) == step.loop:
        it = "nothing compiles it" if step.holds_loop else f"`{step.function.name}` is not compiled"
        return f"`{step.loop.header}` {does} in every iteration, and {it}"
    return f"`{step.function.name}` {does}{_when(step)}, and is not compiled"


def _when(step: EagerStep) -> str:
    if step.loop is None:
        return " in every call"
    return (
        ""
        if step.holds_loop and not step.models
        else f" in every iteration of `{step.loop.header}`"
    )


def remedy(step: EagerStep) -> str:
    """What to do instead."""
    if not step.gradients and not step.updates:
        return "run the model, and what follows it on the device, in one function under `jax.jit`"
    return (
        "put gradient, optimizer and the update of the parameters into one function under "
        "`jax.jit`, which takes the state and returns the new one"
    )
