"""A Python loop chooses between formulas for each element of an array."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.records import Finding, Level, Role
from deepperf.rules.rule import Rule, on_file
from deepperf.semantics.view import Choice, FileView, LoopOver

rule = Rule(
    module=__name__,
    cause="missed-efficient-api",
    symptoms=("slow-execution",),
    stage="data-preparation",
    level=Level.WARNING,
    frameworks=("tensorflow", "torch", "jax", "numpy"),
)
_WHERE = {
    "tensorflow": "`tf.where(condition, x, y)`",
    "torch": "`torch.where(condition, x, y)`",
    "jax": "`jnp.where(condition, x, y)`",
    "numpy": "`np.where(condition, x, y)`, or `np.select` for several conditions,",
}


@on_file
def check(file: FileView) -> Iterator[Finding]:
    if file.role is Role.TEST:
        return
    for choice in file.choices():
        if choice.loop.is_tiny or choice.runs_natively:
            continue
        where = _WHERE.get(choice.framework, _WHERE["numpy"])
        yield rule.finding(
            choice,
            f"`{choice.loop.header}` decides by `{choice.test.quoted}` for one element at a time "
            "which formula holds",
            f"compute both formulas on whole arrays and choose by {where} with the condition on "
            "the whole array",
            framework=choice.framework if choice.framework in _WHERE else "numpy",
            # What is not known to be an array may be a list of a few things.
            level=Level.NOTE if _is_little(choice) else None,
        )


def _is_little(choice: Choice) -> bool:
    return choice.loop.over is LoopOver.ITEMS or not choice.loop.is_felt(choice.framework)
