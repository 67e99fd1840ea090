"""Counts where a test's code reads on the host what a device computes, and so waits for it.

On a machine without an accelerator the same lines are counted: there they would wait.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from deepperf.dynamic.frameworks.torch_transfers import READS
from deepperf.dynamic.recording.places import Place, UserCode

OWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
TORCH = (*sorted(READS), "cpu", "numpy")
WAITERS = {
    "torch": ("Tensor", TORCH),
    "jax._src.array": ("ArrayImpl", ("_value", "block_until_ready")),
    "tensorflow.python.framework.ops": ("_EagerTensorBase", ("_numpy",)),
}
"""Where the classes of arrays are, and what of theirs waits."""


@contextmanager
def waits(code: UserCode) -> Iterator[Counter[Place]]:
    """The lines of the user's that waited meanwhile."""
    found: Counter[Place] = Counter()
    inside = [False]

    def hear(frame: Any) -> None:
        is_ours = frame.f_code.co_filename.startswith(OWN)
        place = None if is_ours else code.place(frame)
        if place is not None:
            found[place] += 1

    with ExitStack() as stack:
        for home, (owner, names) in WAITERS.items():
            kind = getattr(sys.modules.get(home), owner, None)
            for name in names if kind is not None else ():
                stack.enter_context(_watched(kind, name, hear, inside))
        yield found


@contextmanager
def _watched(
    kind: Any, name: str, hear: Callable[[Any], None], inside: list[bool]
) -> Iterator[None]:
    """While it lasts, `hear` is told of each call, or read, of an attribute of a class, but for
    those that one of the others makes.
    """
    own = getattr(kind, name, None)
    if own is None:
        yield
        return
    was_there = name in vars(kind)
    get: Any = own.fget if isinstance(own, property) else own

    def watched(*arguments: Any, **named: Any) -> Any:
        if inside[0]:
            return get(*arguments, **named)
        inside[0] = True
        try:
            hear(sys._getframe(1))
            return get(*arguments, **named)
        finally:
            inside[0] = False

    setattr(kind, name, property(watched) if isinstance(own, property) else watched)
    try:
        yield
    finally:
        if was_there:
            setattr(kind, name, own)
        else:
            delattr(kind, name)
