"""A Python loop chooses between formulas for each element of an array."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.records import Finding, Level, Role
from deepperf.rules.rule import Rule, on_file
from deepperf.semantics.view import FileView

rule = Rule(
    module=__name__,
    cause="missed-efficient-api",
    symptoms=("slow-execution",),
    stage="data-preparation",
    level=Level.NOTE,
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
            f"`{choice.loop.header}` tests `{choice.test.quoted}` for one element at a time "
            "to choose a formula",
            f"compute both formulas on whole arrays and select with {where} by the "
            "condition on the whole array",
            framework=choice.framework if choice.framework in _WHERE else "numpy",
        )
