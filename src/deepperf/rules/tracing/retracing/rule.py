"""A compiled function is traced again for each new number, text or length that it is given."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.records import Finding, Fix, Level, Role
from deepperf.rules.guard_rails import says_recompilations
from deepperf.rules.rule import Rule, on_file
from deepperf.rules.tracing.retracing.formulas import Passed, passed
from deepperf.rules.tracing.retracing.mending import as_indices, as_tensor, mended
from deepperf.rules.tracing.retracing.static_arguments import as_array
from deepperf.semantics.view import FileView
from deepperf.semantics.view.retracing import Anew, Retracing, retracings

rule = Rule(
    module=__name__,
    cause="graph-confusion",
    symptoms=("slow-execution", "memory-leak"),
    stage="training",
    level=Level.WARNING,
    frameworks=("tensorflow", "jax"),
)

_STATIC = (
    "make it a non-static argument, with `jax.lax` control flow, or masks where it decides shapes"
)


@on_file
def check(file: FileView) -> Iterator[Finding]:
    if file.role is Role.TEST:
        return
    told = set()
    for found in retracings(file):
        if found.path.loop.file.role is Role.TEST:
            continue
        told.add(found.call.location)
        yield rule.finding(
            found.call,
            f"`{found.call.called}` is {_again(found)} for each new {_what(found)}",
            _remedy(found) + says_recompilations(file.queried, found.framework, found.call.called),
            found.path.steps(),
            fix=mended(file.queried, found),
            framework=found.framework,
        )

    for one in passed(file.queried):
        if one.call.location not in told:
            yield _of_formula(one)


def _of_formula(found: Passed) -> Finding:
    is_jax = found.compiled.framework == "jax"
    text = found.argument.text
    return rule.finding(
        found.call,
        f"`{found.call.name}` is {'compiled' if is_jax else 'traced'} again for each new `{text}`,"
        f" which is {'static here' if is_jax else found.says}",
        (_STATIC if is_jax else _instead(found))
        + says_recompilations(found.call.file, found.compiled.framework, found.call.name),
        fix=as_array(found.call, found.parameter, found.compiled) if is_jax else _fix(found),
        framework=found.compiled.framework,
        related=(found.compiled.step(f"`{found.compiled.text}` compiles it"),),
        level=Level.WARNING if found.is_sure else Level.NOTE,
    )


def _instead(found: Passed) -> str:
    if found.is_longer:
        return "pass one tensor of a fixed length, and mask what is not there yet"
    return f"pass it as a tensor: `tf.constant({found.argument.text})`, or a variable"


def _fix(found: Passed) -> Fix | None:
    made = as_tensor(found.call, found.argument.text, found.parameter)
    if made is None and found.is_indices:
        return as_indices(found.call, found.argument.text, found.parameter, found.compiled)
    return made


def _again(found: Retracing) -> str:
    return "compiled again" if found.framework == "jax" else "traced again"


def _what(found: Retracing) -> str:
    if found.anew is Anew.LENGTH:
        return f"length of `{found.argument}`"
    kind = "Python number" if found.anew is Anew.NUMBER else "string"
    how = "static here" if found.framework == "jax" else f"a {kind}"
    return f"`{found.argument}`, which is {how}"


def _remedy(found: Retracing) -> str:
    is_jax = found.framework == "jax"
    array = "an array" if is_jax else "a tensor"
    if found.anew is Anew.LENGTH:
        further = "" if is_jax else ", or set `reduce_retracing=True`"
        return f"pass arrays of one length (pad or mask them), or of a few lengths{further}"
    if found.picks_by_it:
        picks = "`jax.lax.switch`" if is_jax else "`tf.switch_case`"
        stacked = "index the stacked arrays" if is_jax else "`tf.gather` from the stacked tensors"
        return (
            f"pass the index as {array}, and {stacked}, or select functions with {picks}; "
            "or select outside and pass the result"
        )
    if found.anew is Anew.TEXT:
        return "branch on the string outside the function, and pass numbers or arrays"
    if is_jax:
        return _STATIC
    return f"pass it as {array}: `tf.constant({found.argument})`, or a variable"
