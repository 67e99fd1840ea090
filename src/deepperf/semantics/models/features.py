"""What flows between the layers of a model: its sizes, and what they were on the way."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from deepperf.knowledge.layer_forms import LayerKind
from deepperf.semantics.models import shapes
from deepperf.semantics.models.shapes import Settings
from deepperf.semantics.sizes.dimensions import Sizes


class Feature(Struct, frozen=True):
    """What flows between layers.

    `image` is what the model was given first; `map` is what was flattened into a vector, None
    where nothing was. `smallest` is the least number of places that a map had on the way.
    """

    sizes: Sizes
    image: Sizes
    map: Sizes | None = None
    smallest: int | None = None

    @property
    def channels(self) -> int | None:
        """The last size; None also where a single number flows."""
        return self.sizes[-1] if self.sizes else None


def fresh(sizes: Sizes) -> Feature:
    """What a model is given."""
    return Feature(sizes, sizes, smallest=_places(sizes))


def _places(sizes: Sizes) -> int | None:
    return shapes.product(sizes[:-1]) if len(sizes) > 1 else None


def flattened(feature: Feature | None) -> Feature | None:
    """The feature as a vector."""
    if feature is None:
        return None
    whole = feature.map if len(feature.sizes) == 1 else feature.sizes
    return replace(feature, sizes=(shapes.product(feature.sizes),), map=whole)


def after(settings: Settings, before: Feature | None) -> Feature | None:
    """What a layer makes of a feature; None where that is not known."""
    if before is None:
        return None
    sizes = shapes.output(settings, before.sizes)
    if sizes is None:
        return None
    if settings.form.kind is LayerKind.FLATTEN:
        return flattened(before)
    inner = settings.inner
    if inner is not None and inner.form.kind is LayerKind.FLATTEN:
        return replace(before, sizes=sizes, map=before.sizes[1:])
    keeps = settings.form.kind in (LayerKind.SAME, LayerKind.NORMALIZATION)
    now = _places(sizes)
    if now is None or before.smallest is None:
        smallest = before.smallest if keeps or len(sizes) == 1 else now
    else:
        smallest = min(before.smallest, now)
    return replace(before, sizes=sizes, map=before.map if keeps else None, smallest=smallest)


def step_of(sequence: Feature) -> Feature | None:
    """What a layer is given that is applied to each step of a sequence; None if there are none."""
    if not sequence.sizes:
        return None
    steps, image, smallest = sequence.sizes[0], sequence.image, sequence.smallest
    if not steps or len(image) < 2 or image[0] != steps:
        return replace(sequence, sizes=sequence.sizes[1:])
    return Feature(
        sequence.sizes[1:],
        image[1:],
        sequence.map,
        smallest // steps if smallest is not None else None,
    )
