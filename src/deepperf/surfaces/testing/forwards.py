"""Counts how often a test has PyTorch models run for each sample."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from deepperf.dynamic.recording.places import Place, UserCode


@dataclass(slots=True)
class Forwards:
    """The rows that models were given, those of them that differ, and the calls by line."""

    given: Counter[int] = field(default_factory=Counter)
    different: dict[int, set[bytes]] = field(default_factory=dict)
    places: Counter[Place] = field(default_factory=Counter)
    depth: int = 0

    @property
    def per_sample(self) -> float:
        """Of the model that is run most often for a sample, how often that is."""
        ratios = (self.given[key] / len(rows) for key, rows in self.different.items() if rows)
        return max(ratios, default=0.0)


@contextmanager
def forwards(code: UserCode) -> Iterator[Forwards]:
    """The calls of models that the test makes meanwhile; those within another do not count."""
    found = Forwards()
    torch: Any = sys.modules.get("torch")
    if torch is None:
        yield found
        return

    def begin(module: Any, arguments: Any, named: Any) -> None:
        found.depth += 1
        place = code.place(sys._getframe(1)) if found.depth == 1 else None
        first = next(_tensors(torch, (*arguments, *named.values())), None)
        if place is None or first is None:
            return
        key = id(module)
        rows = list(_rows(first))
        found.given[key] += len(rows)
        found.different.setdefault(key, set()).update(rows)
        found.places[place] += len(rows)

    def end(*_: Any) -> None:
        found.depth -= 1

    hooks = sys.modules["torch.nn.modules.module"].__dict__
    before = torch.nn.modules.module.register_module_forward_pre_hook
    after = hooks["register_module_forward_hook"](end, always_call=True)
    handles = [before(lambda module, arguments: begin(module, arguments, {})), after]
    try:
        yield found
    finally:
        for handle in handles:
            handle.remove()


def _tensors(torch: Any, values: Iterable[Any]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from _tensors(torch, value)
        elif isinstance(value, Mapping):
            yield from _tensors(torch, value.values())


def _rows(tensor: Any) -> Iterator[bytes]:
    """What tells the rows of a batch apart."""
    values = tensor.detach()
    whole = values.reshape(1, -1) if values.dim() < 2 else values.flatten(1)
    kind = f"{values.dtype} {tuple(values.shape[1:])} ".encode()
    for row in whole.cpu().contiguous():
        yield kind + bytes(row.untyped_storage()) if row.numel() == 0 else kind + _bytes(row)


def _bytes(row: Any) -> bytes:
    return bytes(row.contiguous().view(-1).numpy(force=True).tobytes())
