"""What keeps a step from being compiled as it stands: what of it belongs to Python."""

from __future__ import annotations

from deepperf.knowledge.schema import Trait
from deepperf.rules.tracing.eager_loop.symbols import is_symbol, misused, walks_tensor
from deepperf.semantics.query import Call, Dependence, Function, Kind

_OF_PYTHON = frozenset(("python", "numpy"))
_OUTSIDE = (
    Trait.ASKS_PERSON,
    Trait.LOGS_METRICS,
    Trait.PLOTS,
    Trait.PRINTS,
    Trait.READS_FILE,
    Trait.READS_NUMBERS,
    Trait.SAVES,
    Trait.TELLS_TIME,
    Trait.WAITS,
)
_KEPT = frozenset((Kind.NAME, Kind.ATTRIBUTE, Kind.PARAMETER))
_DEEPEST = 8


def refusal_of_step(step: Function) -> str:
    """As `refusal`, of what gets no tensor to loop over."""
    if walks_tensor(step):
        return "it goes over the elements of a tensor"
    if any(is_symbol(one) for call in step.callers() for one in call.arguments):
        return "a model's symbols are passed to it"
    return refusal(step)


def refusal(step: Function) -> str:
    """Why a decorator would change what a step does, or have it traced again; "" for no reason."""
    parameters = step.parameters[1 if step.is_method else 0 :]
    if not parameters:
        return "it has no tensor parameter"
    if step.is_async or step.is_generator:
        return "it is no plain function"
    if any(map(_passes_new_numbers, step.callers())):
        return "Python numbers are passed to it"
    return _effect(step, ())


def effect(step: Function) -> str:
    """What a step does besides computing, which no compiler takes; "" for nothing."""
    return _effect(step, ())


def _passes_new_numbers(call: Call) -> bool:
    """Whether a call passes a number or text of Python that is another one in each iteration."""
    loop = call.long_loop
    return loop is not None and any(
        one.python_type in ("int", "float", "str")
        and one.dependence(loop) is not Dependence.INVARIANT
        for one in call.arguments
    )


def _effect(function: Function, around: tuple[Function, ...]) -> str:
    """What it, or something that it calls, does besides computing."""
    if function in around:
        return "it calls itself"
    if any(True for _ in function.values(Kind.SET_ATTRIBUTE)) or function.rebound:
        return "it sets what others read"
    if any(one.operands[0].kind in _KEPT for one in function.values(Kind.SET_ITEM)):
        return "it changes a list or dict of others"
    if len(around) >= _DEEPEST:
        return "how far it reaches is not known"
    if found := misused(function):
        return found
    for call in function.calls():
        found = _of_call(call) or next(
            filter(None, (_effect(run, (*around, function)) for run in call.runs)), ""
        )
        if found:
            return found
    return ""


def _of_call(call: Call) -> str:
    receiver = call.receiver
    if call.has(*_OUTSIDE) or call.is_of("builtins.next"):
        return "it does something in Python"
    if call.has(Trait.KEEPS_ARGUMENT) and receiver is not None and receiver.kind in _KEPT:
        return "it changes a list of others"
    is_drawn = call.has(Trait.RANDOM) and all(f.framework in _OF_PYTHON for f in call.facts)
    return "it draws numbers in Python" if is_drawn else ""
