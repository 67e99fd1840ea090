"""A column that a layer made, combined with a row of numbers of the same length: N x N of them."""

from __future__ import annotations

from typing import Any

FEWEST_ROWS = 8
"""Rows of a column: with fewer, a batch is too small for anything to be seen."""
LOSSES = ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
"""What combines two tensors before it sums up."""
LAYERS = ("Addmm", "Mm", "Linear", "Addmv", "Convolution", "MkldnnLinear")
"""How the nodes of autograd begin that stand for a layer with weights."""
ACTIVATIONS = (
    *("Sigmoid", "Tanh", "Relu", "Exp", "Softplus", "Mul", "Add", "Gelu", "Elu", "LeakyRelu"),
    *("Hardtanh", "Clamp", "LogSigmoid", "Div"),
)
"""What may stand between such a layer and what it makes in the end."""
HOPS = 4


def rows_spread(tensors: tuple[type, ...], name: str, arguments: Any, made: Any) -> int:
    """The rows of a layer's column that an operation combines with a row as long; 0 where it does
    nothing of the kind. Who wants all pairs gives one of the two a new axis, or sums with one."""
    if len(arguments) < 2 or type(made) not in tensors:
        return 0
    first, second = arguments[0], arguments[1]
    if type(first) not in tensors or type(second) not in tensors:
        return 0
    column, row = (first, second) if first.dim() == 2 else (second, first)
    if column.dim() != 2 or row.dim() != 1 or column.size(1) != 1:
        return 0
    rows = int(column.size(0))
    is_spread = name in LOSSES or (made.dim() == 2 and made.numel() == rows * rows)
    if rows < FEWEST_ROWS or row.numel() != rows or not is_spread or row.requires_grad:
        return 0
    return rows if _is_made_by_layer(column.grad_fn) else 0


def _is_made_by_layer(node: Any) -> bool:
    for _ in range(HOPS):
        if node is None:
            return False
        name = node.name()
        if name.startswith(LAYERS):
            return True
        if not name.startswith(ACTIVATIONS):
            return False
        node = next((one for one, _ in node.next_functions if one is not None), None)
    return False
