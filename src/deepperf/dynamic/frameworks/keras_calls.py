"""Tells signals of the calls that a user's program makes to Keras models, of Keras 2 and 3."""

from __future__ import annotations

import functools
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.unseen import standing_for

LISTENERS = "_deepperf_listeners"
"""Where a method keeps who is told of its calls: wrapped once, it costs as much as for one."""
DEEPEST_PIPELINE = 60
"""Stages of a pipeline that are looked at."""
LAYER_HOMES = ("keras.src.layers.layer", "tf_keras.src.engine.base_layer")
HOMES = ("keras.src.models.model", "tf_keras.src.engine.training")


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A call that has returned: of which model's method, with what, from where, how long.

    `result` is what it returned, None where it raised.
    """

    model: Any
    method: str
    arguments: tuple[Any, ...]
    named: dict[str, Any]
    place: Place
    seconds: float
    result: Any = None

    def argument(self, name: str, position: int) -> Any:
        """An argument by its name or place, None where it was not given."""
        if name in self.named:
            return self.named[name]
        return self.arguments[position] if position < len(self.arguments) else None


Listener = Callable[[ModelCall], None]


def listen(tape: Tape, what: str, methods: Sequence[str], listener: Listener) -> None:
    """Have a signal, `what`, told of each call to these methods that comes from outside of Keras.

    Of `__call__`, only calls are told that stand in the user's own code, since a layer's are many,
    and that do not say that they train.
    """

    def begin(module: ModuleType) -> None:
        for method in methods:
            _wrap(tape, what, module.Model, method, listener)

    for home in HOMES:
        tape.imports.after(home, begin)


def listen_once(tape: Tape, what: str, methods: Sequence[str], listener: Listener) -> None:
    """The same, of each model for the first call alone."""
    models: weakref.WeakSet[Any] = weakref.WeakSet()

    def first(call: ModelCall) -> None:
        if call.model not in models:
            models.add(call.model)
            listener(call)

    listen(tape, what, methods, first)


def _wrap(tape: Tape, what: str, cls: Any, name: str, listener: Listener) -> None:
    method = getattr(cls, name)
    others: list[tuple[str, Listener]] | None = getattr(method, LISTENERS, None)
    if others is not None:
        others.append((what, listener))
        return
    listeners = [(what, listener)]
    state = threading.local()
    code = tape.code
    must_be_direct = name == "__call__"

    @standing_for(method)
    def watched(self: Any, *arguments: Any, **named: Any) -> Any:
        is_step = must_be_direct and named.get("training") is True
        if is_step or not tape.active or getattr(state, "inside", False):
            return method(self, *arguments, **named)
        frame = sys._getframe(1)
        if must_be_direct and not code.path_of(frame.f_code.co_filename):
            return method(self, *arguments, **named)
        place = code.place(frame)
        del frame
        state.inside = True
        begin = time.perf_counter()
        result = None
        try:
            result = method(self, *arguments, **named)
            return result
        finally:
            seconds = time.perf_counter() - begin
            state.inside = False
            if place is not None:
                call = ModelCall(self, name, arguments, named, place, seconds, result)
                tape.guarded(name, lambda: _tell(tape, listeners, call))

    setattr(watched, LISTENERS, listeners)
    setattr(cls, name, watched)


def _tell(tape: Tape, listeners: Sequence[tuple[str, Listener]], call: ModelCall) -> None:
    for what, listener in listeners:
        tape.uncounted(what, functools.partial(listener, call))


def places_of_layers(tape: Tape, what: str) -> weakref.WeakKeyDictionary[Any, Place]:
    """By layer, the user's line that made it; filled while the program runs."""
    places: weakref.WeakKeyDictionary[Any, Place] = weakref.WeakKeyDictionary()

    def begin(module: ModuleType) -> None:
        make = module.Layer.__new__
        if make is object.__new__:
            # It takes no arguments once it is replaced.
            return

        @standing_for(make)
        def watched(kind: Any, *arguments: Any, **named: Any) -> Any:
            layer = make(kind, *arguments, **named)
            if tape.active:
                place = tape.code.place(sys._getframe(1))
                if place is not None:
                    tape.guarded(what, lambda: places.__setitem__(layer, place))
            return layer

        module.Layer.__new__ = staticmethod(watched)

    for home in LAYER_HOMES:
        tape.imports.after(home, begin)
    return places


def layers_of(model: Any) -> list[Any]:
    """All layers of a model, those in models within it, too."""
    return list(model._flatten_layers(include_self=False, recursive=True))


def count_of(weight: Any) -> int:
    """How many numbers a weight holds."""
    count = 1
    for side in weight.shape:
        count *= int(side)
    return count


def count_of_map(sides: list[int]) -> int:
    """How many numbers a map holds."""
    count = 1
    for side in sides:
        count *= side
    return count


def multiplications(model: Any) -> Iterator[tuple[Any, int, list[int]]]:
    """Layers with a kernel, their multiplications for one row, and the shape of what they make."""
    for layer in layers_of(model):
        kernel = getattr(layer, "kernel", None)
        shape = layer.output.shape if _is_called(layer) else None
        if kernel is None or shape is None or not hasattr(kernel, "shape"):
            continue
        made = [int(side or 1) for side in shape[1:]]
        yield layer, count_of(kernel) * count_of_map(made[:-1]), made


def _is_called(layer: Any) -> bool:
    return bool(getattr(layer, "_inbound_nodes", ()))


def leading_array(data: Any) -> Any:
    """The first array of what a model is given; None where it is none, a dataset or generator."""
    for _ in range(4):
        if isinstance(data, dict) and data:
            data = next(iter(data.values()))
        elif isinstance(data, (list, tuple)) and data:
            data = data[0]
        else:
            break
    return data if hasattr(data, "shape") and hasattr(data, "dtype") else None


def rows_of(data: Any) -> int | None:
    """How many rows a model is given; None where it cannot be told without using the data up."""
    array = leading_array(data)
    try:
        return int(array.shape[0])
    except (AttributeError, IndexError, TypeError, ValueError):
        return None


def pipeline_of_batches(dataset: Any) -> tuple[int | None, int]:
    """How many samples a tf.data pipeline has in one round, and how many are in a batch; None and
    0 where that is not told."""
    size = 0
    for _ in range(DEEPEST_PIPELINE):
        if not hasattr(dataset, "_inputs"):
            return None, 0
        name = type(dataset).__name__
        inputs = dataset._inputs()
        if "Batch" in name and hasattr(dataset, "_batch_size"):
            size = int(dataset._batch_size)
        if size and "Repeat" not in name and "Batch" not in name:
            count = int(dataset.cardinality())
            if count > 0:
                return count, size
        if not inputs:
            return None, size
        dataset = inputs[0]
    return None, 0


def rows_of_pipeline(dataset: Any, steps: object) -> int | None:
    """How many samples a pipeline gives in so many steps, in all where None are told."""
    samples, size = pipeline_of_batches(dataset)
    asked = steps * size if isinstance(steps, int) and size else None
    known = [count for count in (samples, asked) if count is not None]
    return min(known, default=None)
