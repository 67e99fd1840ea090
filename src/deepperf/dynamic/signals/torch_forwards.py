"""A PyTorch model is asked about one row at a time, or keeps what only a backward pass needs."""

from __future__ import annotations

import inspect
import sys
import time
import weakref
from collections.abc import Callable, Iterable, Iterator
from types import FrameType
from typing import Any

from deepperf.dynamic.diagnosis import FLOOR, Diagnosis, Weight, share_of, share_of_memory, told_at
from deepperf.dynamic.frameworks.torch_compiling import before_compiling
from deepperf.dynamic.program.turns import in_loop, needs_last_turn, takes_item
from deepperf.dynamic.recording.places import DEEPEST, Place
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Observation, Trace
from deepperf.dynamic.recording.windows import Windows

NAME = "torch-forwards"
RULES = ("predict-per-item",)
EACH = 18e-6
"""Seconds that the two hooks take at the call of a module, most of them for the slower way on which
PyTorch calls a module that has any, and for finding out whether another module made it."""
FEWEST_CALLS = 16
"""Calls from one line, among those heard: fewer are a look at an example now and then."""
FEW_ROWS = 1.5
"""Rows of a call on average below which nearly all calls have one."""
LARGER = 16
"""How many times as many elements a tensor has that the rows were cut from."""
MOSTLY_OVERHEAD = 0.01
"""Seconds of a call up to which a batch shares most of it on any machine; a model that computes
longer for one row may keep all cores busy with it."""
MOST_NODES = 500
"""Nodes of a graph of which it is asked what they keep."""
KEPT = ("model", "calls", "rows", "cut", "regrown", "seconds", "unused", "is_used", "kept", "alive")
CACHE = "past_key_values"
"""The parameter by which models of Hugging Face take what they computed for earlier tokens."""
MODULES = "torch/nn/modules/module.py"
CALLS = ("_wrapped_call_impl", "_call_impl", "inner")


def watch(tape: Tape) -> None:
    """Listen to calls of modules once PyTorch is there, as long as the budget lasts."""
    tape.imports.after("torch", lambda module: _Listening(tape, module).begin())


class _Seen:
    __slots__ = (
        "alive",
        "calls",
        "cut",
        "is_used",
        "kept",
        "model",
        "outer",
        "outputs",
        "regrown",
        "rows",
        "seconds",
        "shape",
        "unused",
    )

    def __init__(self, model: str, outer: Place | None) -> None:
        self.model = model
        self.outer = outer
        self.calls = 0
        self.rows = 0
        self.cut = 0
        self.shape: tuple[int, ...] = ()
        self.regrown = 0
        self.seconds = 0.0
        self.unused = 0
        self.is_used = False
        self.kept = 0
        self.outputs: list[weakref.ref[Any]] = []
        self.alive = 1


class _Listening:
    """Hears of each call that the program makes to a module, and not of those within one."""

    def __init__(self, tape: Tape, torch: Any) -> None:
        self._tape = tape
        self._torch = torch
        self._tensors = (torch.Tensor, torch.nn.Parameter)
        self._lines: dict[Place, _Seen] = {}
        self._begun: dict[int, tuple[float, Place]] = {}
        self._handles: list[Any] = []
        self._windows = Windows(tape, NAME, EACH, self._open, self._close, self._note)

    def begin(self) -> None:
        self._windows.begin()
        before_compiling(self._tape, self._windows.stop)

    def _open(self, _frame: FrameType | None) -> bool:
        modules = self._torch.nn.modules.module
        self._handles = [
            modules.register_module_forward_pre_hook(self._before),
            modules.register_module_forward_hook(self._after, with_kwargs=True),
        ]
        return True

    def _close(self, _frame: FrameType | None) -> bool:
        for handle in self._handles:
            handle.remove()
        self._handles = []
        self._begun.clear()
        return True

    def _before(self, module: Any, _arguments: Any) -> None:
        if self._windows.is_enough() or not self._tape.active:
            return
        try:
            place = self._called_from(sys._getframe(1), module)
            if place is not None:
                self._begun[id(module)] = (time.perf_counter(), place)
        except Exception:  # noqa: BLE001 - an invariant: recording harms no program
            return
        finally:
            self._windows.heard()

    def _after(self, module: Any, arguments: Any, named: dict[str, Any], output: Any) -> None:
        begun = self._begun.pop(id(module), None)
        # While PyTorch traces a program, whatever is asked of a tensor becomes a part of it.
        if begun is None or self._torch._C._get_tracing_state() is not None:
            return
        begin, place = begun
        seconds = time.perf_counter() - begin
        given = next(
            (one for one in (*arguments, *named.values()) if type(one) in self._tensors), None
        )
        self._tape.uncounted(NAME, lambda: self._take(place, module, given, output, seconds))

    def _called_from(self, frame: FrameType | None, module: Any) -> Place | None:
        """The user's line that calls a module from outside of all modules."""
        code = self._tape.code
        is_own_call = True
        found: Place | None = None
        outer: Place | None = None
        for _ in range(DEEPEST):
            if frame is None:
                break
            file, name = frame.f_code.co_filename, frame.f_code.co_name
            is_call = name in CALLS and file.endswith(MODULES)
            if is_call and not is_own_call:
                return None
            is_own_call = is_own_call and is_call
            path = code.path_of(file)
            if path and (found is None or outer is None):
                place = Place(path, frame.f_lineno, name)
                if found is None:
                    found = place
                else:
                    outer = place
            frame = frame.f_back
        if found is not None and found not in self._lines:
            self._lines[found] = _Seen(type(module).__name__, outer)
        return found

    def _take(self, place: Place, module: Any, given: Any, output: Any, seconds: float) -> None:
        seen = self._lines[place]
        seen.calls += 1
        seen.seconds += seconds
        if given is not None and given.dim():
            seen.rows += 1 if given.dim() == 1 else given.size(0)
            base = given._base
            if base is not None and base.numel() >= LARGER * max(1, given.numel()):
                seen.cut += 1
            shape = tuple(given.shape)
            is_longer = shape == (*seen.shape[:-1], seen.shape[-1] + 1) if seen.shape else False
            if is_longer and len(shape) == 2 and _could_continue(module):
                seen.regrown += 1
            seen.shape = shape
        if module.training:
            seen.is_used = seen.is_used or self._torch.is_grad_enabled()
        elif not seen.is_used:
            self._follow(seen, output)

    def _follow(self, seen: _Seen, output: Any) -> None:
        """Learn whether what an evaluation has kept is ever used."""
        tensor = next(_tensors(self._tensors, output), None)
        node = None if tensor is None else tensor.grad_fn
        if node is None:
            return
        seen.unused += 1

        def used(_gradients: Any) -> None:
            seen.is_used = True

        node.register_prehook(used)
        if seen.unused == FEWEST_CALLS:
            seen.kept = _kept_by(self._tensors, node)
        seen.outputs.append(weakref.ref(tensor))
        if seen.unused % FEWEST_CALLS == 0:
            seen.outputs = [one for one in seen.outputs if one() is not None]
            seen.alive = max(seen.alive, len(seen.outputs))

    def _note(self) -> None:
        for place, seen in list(self._lines.items()):
            if seen.calls < FEWEST_CALLS:
                continue
            self._tape.note(NAME, place, count=0)
            detail = self._tape.detail(NAME, place)
            for name in KEPT:
                detail[name] = getattr(seen, name)
            if seen.outer is not None:
                detail["outer"] = [seen.outer.file, seen.outer.line]
                detail["caller"] = seen.outer.function


def _tensors(kinds: tuple[type, ...], value: Any) -> Iterator[Any]:
    """Tensors that can be differentiated, of what a module returns."""
    if type(value) in kinds:
        if value.grad_fn is not None:
            yield value
    elif isinstance(value, (tuple, list)):
        for part in value:
            yield from _tensors(kinds, part)
    elif isinstance(value, dict):
        for part in value.values():
            yield from _tensors(kinds, part)


def _could_continue(module: Any) -> bool:
    """Whether a model takes what it computed for the tokens that it was given before."""
    return CACHE in inspect.signature(module.forward).parameters


def _kept_by(kinds: tuple[type, ...], node: Any) -> int:
    """Bytes that a graph keeps for a backward pass, without the model's own weights."""
    known, waiting = {node}, [node]
    sizes: dict[int, int] = {}
    while waiting and len(known) < MOST_NODES:
        node = waiting.pop()
        for name in dir(node):
            part: Any = getattr(node, name) if name.startswith("_saved_") else None
            if type(part) in kinds and not (part.is_leaf and part.requires_grad):
                storage = part.untyped_storage()
                sizes[storage.data_ptr()] = storage.nbytes()
        for following, _ in node.next_functions:
            if following is not None and following not in known:
                known.add(following)
                waiting.append(following)
    return sum(sizes.values())


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The lines that ask about little, and those that keep what nobody uses."""
    tellers: tuple[Callable[[Trace, Observation], Iterable[Diagnosis]], ...]
    tellers = (_of_rows, _of_gradients, _of_regrown)
    for seen in trace.observations:
        if seen.kind == NAME and "calls" in seen.detail:
            for tell in tellers:
                yield from tell(trace, seen)


def _of_rows(trace: Trace, seen: Observation) -> Iterable[Diagnosis]:
    detail = seen.detail
    calls = detail["calls"]
    lines = [(seen.file, seen.line), *([tuple(detail["outer"])] if "outer" in detail else [])]
    if detail["is_used"] or not 0 < detail["rows"] <= FEW_ROWS * calls:
        return
    if needs_last_turn(*lines[0]) and not any(needs_last_turn(*line) for line in lines[1:]):
        yield from _of_sequences(trace, seen)
        return
    if not any(in_loop(*line) for line in lines) or any(needs_last_turn(*line) for line in lines):
        return
    share = share_of(trace, seen.file, seen.line)
    if share < FLOOR:
        return
    each = detail["seconds"] / calls
    is_cut = detail["cut"] * 2 >= calls or any(takes_item(*line) for line in lines)
    yield told_at(
        seen,
        signal=NAME,
        cause="missed-batch-api",
        message=f"`{detail['model']}` is asked about one row at a time",
        evidence=f"{calls:,} calls that were looked at took {1000 * each:.2g} ms each",
        remedy="stack the inputs and ask once, or in batches of hundreds",
        # Rows that are neither cut from a tensor nor what a loop goes over may each depend on the
        # answer before.
        weight=Weight.TIME if is_cut and each <= MOSTLY_OVERHEAD else Weight.HINT,
        share=share,
        rule="predict-per-item",
    )


def _of_sequences(trace: Trace, seen: Observation) -> Iterable[Diagnosis]:
    """A text that is written word by word needs its own words, and not those of other texts."""
    if "outer" not in seen.detail:
        return
    file, line = seen.detail["outer"]
    share = share_of(trace, file, line)
    if share < FLOOR or not takes_item(file, line):
        return
    calls = seen.detail["calls"]
    each = seen.detail["seconds"] / calls
    yield told_at(
        Place(file, line, seen.detail["caller"]),
        signal=NAME,
        cause="missed-batch-api",
        message=f"`{seen.detail['model']}` goes step by step through one sequence at a time",
        evidence=f"{calls:,} calls of one row that were looked at took {1000 * each:.2g} ms each",
        remedy="pad the sequences to one length, and go through a batch of them at once",
        weight=Weight.TIME if each <= MOSTLY_OVERHEAD else Weight.HINT,
        share=share,
        rule="predict-per-item",
    )


def _of_gradients(trace: Trace, seen: Observation) -> Iterable[Diagnosis]:
    detail = seen.detail
    if detail["is_used"] or detail["unused"] < FEWEST_CALLS:
        return
    peak = trace.peak
    yield told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"`{detail['model']}` keeps what a backward pass needs, and there is none",
        evidence=(
            f"all of {detail['unused']:,} calls in evaluation mode that were looked at; each kept "
            f"{detail['kept'] / 1e6:,.1f} MB"
            + (f", up to {detail['alive']:,} of them at once" if detail["alive"] > 1 else "")
        ),
        remedy="call it under `torch.inference_mode()` or `torch.no_grad()`",
        weight=Weight.MEMORY,
        share=share_of_memory(detail["kept"] * detail["alive"], peak),
    )


def _of_regrown(trace: Trace, seen: Observation) -> Iterable[Diagnosis]:
    """Tokens that a model has seen, and computes anew for each further one."""
    detail = seen.detail
    if detail["is_used"] or detail["regrown"] < FEWEST_CALLS:
        return
    if 2 * detail["regrown"] < detail["calls"]:
        return
    yield told_at(
        seen,
        signal=NAME,
        cause="inefficient-api-usage",
        message=f"`{detail['model']}` computes the whole text again for each token that is added",
        evidence=(
            f"{detail['regrown']:,} of {detail['calls']:,} calls that were looked at had the "
            "tokens of the call before, and one more"
        ),
        remedy=(
            f"hand `{CACHE}` of the answer to the next call, with the new token alone; "
            "`generate` does it unless it is told `use_cache=False`"
        ),
        share=share_of(trace, seen.file, seen.line),
    )
