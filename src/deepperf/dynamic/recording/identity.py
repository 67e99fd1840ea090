"""What a process is among those of a run: its rank, its role, what it has started."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any


def rank_of_process() -> tuple[int, int] | None:
    """The place of this process among those that train together, and their number: by PyTorch, or
    by what launchers tell each of them; None where neither does."""
    torch: Any = sys.modules.get("torch.distributed")
    # While it is imported, or where PyTorch was built without it, it has no such function.
    is_begun = getattr(torch, "is_initialized", None)
    if is_begun is not None and is_begun():
        return torch.get_rank(), torch.get_world_size()
    told = os.environ.get("RANK", ""), os.environ.get("WORLD_SIZE", "")
    return (int(told[0]), int(told[1])) if all(map(str.isdecimal, told)) else None


def role_of_process(command: Sequence[str]) -> str:
    """What a process is called by the library that has started it, otherwise by what it runs."""
    loading: Any = sys.modules.get("torch.utils.data._utils.worker")
    if getattr(loading, "_worker_info", None) is not None:
        return "DataLoader worker"
    processes: Any = sys.modules.get("multiprocessing.process")
    if processes is not None and processes.parent_process() is not None:
        return str(processes.current_process().name)
    words = [*command[1:]]
    if "-c" in words:
        return "python -c"
    names = [os.path.basename(word) for word in words if not word.startswith("-")]
    return next(iter(names), "python")


def cpu_seconds_of_children() -> float:
    """The processor's time of the processes that this one has waited for."""
    times = os.times()
    return times.children_user + times.children_system
