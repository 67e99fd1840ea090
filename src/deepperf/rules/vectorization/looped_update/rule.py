"""Places of one array are set, marked or counted by index, one in each iteration of a loop."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.records import Finding, Level, Role
from deepperf.rules.rule import Rule, on_file
from deepperf.rules.vectorization.looped_update.copies import Copy, copies
from deepperf.semantics.query import Cost, Function, Iteration, Loop, share
from deepperf.semantics.view import FileView, Setting

rule = Rule(
    module=__name__,
    cause="missed-efficient-api",
    symptoms=("slow-execution",),
    stage="data-preparation",
    level=Level.NOTE,
    frameworks=("tensorflow", "torch", "jax", "numpy"),
)
_INSTEAD = {
    "tensorflow": {
        Setting.MASKS: "`tf.sequence_mask(lengths, width)`, and `tf.where` with it",
        Setting.MARKS: "`tf.one_hot(indices, depth)`, reduced over the indices for a mask, or "
        "`tf.scatter_nd` with all indices",
        Setting.SETS: "`tf.scatter_nd` or `tf.tensor_scatter_nd_update` with all indices and "
        "values",
        Setting.ADDS: "`tf.tensor_scatter_nd_add`, or `tf.math.unsorted_segment_sum`, with all "
        "indices",
    },
    "torch": {
        Setting.MASKS: "one comparison for all elements: `torch.arange(width) < lengths[:, None]`",
        Setting.MARKS: "`{x}.scatter_(1, indices, value)`, or one assignment through index "
        "tensors: `{x}[rows, columns] = value`",
        Setting.SETS: "one assignment through index tensors, `{x}[rows, columns] = values`, or "
        "`scatter_`",
        Setting.ADDS: "`scatter_add_`, `index_add_` or `torch.bincount` with all indices",
    },
    "jax": {
        Setting.MASKS: "one comparison for all elements: `jnp.arange(width) < lengths[:, None]`",
        Setting.MARKS: "`jax.nn.one_hot`, or one `{x}.at[rows, columns].set(value)` with index "
        "arrays",
        Setting.SETS: "one `{x}.at[indices].set(values)` with index arrays",
        Setting.ADDS: "one `{x}.at[indices].add(values)` with index arrays",
    },
    "numpy": {
        Setting.MASKS: "one comparison for all elements: `np.arange(width) < lengths[:, None]`",
        Setting.MARKS: "one assignment through index arrays: `{x}[rows, columns] = value`",
        Setting.SETS: "one assignment of all values: `{x}[indices] = values`",
        Setting.ADDS: "`np.add.at({x}, indices, values)` or `np.bincount`, or one expression on "
        "whole arrays",
    },
}
_ENCODE = "pass all indices to the one-hot operation as one array"
_TABLE = "compute the whole table by broadcasting index arrays such as `arange`"
_DOES = {
    Setting.ENCODES: "makes a one-hot array of one index `{x}`",
    Setting.MARKS: "marks one element of `{x}`",
    Setting.MASKS: "masks a part of one row of `{x}`",
    Setting.SETS: "sets one element of `{x}`",
    Setting.ADDS: "updates one element of `{x}`",
}


@on_file
def check(file: FileView) -> Iterator[Finding]:
    if file.role is Role.TEST:
        return
    told = set[int]()
    for update in file.updates():
        if update.runs_natively:
            continue
        told.add(update.location.line)
        if update.loops and all(loop.is_tiny for loop in update.loops):
            continue
        container = update.container.quoted
        framework = update.framework if update.framework in _INSTEAD else "numpy"
        instead = _INSTEAD[framework].get(update.setting, _ENCODE).format(x=container)
        does = _DOES[update.setting].format(x=container)
        copied = ", which copies the whole array" if update.copies else ""
        yield rule.finding(
            update,
            f"{update.turns} {does}{copied}",
            _TABLE if update.is_table else f"do it at once: {instead}",
            framework=framework,
        )
    found: dict[tuple[Function, Loop | None], list[Copy]] = {}
    for copy in copies(file.queried):
        if copy.call.location.line not in told:
            found.setdefault((copy.call.function, copy.loop), []).append(copy)
    for first, *others in found.values():
        yield _copied(first, others)


def _copied(copy: Copy, others: list[Copy]) -> Finding:
    call, loop = copy.call, copy.loop
    related = [one.call.step(f"`{one.call.updated_name}` is copied, too") for one in others]
    when = f"every iteration of `{loop.header}`" if loop is not None else "every call"
    if loop is not None and not loop.contains(call):
        related.append(loop.step("the loop that repeats it"))
    return rule.finding(
        call,
        f"{when} copies all of `{call.updated_name}` to change some of its places",
        "collect the values and write them at once; or change a NumPy array in place; or put the "
        "whole loop into one function under `jax.jit`, which needs no copies",
        framework="jax",
        related=tuple(related),
        estimate=share(Cost.GROW, 1.0, Iteration.UNKNOWN),
    )
