"""Attention is written as products and a softmax, which store a number for each pair."""

from __future__ import annotations

from collections.abc import Iterator

from deepperf.knowledge.schema import Trait
from deepperf.records import Finding, Level
from deepperf.rules.rule import Rule, each_call
from deepperf.semantics.query import Call, Kind, Value

rule = Rule(
    module=__name__,
    cause="missed-efficient-api",
    symptoms=("slow-execution", "out-of-memory"),
    stage="model-building",
    level=Level.NOTE,
    frameworks=("torch",),
)

_DEEPEST = 6
_MOST = 32
_HANDED_ON = (Kind.PHI, Kind.CYCLE, Kind.BINARY, Kind.ATTRIBUTE, Kind.CALL)

_SKETCH = """\
# instead of `{product}`, its scaling, mask and softmax, and `{values}`:
{name} = torch.nn.functional.scaled_dot_product_attention(
    {query}, {key}, {value},
    attn_mask=...,  # True where attention is allowed, or what is added; None without a mask
    scale=...,  # None where it is `head_dim ** -0.5`
)
"""


@each_call(Trait.WEIGHS)
def check_call(call: Call) -> Iterator[Finding]:
    for given in (call.receiver, *call.arguments[:1]):
        product = _product(given) if given is not None else None
        if product is not None:
            break
    else:
        return
    factors = product.product
    if factors is None or not factors.is_transposed:
        return
    values = _only_product(call.result)
    if values is None or call.file.mentions_any(Trait.ATTENDS):
        return
    if call.file.admits("torch", "2.0"):
        yield rule.finding(
            call,
            f"attention by hand: `{product.text}` and its softmax store a number for each pair",
            "`torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=…)` runs fused"
            " kernels that do not",
            sketch=_sketch(product, values),
            related=(product.step("the products"), values.step("the weighted values")),
            estimate=0.005,
        )


def _sketch(product: Value, values: Value) -> str:
    """With the matrices that are multiplied, where one is seen to be transposed in place."""
    if product.product is None or values.product is None:
        return ""
    query, turned, _ = product.product
    if product.call is not None and product.call.has(Trait.CONTRACTS):
        return ""  # its axes may have an order of their own
    key = turned.operands[0] if turned.kind is Kind.ATTRIBUTE else None
    if turned.call is not None:
        key = turned.call.receiver
    if key is None or "\n" in query.source + key.source + values.product.right.source:
        return ""
    return _SKETCH.format(
        product=product.text,
        values=values.text,
        name=values.variable or "attended",
        query=query.source,
        key=key.source,
        value=values.product.right.source,
    )


def _product(value: Value) -> Value | None:
    """The product of matrices that scores are, below scaling, masks and casts."""
    for _ in range(_DEEPEST):
        if value.product is not None:
            return value
        inner = _inner(value)
        if inner is None:
            return None
        value = inner
    return None


def _inner(value: Value) -> Value | None:
    if value.kind in (Kind.BINARY, Kind.PHI):
        parts = value.operands
        return next((part for part in parts if _product(part) is not None), parts[0])
    call = value.call
    is_plain = call is not None and not call.has(Trait.REDUCES, Trait.RUNS_MODULE)
    return call.receiver if call is not None and is_plain else None


def _only_product(weights: Value) -> Value | None:
    """The product that weights go into, where they go nowhere else that anybody looks at."""
    pending, seen, products = [weights], {weights}, list[Value]()
    while pending:
        for user in (value := pending.pop()).users:
            if user in seen or _tells_shape(user):
                continue
            seen.add(user)
            if user.product is not None and value == user.product.left:
                products.append(user)
            elif user.kind in _HANDED_ON and len(seen) < _MOST:
                pending.append(user)
            elif user.kind is Kind.TUPLE and value.is_read_by_callers is False:
                continue
            elif user.readers:
                return None
    return products[0] if len(products) == 1 else None


def _tells_shape(value: Value) -> bool:
    """Whether it is asked for its shape or type, and not for its numbers."""
    asked = [value, *value.users] if value.kind is Kind.ATTRIBUTE else [value]
    calls = [one.call for one in asked if one.call is not None]
    if not calls:
        return value.kind is Kind.ATTRIBUTE and value.is_array is False
    return any(call.has(Trait.TELLS_SHAPE) for call in calls)
