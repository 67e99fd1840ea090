"""What layers do to the shape of what goes through them, and which arguments decide it.

Tables beside the facts: these say what a callable does to the program, `layers/*.toml` what a
layer does to a feature map. A file says which `module` its layers are of, where their feature
maps have their channels (`axes`), and what any of them may be told of its input (`first`). Each
`[[layer]]` gives white-separated `names`, in which `{rank}` stands for each of `ranks`, and what
`LayerForm` holds; an argument is its keyword and, unless it is keyword-only, its position in the
signature.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from msgspec import Struct, field

from deepperf.knowledge.compiled import parse_toml, read_table

FOLDER = Path(__file__).parent / "layers"


class LayerKind(enum.Enum):
    """How the shape of a layer's result follows from the shape of its input."""

    CONVOLUTION = "convolution"
    TRANSPOSED = "transposed"  # a convolution that enlarges
    DEPTHWISE = "depthwise"  # each channel by itself
    SEPARABLE = "separable"  # depthwise, then 1x1
    POOLING = "pooling"
    GLOBAL_POOLING = "global-pooling"
    ADAPTIVE_POOLING = "adaptive-pooling"  # to the size that is asked for
    UPSAMPLING = "upsampling"
    PADDING = "padding"
    CROPPING = "cropping"
    DENSE = "dense"
    RECURRENT = "recurrent"
    RECURRENT_CONVOLUTION = "recurrent-convolution"
    EMBEDDING = "embedding"
    FLATTEN = "flatten"
    RESHAPE = "reshape"
    REPEAT = "repeat"
    NORMALIZATION = "normalization"  # as the input is, with weights per channel
    SAME = "same"  # as the input is, without weights
    CONCATENATION = "concatenation"
    MERGING = "merging"  # inputs of one shape
    INPUT = "input"
    PER_STEP = "per-step"  # another layer, applied to each step of a sequence
    BOTH_WAYS = "both-ways"  # a recurrent layer, twice


class Axes(enum.Enum):
    """Where a framework's feature maps have their channels."""

    CHANNELS_LAST = "channels-last"
    CHANNELS_FIRST = "channels-first"


Argument: TypeAlias = tuple[str, int | None]
"""An argument's keyword, and its position; None for keyword-only."""


class LayerForm(Struct, frozen=True):
    """One layer class.

    `rank` is the number of spatial dimensions, 0 where any will do. `arguments` maps what an
    argument means to where it stands. `weights` is the number of weight matrices of a recurrent
    cell, of weights per channel of a normalization. `is_applied` says that the call itself
    applies the layer, to its first argument.
    """

    kind: LayerKind
    rank: int = 0
    axes: Axes = Axes.CHANNELS_LAST
    arguments: Mapping[str, Argument] = field(default_factory=dict)
    weights: int = 0
    is_applied: bool = False


class LayerTableError(ValueError):
    """A table says something that a layer's form has no place for."""


@functools.cache
def layer_forms() -> Mapping[str, LayerForm]:
    """The forms of all known layers, and layer functions, by canonical name."""
    found: dict[str, LayerForm] = {}
    for path in sorted(FOLDER.glob("*.toml")):
        found |= read_table(path, dict[str, LayerForm], parse_layers)
    return found


def parse_layers(text: str, origin: str) -> dict[str, LayerForm]:
    """The layers written in `text`. Raises `LayerTableError` naming file, table and key."""
    try:
        data = parse_toml(text)
        tables = data.pop("layer")
        module, axes = data.pop("module"), Axes(data.pop("axes"))
    except (KeyError, ValueError) as error:
        raise LayerTableError(f"{origin}: {error}") from None
    first = _arguments(data.pop("first", {}))
    if data:
        raise LayerTableError(f"{origin}: unknown `{next(iter(data))}`")
    found: dict[str, LayerForm] = {}
    for table in tables:
        where = f"{origin}: {table.get('names', '?')}"
        try:
            found.update(_layers(table, module, axes, first))
        except (KeyError, TypeError, ValueError) as error:
            raise LayerTableError(f"{where}: {error}") from None
    return found


def _layers(
    table: dict[str, Any], module: str, axes: Axes, first: Mapping[str, Argument]
) -> Iterator[tuple[str, LayerForm]]:
    rest = dict(table)
    names, kind = rest.pop("names").split(), LayerKind(rest.pop("kind"))
    module, ranks = rest.pop("module", module), rest.pop("ranks", [0])
    weights, is_applied = rest.pop("weights", 0), rest.pop("is_applied", False)
    arguments = _arguments(rest.pop("arguments", {}))
    if rest:
        raise ValueError(f"unknown `{next(iter(rest))}`")
    if not is_applied and kind is not LayerKind.INPUT:
        arguments = {**first, **arguments}
    for rank in ranks:
        form = LayerForm(kind, rank, axes, arguments, weights, is_applied)
        yield from ((f"{module}.{name.format(rank=rank)}", form) for name in names)


def _arguments(table: Mapping[str, list[Any]]) -> dict[str, Argument]:
    return {
        meaning: (keyword, position[0] if position else None)
        for meaning, (keyword, *position) in table.items()
    }
