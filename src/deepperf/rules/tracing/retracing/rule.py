"""A compiled function is traced again for each new number, text or length that it is given."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.relaxing import relaxed
from deepperf.records import Finding, Fix, Level, Role, Safety
from deepperf.rules.guard_rails import says_recompilations
from deepperf.rules.rule import Rule, each_file
from deepperf.rules.tracing.retracing.formulas import Anew, Passed, passed
from deepperf.rules.tracing.retracing.mending import as_indices, as_tensor
from deepperf.rules.tracing.retracing.static_arguments import as_array
from deepperf.semantics.query import File

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


@each_file
def check(file: File) -> Iterator[Finding]:
    if file.role is Role.TEST:
        return
    for found in passed(file):
        framework = found.compiled.framework
        again = "compiled again" if framework == "jax" else "traced again"
        yield rule.finding(
            found.call,
            f"`{found.call.name}` is {again} for each new {_what(found)}",
            _remedy(found) + says_recompilations(file, framework, found.call.name),
            fix=_fix(found),
            framework=framework,
            related=(found.compiled.step(f"`{found.compiled.text}` compiles it"),),
            level=Level.WARNING if found.is_sure else Level.NOTE,
        )


def _fix(found: Passed) -> Fix | None:
    if found.field:
        return None
    if found.anew is Anew.LENGTH:
        is_relaxing = found.compiled.framework == "tensorflow"
        edits = relaxed(found.call, found.compiled) if is_relaxing else None
        return Fix(*edits, Safety.UNSAFE) if edits is not None else None
    if found.compiled.framework == "jax":
        return as_array(found.call, found.parameter, found.compiled)
    made = as_tensor(found.call, found.text, found.parameter)
    if made is None and found.is_indices:
        return as_indices(found.call, found.text, found.parameter, found.compiled)
    return made


def _what(found: Passed) -> str:
    if found.anew is Anew.LENGTH:
        return f"length of `{found.text}`"
    if found.field:
        return f"`{found.text}`, which the field `{found.field}` holds, a constant"
    is_jax = found.compiled.framework == "jax"
    return f"`{found.text}`, which is {'static here' if is_jax else found.anew.value}"


def _remedy(found: Passed) -> str:
    if found.field:
        return f"leave `{found.field}` a part of what is traced, without the option of its field"
    is_jax = found.compiled.framework == "jax"
    if found.anew is Anew.LENGTH:
        further = "" if is_jax else ", or set `reduce_retracing=True`"
        return f"pass arrays of one length (pad or mask them), or of a few lengths{further}"
    if found.anew is Anew.TEXT:
        return "branch on the string outside the function, and pass numbers or arrays"
    if is_jax:
        return _STATIC
    if found.anew is Anew.LIST:
        return "pass one tensor of a fixed length, and mask what is not there yet"
    return f"pass it as a tensor: `tf.constant({found.text})`, or a variable"
