"""Rows are picked from a matrix by a product with ones and zeros."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.fixes.arguments import argument_text
from deepperf.knowledge.schema import Trait
from deepperf.records import Edit, Finding, Fix, Level, Safety
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Kind, Value

rule = Rule(
    module=__name__,
    cause="missed-efficient-api",
    symptoms=("slow-execution", "out-of-memory"),
    stage="model-building",
    level=Level.WARNING,
    frameworks=("torch", "tensorflow", "keras"),
)

_DEEPEST = 6
_REMEDIES = {
    "keras": "take the rows, `keras.ops.take(table, indices, axis=0)`, or use an `Embedding` layer",
    "torch": "index the rows, `table[indices]`, or use `torch.nn.functional.embedding`",
    "tensorflow": "take the rows, `tf.gather(table, indices)`, or use `tf.nn.embedding_lookup`",
}
_ON_TPU = ("torch_xla", "TPUStrategy", "TPUClusterResolver")


@each_call(Trait.MARKS_INDICES)
def check_call(call: Call) -> Iterator[Finding]:
    # On a TPU a product with ones and zeros is the fast way.
    if call.framework not in _REMEDIES or any(call.file.mentions(word) for word in _ON_TPU):
        return
    product = _product(call.result)
    if product is not None and product.product is not None:
        table = product.product.right
        yield rule.finding(
            call,
            f"`{product.text}` multiplies by ones and zeros to pick rows of `{table.text}`",
            _REMEDIES[call.framework],
            fix=_fix(call, product, table),
            related=(product.step("the product"),),
            framework=call.framework,
            estimate=0.05,
        )


def _fix(call: Call, product: Value, table: Value) -> Fix | None:
    """The rows by their indices, where the product is one expression and the table a name."""
    is_one = product.span[0] <= call.span[0] and call.span[1] <= product.span[1]
    indices = argument_text(call.file_text, *call.span, 0)
    if not is_one or indices is None or not table.source.replace(".", "_").isidentifier():
        return None
    if call.framework != "torch":
        return None
    edit = Edit(*product.span, f"{table.source}[{indices}]")
    return Fix("pick the rows by their indices", (edit,), Safety.UNSAFE)


def _product(value: Value) -> Value | None:
    """The product whose first factor it is, perhaps cast, where it goes nowhere else."""
    source = value
    for _ in range(_DEEPEST):
        readers = [reader for reader in value.readers if reader.readers or reader.call is not None]
        if len(readers) != 1:
            return None
        value = readers[0]
        if value.product is not None:
            return value if value.product.left == source else None
        if value.kind is Kind.ATTRIBUTE:
            continue
        if value.call is None or not value.call.has(Trait.CASTS):
            return None
        source = value
    return None
