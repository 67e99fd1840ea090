"""A model is loaded in float32 and then cast to 16 bits."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import add_keyword, argument_text
from deepperf.fixes.imports import spell
from deepperf.knowledge.schema import ParameterRole, Trait
from deepperf.records import Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Cost, Iteration, Kind, Value, share

rule = Rule(
    module=__name__,
    cause="improper-configuration",
    symptoms=("out-of-memory", "slow-execution"),
    stage="prediction",
    level=Level.NOTE,
    frameworks=("transformers",),
)
_TYPES = "torch"
"""The package whose types have the names of the methods that cast to them."""
_AUTOMATIC = "5"
"""The version of transformers from which on weights keep the type that their files have."""


@each_call(Trait.GIVES_MODEL)
def check(call: Call) -> Iterator[Finding]:
    typed = [p.name for f in call.facts for p in f.parameters if p.role is ParameterRole.PRECISION]
    if not typed or call.passes_unseen or _is_chosen(call):
        return
    if call.framework == "transformers" and not call.file.admits(call.framework, until=_AUTOMATIC):
        return
    cast = _cast(call)
    if cast is None or cast.conditions != call.conditions:
        return
    name, wanted, given = typed[-1], _wanted(cast), _type_of(cast)
    casts = "casts" if given is None or len(given.names) == 1 else "may cast"
    yield rule.finding(
        call,
        f"`{call.name}` loads weights of 32 bits, which `.{cast.callee.data}(…)` then {casts}"
        " to 16 bits",
        f"pass `{name}={wanted}`: half the memory is needed while it loads",
        framework="transformers",
        related=(cast.step("weights are cast here"),),
        fix=_fix(call, cast, name),
        estimate=share(Cost.LOAD_MODEL, 1, Iteration.RUN),
    )


def _is_chosen(call: Call) -> bool:
    """Whether something else decides in which type weights are kept, or may do so."""
    foreign = call.in_role(ParameterRole.FOREIGN)
    if foreign is not None and foreign.constant is not False:
        return True
    roles = (ParameterRole.PRECISION, ParameterRole.QUANTIZED)
    return any(call.all_in_role(role) for role in roles)


def _cast(call: Call) -> Call | None:
    """The first thing that is done with the model, moves aside, if it casts the weights."""
    pending = [call.result, *_kept(call)]
    while pending:
        for user in pending.pop(0).users:
            if user.kind is Kind.SET_ATTRIBUTE:
                continue
            methods = [one.call for one in user.users] if user.kind is Kind.ATTRIBUTE else []
            for method in methods:
                if method is None or method.callee != user:
                    return None
                if method.has(Trait.HALVES) or _type_of(method) is not None:
                    return method
                if not method.result.types or method.result.types != call.result.types:
                    return None
                pending.append(method.result)
            if not methods:
                return None
    return None


def _kept(call: Call) -> list[Value]:
    """The reads of an attribute of an object that the function sets to the model alone."""
    sets = [one for one in call.result.users if one.kind is Kind.SET_ATTRIBUTE]
    names = {one.data for one in sets}
    reads = call.function.values(Kind.ATTRIBUTE) if names else iter(())
    return [one for one in reads if one.data in names and one.makers == (call,)]


def _type_of(cast: Call) -> Value | None:
    """The argument that is a type of 16 bits, or may be."""
    return next((one for one in cast.arguments if Trait.HALVES in one.traits), None)


def _wanted(cast: Call) -> str:
    """The type, as the call that casts is written; methods are named after the types."""
    for position, (name, value) in enumerate(cast.written_arguments):
        if Trait.HALVES in value.traits:
            which = name.rstrip("=") or position
            return argument_text(cast.file_text, *cast.span, which) or value.text
    return f"{_TYPES}.{cast.callee.data}"


def _fix(call: Call, cast: Call, name: str) -> Fix | None:
    given = _type_of(cast)
    if given is not None and given.kind is not Kind.ATTRIBUTE:
        return None  # a variable may not be there yet where the model is loaded
    spelled = spell(call.file_text, _wanted(cast)) if given is None else None
    value = given.source if given is not None else spelled.text if spelled is not None else ""
    edit = add_keyword(call.file_text, *call.span, name, value) if value else None
    if edit is None:
        return None
    imports = spelled.edits if spelled is not None else ()
    return Fix(f"pass `{name}`", (*imports, edit), Safety.UNSAFE)
