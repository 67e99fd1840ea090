"""Where the frameworks tell that a training step has ended; no marks of the user's are needed."""

from __future__ import annotations

import functools
import sys
import threading
import weakref
from collections.abc import Callable
from types import ModuleType
from typing import Any

from deepperf.dynamic.frameworks.torch_compiling import after_optimizer_steps
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import BATCHES, JITTED_CALLS, OPTIMIZER_STEPS, TRAINING_CALLS
from deepperf.dynamic.recording.unseen import standing_for

CALLBACK_LISTS = {
    "keras.src.callbacks.callback_list": "on_train_batch_end",
    "tf_keras.src.callbacks": "on_train_batch_end",
}
OPTIMIZERS = {
    "keras.src.optimizers.base_optimizer": ("BaseOptimizer", "apply"),
    "tf_keras.src.optimizers.optimizer": ("_BaseOptimizer", "apply_gradients"),
    "tensorflow.python.training.optimizer": ("Optimizer", "apply_gradients"),
}
TRAINING_METHODS = {
    "keras.src.backend.tensorflow.trainer": ("TensorFlowTrainer", "train_on_batch"),
    "tf_keras.src.engine.training": ("Model", "train_on_batch"),
}
"""What makes a step by itself, and tells no callback."""
TRAINERS = ("keras.src", "tf_keras.src")
"""Where the functions stand that `fit` compiles, of which each batch is counted already."""
TRAINS = "_deepperf_trains"


def watch(tape: Tape) -> None:
    """Have the tape told of steps as soon as a framework is there."""
    after_optimizer_steps(tape, functools.partial(_count, tape, _Leader()))
    for home, method in CALLBACK_LISTS.items():
        tape.imports.after(home, functools.partial(_watch_batches, tape, method))
    for home, (name, method) in TRAINING_METHODS.items():
        tape.imports.after(home, functools.partial(_watch_method, tape, name, method))
    calls = _Calls()
    tape.imports.after(
        "tensorflow.python.eager.polymorphic_function.polymorphic_function",
        lambda module: _watch_functions(tape, calls, module),
    )
    for home, (name, method) in OPTIMIZERS.items():
        tape.imports.after(home, functools.partial(_watch_updates, tape, calls, name, method))
    tape.imports.after("jax._src.api", lambda module: _watch_jax(tape, module))


class _Leader:
    """Of several optimizers that take turns, the one whose steps are counted."""

    __slots__ = ("_followed", "_other")

    def __init__(self) -> None:
        self._followed: weakref.ref[Any] | None = None
        self._other = 0

    def is_it(self, optimizer: Any) -> bool:
        """Whether it is followed: the first, until it is gone, or until another has made two steps
        without it."""
        followed = None if self._followed is None else self._followed()
        if followed is not optimizer:
            identity = id(optimizer)
            if followed is not None and identity != self._other:
                self._other = identity
                return False
            self._followed = weakref.ref(optimizer)
        self._other = 0
        return True


def _count(tape: Tape, leader: _Leader, optimizer: Any) -> None:
    if leader.is_it(optimizer):
        tape.tick(OPTIMIZER_STEPS)


def _watch_batches(tape: Tape, method: str, module: Any) -> None:
    cls = module.CallbackList
    end = getattr(cls, method)

    @standing_for(end)
    def ended(self: Any, *arguments: Any, **named: Any) -> Any:
        tape.step(BATCHES)
        return end(self, *arguments, **named)

    setattr(cls, method, ended)


def _watch_method(tape: Tape, name: str, method: str, module: ModuleType) -> None:
    cls: Any = getattr(module, name)
    train = getattr(cls, method)

    @standing_for(train)
    def trained(self: Any, *arguments: Any, **named: Any) -> Any:
        try:
            return train(self, *arguments, **named)
        finally:
            tape.step_done(TRAINING_CALLS)

    setattr(cls, method, trained)


class _Calls(threading.local):
    """The outermost tf.function that a thread is calling, and those known to train."""

    def __init__(self) -> None:
        self.outermost: Any = None


def _watch_functions(tape: Tape, calls: _Calls, module: ModuleType) -> None:
    cls: Any = module.Function
    call = cls.__call__

    @standing_for(call)
    def called(self: Any, *arguments: Any, **named: Any) -> Any:
        if calls.outermost is not None:
            return call(self, *arguments, **named)
        calls.outermost = self
        try:
            return call(self, *arguments, **named)
        finally:
            calls.outermost = None
            if getattr(self, TRAINS, False):
                tape.step_done(TRAINING_CALLS)

    cls.__call__ = called


def _is_of_trainer(function: Any) -> bool:
    return str(getattr(function.python_function, "__module__", "")).startswith(TRAINERS)


def _watch_updates(tape: Tape, calls: _Calls, name: str, method: str, module: ModuleType) -> None:
    cls: Any = getattr(module, name)
    update = getattr(cls, method)
    leader = _Leader()

    @standing_for(update)
    def updated(self: Any, *arguments: Any, **named: Any) -> Any:
        try:
            return update(self, *arguments, **named)
        finally:
            function = calls.outermost
            if function is None:
                if leader.is_it(self):
                    tape.step_done(OPTIMIZER_STEPS)
            elif not _is_of_trainer(function):
                setattr(function, TRAINS, True)

    setattr(cls, method, updated)


def _watch_jax(tape: Tape, module: Any) -> None:
    # What `jax_debug_nans` uses: called from C++ after each dispatch. There is no public way.
    state: Any = getattr(module, "_post_hook_state", None)
    if state is None or not hasattr(module, "_nan_check_posthook"):
        return
    clocks: weakref.WeakKeyDictionary[Any, str] = weakref.WeakKeyDictionary()
    leaders = {TRAINING_CALLS: _Leader(), JITTED_CALLS: _Leader()}
    is_hidden = False

    def called(function: Any, arguments: Any, named: Any, output: Any) -> None:
        clock = clocks.get(function)
        if clock is None:
            clock = tape.guarded("a call of JAX", lambda: _kind(tape, function, arguments, output))
            clocks[function] = clock or ""
        if clock and leaders[clock].is_it(function):
            tape.step(clock)
        # What is set for a thread hides what is set for all, unless JAX itself has hidden that.
        other = None if is_hidden else state.get_global()
        if other is not None:
            other(function, arguments, named, output)

    def listen() -> None:
        nonlocal is_hidden
        local = state.get_local()
        is_hidden = is_hidden or local is None
        if local is not module._nan_check_posthook:
            state.set_local(called)

    listen()
    # JAX itself switches its checks off for a moment here and there, and our hook with them.
    for debugged in (module.config.debug_nans, module.config.debug_infs):
        work = debugged._update_thread_local_hook
        debugged._update_thread_local_hook = _and_then(work, listen)


def _and_then(work: Callable[[Any], None], rest: Callable[[], None]) -> Callable[[Any], None]:
    def both(value: Any) -> None:
        work(value)
        rest()

    return both


def _kind(tape: Tape, function: Any, arguments: Any, output: Any) -> str:
    """The clock that calls of a jitted function move; none, if it is not the user's own."""
    wrapped = getattr(function, "__wrapped__", None)
    while isinstance(wrapped, functools.partial):
        wrapped = wrapped.func
    code = getattr(wrapped, "__code__", None)
    if code is None or not tape.code.path_of(code.co_filename):
        return ""
    structure = sys.modules["jax"].tree.structure
    results = [output, *(output if isinstance(output, tuple) else ())]
    # A step takes the parameters and returns them changed.
    state = structure(arguments[0] if arguments else None)
    trains = state.num_leaves > 1 and state in [structure(result) for result in results]
    return TRAINING_CALLS if trains else JITTED_CALLS
