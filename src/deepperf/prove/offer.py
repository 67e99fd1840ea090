"""What an opportunity offers: a change that helps some programs and not others."""

from __future__ import annotations

import enum
import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

from deepperf.fixes.imports import spell
from deepperf.records import Edit
from deepperf.semantics.query import Call, File, Loop, LoopKind


class Quantity(enum.Enum):
    """What of a run is compared."""

    CPU = "CPU time"
    WALL = "time"  # for what has work done at the same time: less is saved of CPU time than of this
    STEP = "CPU time per step"  # for what costs once, before the first steps, and saves in each
    PACE = "time per step"  # what time and CPU time become where an accelerator's clock tells steps
    MEMORY = "peak of memory"  # for what saves no time


class Part(enum.Enum):
    """What of a run an opportunity touches: it can save no more than that takes."""

    LOADING = "waiting for batches"
    MODEL = "what frameworks compute"
    UPDATING = "steps of optimizers"
    HERE = "the function where it stands"


@dataclass(frozen=True, slots=True)
class Machine:
    """What the program runs on; `accelerators` is 0 where it uses none."""

    cores: int
    accelerators: int = 0


@dataclass(frozen=True, slots=True)
class Offer:
    """Edits to one file, what they do in a phrase, and at which line."""

    title: str
    line: int
    edits: tuple[Edit, ...]


def opportunities() -> Iterator[ModuleType]:
    """All there are, by their names: `QUANTITY`, `TOUCHES`, `SAVES` and `offers(file, machine)`.

    `SAVES` is the part of what it `TOUCHES` that is mostly saved: with what the watched run took
    for that, it decides what is tried first. Where a run takes much longer to start, `STARTING`
    says by how many seconds, about.
    """
    from deepperf.prove import opportunities as package

    for module in sorted(pkgutil.iter_modules(package.__path__), key=lambda module: module.name):
        yield importlib.import_module(f"{package.__name__}.{module.name}")


def name_of(opportunity: ModuleType) -> str:
    """As people write it: `fused-optimizer`."""
    return opportunity.__name__.rpartition(".")[2].replace("_", "-")


def step_loops(file: File) -> Iterator[Loop]:
    """The loops whose iterations are training steps."""
    return (loop for loop in file.loops() if loop.kind is LoopKind.STEP)


def trained_models(file: File) -> tuple[Call, ...]:
    """The calls that make the models that training steps run, where a variable takes them."""
    from deepperf.knowledge.schema import Trait

    found: dict[Call, None] = {}
    for loop in step_loops(file):
        for call in loop.calls():
            if call.way_to(Trait.RUNS_MODULE) and "torch.nn.Module" in call.callee.types:
                for maker in call.callee.makers:
                    if maker.path == file.path and maker.result.variable:
                        found[maker] = None
    return tuple(found)


def spelled(file: File, *names: str, alias: str = "") -> tuple[str, tuple[Edit, ...]]:
    """How the file may write a qualified name, and the edits that this needs; "" for not at all."""
    found = spell(file.text, *names, alias=alias)
    return ("", ()) if found is None else (found.text, found.edits)
