"""Parts of one array are picked by index one at a time, and joined to an array again."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.records import Finding, Level, Role
from deepperf.rules.rule import Rule, on_file
from deepperf.semantics.view import FileView, Picking

rule = Rule(
    module=__name__,
    cause="missed-efficient-api",
    symptoms=("slow-execution",),
    stage="data-preparation",
    level=Level.NOTE,
    frameworks=("tensorflow", "torch", "jax", "numpy"),
)
_PARTS = {
    Picking.ELEMENTS: "one element of",
    Picking.ROWS: "one row of",
    Picking.COLUMNS: "one column of",
    Picking.MEMBERS: "from one item of",
}
_INSTEAD = {
    "tensorflow": {
        Picking.ELEMENTS: "`tf.gather_nd({x}, indices)` with all indices, one row for each",
        Picking.ROWS: "`tf.gather({x}, indices)` with all indices",
        Picking.COLUMNS: "`tf.gather({x}, indices, axis=...)` with all indices of that axis",
        Picking.MEMBERS: "`tf.gather` or `tf.gather_nd` with `batch_dims=1` on the whole batch",
    },
    "torch": {
        Picking.ELEMENTS: "`{x}[rows, columns]` with index tensors",
        Picking.ROWS: "`{x}[indices]` or `torch.index_select` with all indices",
        Picking.COLUMNS: "`torch.index_select({x}, dim, indices)` with all indices of that axis",
        Picking.MEMBERS: "`torch.gather`, or `{x}[torch.arange(n), indices]`, on the whole batch",
    },
    "jax": {
        Picking.ELEMENTS: "`{x}[rows, columns]` with index arrays",
        Picking.ROWS: "`jnp.take({x}, indices, axis=0)` with all indices",
        Picking.COLUMNS: "`jnp.take({x}, indices, axis=...)` with all indices of that axis",
        Picking.MEMBERS: "`jnp.take_along_axis`, or `{x}[jnp.arange(n), indices]`",
    },
    "numpy": {
        Picking.ELEMENTS: "`{x}[rows, columns]` with index arrays",
        Picking.ROWS: "`{x}[indices]` with all indices",
        Picking.COLUMNS: "`np.take({x}, indices, axis=...)` with all indices of that axis",
        Picking.MEMBERS: "`np.take_along_axis`, or `{x}[np.arange(n), indices]`",
    },
}


@on_file
def check(file: FileView) -> Iterator[Finding]:
    if file.role is Role.TEST:
        return
    for lookup in file.lookups():
        if lookup.loop.is_tiny or lookup.framework not in _INSTEAD or lookup.runs_natively:
            continue
        container = lookup.container.quoted
        instead = _INSTEAD[lookup.framework][lookup.picking].format(x=container)
        yield rule.finding(
            lookup,
            f"every iteration of `{lookup.loop.header}` reads {_PARTS[lookup.picking]} "
            f"`{container}`, and `{lookup.join.called}` joins them",
            f"read all at once: {instead}",
        )
