"""What a call of a PyTorch model was given, and what its answer keeps for a backward pass."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

MOST_NODES = 500
"""Nodes of a graph of which it is asked what they keep."""
MOST_TOKENS = 1024
"""Tokens of a row that are compared with those of the call before."""
CACHES = {"past_key_values": "past_key_values", "cache": "use_cache"}
"""The parameters by which models of Hugging Face take what they computed for earlier tokens, until
Transformers 5.23 and since, and what stands beside: others may have a cache of something else."""


def is_plain(torch: Any, value: Any) -> bool:
    """Whether something is a tensor whose numbers lie there as they are: of other kinds, asking may
    settle what is open, or is refused, and a class of the program's would hear of it."""
    if type(value) not in (torch.Tensor, torch.nn.Parameter):
        return False
    # What `vmap` and `grad` hand on stands for other tensors, and has no numbers of its own.
    if torch._C._functorch.is_functorch_wrapped_tensor(value):
        return False
    is_strided = value.layout is torch.strided and not value.is_nested
    return is_strided and not (value.is_quantized or value.is_conj() or value.is_neg())


def tensors_of(is_tensor: Callable[[Any], bool], value: Any) -> Iterator[Any]:
    """Tensors that can be differentiated, of what a module returns."""
    if is_tensor(value):
        if value.grad_fn is not None:
            yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from tensors_of(is_tensor, part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from tensors_of(is_tensor, part)


def vectors_of(given: Any) -> int:
    """How many vectors a model multiplies with its weights: one for each token, or for each row of
    numbers. What has more axes may be an image, of which that is not told."""
    is_tokens = not given.is_floating_point() and given.dim() <= 2
    if is_tokens or given.dim() == 1:
        return int(given.numel()) if is_tokens else 1
    return int(given.size(0) if given.dim() == 2 else given.numel())


def first_tokens(given: Any) -> list[int]:
    """Those of the first row, as far as it costs little to ask; none on an accelerator, which would
    have to be waited for."""
    is_at_hand = given.device.type == "cpu" and given.size(1) <= MOST_TOKENS
    return given[0].tolist() if is_at_hand else []


def cache_of(module: Any) -> str:
    """The parameter by which a model takes what it computed for earlier tokens; "" for none."""
    taken = inspect.signature(module.forward).parameters
    return next((name for name, sign in CACHES.items() if {name, sign} <= taken.keys()), "")


def kept_by(is_tensor: Callable[[Any], bool], node: Any) -> int:
    """Bytes that a graph keeps for a backward pass, without the model's own weights; of what it was
    given, which may be a part of all the data, no more than it saw."""
    known, waiting = {node}, [node]
    sizes: dict[int, int] = {}
    weights: set[int] = set()
    while waiting and len(known) < MOST_NODES:
        node = waiting.pop()
        for name in dir(node):
            part: Any = getattr(node, name) if name.startswith("_saved_") else None
            if is_tensor(part) and not (part.is_leaf and part.requires_grad):
                storage = part.untyped_storage()
                size = storage.nbytes()
                sizes[storage.data_ptr()] = size if part.requires_grad else min(size, part.nbytes)
        weight: Any = getattr(node, "variable", None)
        if is_tensor(weight):
            # Kept as they are multiplied by, transposed: a view of them.
            weights.add(weight.untyped_storage().data_ptr())
        for following, _ in node.next_functions:
            if following is not None and following not in known:
                known.add(following)
                waiting.append(following)
    return sum(size for storage, size in sizes.items() if storage not in weights)
