"""A layer of a model as rules see it: its settings, and what goes through it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from deepperf.knowledge.layer_forms import LayerKind
from deepperf.semantics.models import layers, models, shapes
from deepperf.semantics.sizes import dimensions
from deepperf.semantics.sizes.dimensions import Sizes

if TYPE_CHECKING:
    from deepperf.semantics.models.features import Feature
    from deepperf.semantics.models.models import Placed
    from deepperf.semantics.models.shapes import Settings
    from deepperf.semantics.view import Call

_WRAPPERS = (LayerKind.PER_STEP, LayerKind.BOTH_WAYS)


class Layer:
    """What a call that makes a layer says of it.

    Sizes are those of one example, with the channels last whatever the framework keeps; None
    stands for what the text does not tell.
    """

    def __init__(self, call: Call, settings: Settings) -> None:
        self._call = call
        self._settings = settings

    @cached_property
    def _placed(self) -> Placed | None:
        return models.placed(self._call._analysis, self._call._site)

    @property
    def _before(self) -> Feature | None:
        return self._placed.before if self._placed is not None else None

    @property
    def units(self) -> int | None:
        """How many units or filters it has."""
        return self._settings.units

    @property
    def kernel(self) -> Sizes | None:
        return self._settings.kernel

    @property
    def stride(self) -> Sizes | None:
        return self._settings.stride

    @property
    def is_grouped(self) -> bool:
        """Whether each filter sees, or may see, only some of the channels."""
        return self._settings.groups != 1

    @property
    def leaves_points(self) -> bool:
        """Whether it adds no border, and all kernels after it, and there are some, are of 1x1."""
        padding = self._settings.padding
        if padding != "valid" and (isinstance(padding, str) or any(padding or (1,))):
            return False
        site, analysis = self._call._site, self._call._analysis
        later = (
            layers.settings_at(analysis, other.node, other.scope)
            for other in site.scope.calls
            if other.position > site.position
        )
        kernels = [found.kernel for found in later if found is not None and found.kernel]
        return bool(kernels) and all(set(kernel) == {1} for kernel in kernels)

    @property
    def inputs(self) -> int | None:
        """How many channels or features go in."""
        before = self._before
        return self._settings.inputs or (before.channels if before is not None else None)

    @property
    def takes(self) -> Sizes | None:
        """The sizes of what goes in."""
        return self._before.sizes if self._before is not None else None

    @property
    def gives(self) -> Sizes | None:
        """The sizes of what comes out."""
        after = self._placed.after if self._placed is not None else None
        return after.sizes if after is not None else None

    @property
    def image(self) -> Sizes | None:
        """The sizes of what the model is given."""
        return self._before.image if self._before is not None else None

    @property
    def is_of_pyramid(self) -> bool:
        """Whether another input's sides are half or twice those of the one that it works on.

        Such inputs are the maps of a backbone, whatever the model's own image was.
        """
        image = self.image
        found = models.layers_of(self._call._analysis, models.unit_of(self._call._site.scope))
        others = {layer.before.image for layer in found.values() if layer.before is not None}
        return image is not None and any(
            _is_half(image, other) or _is_half(other, image) for other in others
        )

    @property
    def smallest(self) -> int | None:
        """The least number of places of a map on the way from the image to here."""
        return self._before.smallest if self._before is not None else None

    @property
    def flattened(self) -> Sizes | None:
        """The map that was flattened into what goes in; also one that a product spells out."""
        before = self._before
        if before is not None and before.map is not None:
            return before.map
        node = layers.argument(self._call._node, self._settings.form, "inputs")
        if node is None:
            return None
        found = dimensions.factors(self._call._analysis, node, self._call._scope)
        return _map_of([size for size in found if size is not None], len(found))

    @property
    def weights(self) -> int | None:
        """How many weights it holds."""
        if self.units is None:
            return None
        if self._settings.inputs is not None:
            return shapes.parameters(self._settings, None)
        if self._placed is not None and self._placed.parameters is not None:
            return self._placed.parameters
        return shapes.parameters(self._settings, self.takes)

    @property
    def weights_beside(self) -> int:
        """How many weights the layers built with it hold together, as far as known, its own too."""
        found = models.beside(self._call._analysis, self._call._site)
        return sum(
            layer.parameters or 0 for layer in found if layer.settings.form.kind not in _WRAPPERS
        )


def _is_half(small: Sizes, large: Sizes) -> bool:
    """Whether a map has half the sides of another."""
    return len(small) == len(large) > 2 and all(
        side is not None and whole is not None and 2 * side == whole
        for side, whole in zip(small[:-1], large[:-1], strict=True)
    )


def _map_of(factors: list[int], written: int) -> Sizes | None:
    """The map that a product of sizes spells out, whichever factor comes first.

    Equal factors are the sides; else the largest is the number of channels.
    """
    if len(factors) < max(written, 2):
        return None
    sides = [size for size in factors if factors.count(size) == 2]
    if sides and len(factors) <= 3:
        others = [size for size in factors if factors.count(size) != 2]
        return (*sides, *(others or [1]))
    ordered = sorted(factors)
    return tuple(ordered)
