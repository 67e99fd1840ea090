"""A PyTorch program keeps, from step to step, tensors that hold on to how they were computed."""

from __future__ import annotations

import heapq
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from types import FrameType
from typing import Any

from deepperf.dynamic.diagnosis import Diagnosis, Weight, told_at
from deepperf.dynamic.frameworks import torch_calls
from deepperf.dynamic.frameworks.torch_calls import ModuleCall
from deepperf.dynamic.frameworks.torch_compiling import (
    after_optimizer_steps,
    replace_until_compiling,
)
from deepperf.dynamic.program.additions import carried_at
from deepperf.dynamic.recording.clock import resident_bytes
from deepperf.dynamic.recording.cost import Purse
from deepperf.dynamic.recording.frame_variables import own_variables, user_frames, variables
from deepperf.dynamic.recording.holdings import (
    DEEPEST_OBJECT,
    attributes_of,
    home_of,
    is_users,
)
from deepperf.dynamic.recording.places import Place, UserCode, place_in
from deepperf.dynamic.recording.tape import Tape
from deepperf.dynamic.recording.trace import Trace
from deepperf.dynamic.recording.unseen import standing_for

NAME = "autograd-history"
RULES = ("kept-history",)
EXPLAINS_GROWTH = True
FIRST_LOOKS = (1, 2, 4, 8, 12, 16, 24, 32)
AT_CALLS = (3, 6, 9, 12, 15, 18, 32)
"""The same at calls of models that evaluate, since an optimizer has stepped: that is over soon, and
only some of its calls are heard."""
MOST = 60
"""Attributes of an object that are looked at."""
LOOK_EVERY = 50
"""Steps between two looks once the first are over: what grows is seen by then."""
MOST_NODES = 6000
"""Nodes of a graph that are looked at, the oldest first, where something of the look before is
still there: to go back over 16 calls of a recurrent layer takes as many."""
MARK = "deepperf"
"""The key under which a node carries what tells whether it is still there."""
FIRST_SECONDS = 0.03
"""What the first looks may cost, of which the windows that others open would leave nothing."""
FEWEST_LOOKS = 4
"""Looks in a row at which a variable reaches further back, or has grown: a program that gathers
a few steps and then starts again does not last that long."""
FEWEST_KEPT = 16
"""Steps of which something is kept: fewer are gradients gathered on purpose."""
KEPT = 0.5
"""Part of the steps of which a list must hold a tensor to be one that is never emptied."""
SLOWER = 1.3
"""How many times as long the last steps must take as the first for growth to be told as time."""
FEWEST_TIMED = 100
"""Steps over which that is asked: the first ones of any program vary by more."""
CONTAINERS = (list, deque)


def watch(tape: Tape) -> None:
    """Look at variables after steps of optimizers, and where none steps after going backward, at
    batches and at calls of models."""
    looks = _Looks(tape)
    after_optimizer_steps(tape, looks.ended)
    tape.imports.after("torch.autograd", looks.follow_backward)
    tape.imports.after("torch.utils.data.dataloader", looks.follow_loaders)
    torch_calls.listen(tape, NAME, looks.called, lambda: None)


class _Mark:
    """Lives as long as the node that carries it."""

    __slots__ = ("__weakref__",)


class _Kept:
    """What was seen of one variable, look by look; `mark` is that of its node at the last."""

    __slots__ = ("last", "mark", "steps")

    def __init__(self) -> None:
        self.last = 0
        self.mark: weakref.ref[_Mark] | None = None
        self.steps: list[tuple[int, int, float, int]] = []


class _Count:
    """Steps of one clock since it began, with the newest node of the graph at each look, and how
    many steps optimizers had made when it began."""

    __slots__ = ("kept", "looks", "marks", "next", "since", "steps")

    def __init__(self, since: int = 0, looks: Sequence[int] = FIRST_LOOKS) -> None:
        self.since = since
        self.steps = 0
        self.looks = looks
        self.next = looks[0]
        self.marks: list[int] = []
        self.kept: dict[tuple[str, int, str], _Kept] = {}


class _Looks:
    def __init__(self, tape: Tape) -> None:
        self._tape = tape
        self._trained = _Count()
        self._went_back = _Count()
        self._main = threading.get_ident()
        self._called = _Count(looks=AT_CALLS)
        self._purse = Purse(tape.budget, FIRST_SECONDS)

    def ended(self, _optimizer: Any) -> None:
        """An optimizer has stepped."""
        if self._tape.active:
            self._tick(self._trained, sys._getframe(1))

    def called(self, call: ModuleCall) -> None:
        """A model was called, and no loader tells of the batches."""
        # In training, losses of several calls may be gathered for one step.
        if call.module.training or not call.torch.is_grad_enabled():
            return
        if self._called.since != self._trained.steps:
            self._called = _Count(self._trained.steps, AT_CALLS)
        self._tick(self._called, sys._getframe(1))

    def follow_backward(self, module: Any) -> None:
        """A program may change its weights by itself."""
        go_back = module.backward

        @standing_for(go_back)
        def gone_back(*arguments: Any, **named: Any) -> Any:
            result = go_back(*arguments, **named)
            if self._tape.active and not self._trained.steps:
                self._tick(self._went_back, sys._getframe(1))
            return result

        replace_until_compiling(self._tape, module, "backward", gone_back)

    def follow_loaders(self, module: Any) -> None:
        base = module._BaseDataLoaderIter
        following = base.__next__
        state = "_deepperf_batches"

        @standing_for(following)
        def counted(iterator: Any) -> Any:
            if self._tape.active:
                # Where an optimizer steps, its own clock is the better one.
                steps = self._trained.steps
                count: _Count | None = iterator.__dict__.get(state)
                if count is None or count.since != steps or iterator._num_yielded == 0:
                    iterator.__dict__[state] = _Count(steps)
                elif threading.get_ident() == self._main:
                    self._tick(count, sys._getframe(1))
            return following(iterator)

        base.__next__ = counted

    def _tick(self, count: _Count, frame: FrameType) -> None:
        count.steps += 1
        if count.steps < count.next:
            return
        count.next = _following(count.steps, count.looks)
        if self._purse.is_left() and threading.get_ident() == self._main:
            begin = time.thread_time()
            self._tape.uncounted(NAME, lambda: self._look(count, frame))
            self._purse.charge(time.thread_time() - begin)

    def _look(self, count: _Count, frame: FrameType) -> None:
        tensor_class = sys.modules["torch"].Tensor
        newest = 0
        seen: list[tuple[FrameType, str, Any, list[Any]]] = []
        for one in user_frames(self._tape.code, frame):
            for name, value in _with_attributes(self._tape.code, variables(one)):
                for path, part in _parts(name, value):
                    nodes = _history(tensor_class, part)
                    if nodes:
                        newest = max(newest, *(node._sequence_nr() for node in nodes))
                        seen.append((one, path, part, nodes))
        for one, path, part, nodes in seen:
            self._follow(count, one, path, part, nodes)
        count.marks.append(newest)

    def _follow(
        self, count: _Count, frame: FrameType, name: str, value: Any, nodes: list[Any]
    ) -> None:
        key = (frame.f_code.co_filename, frame.f_code.co_firstlineno, name)
        kept = count.kept.setdefault(key, _Kept())
        before = None if kept.mark is None else kept.mark()
        is_first = kept.mark is None
        if isinstance(value, CONTAINERS):
            size = len(value)
            # What is emptied and filled again, with more each time, begins with another.
            is_there = is_first or _marked(nodes[0]) is before is not None
            goes_on = is_there and size > kept.last
            kept.last = size
            kept.mark = weakref.ref(_mark(nodes[0]))
        else:
            goes_on = (is_first or before is not None) and _reaches_back(nodes[-1], count.marks)
            size = count.steps
            kept.mark = weakref.ref(_mark(nodes[-1]))
        if not goes_on:
            kept.steps.clear()
        kept.steps.append((count.steps, size, time.process_time(), resident_bytes()))
        if len(kept.steps) > FEWEST_LOOKS:
            self._note(frame, name, value, kept)

    def _note(self, frame: FrameType, name: str, value: Any, kept: _Kept) -> None:
        tape = self._tape
        path = tape.code.path_of(frame.f_code.co_filename)
        first, last = kept.steps[0], kept.steps[-1]
        if last[1] < max(FEWEST_KEPT, KEPT * (last[0] - first[0])):
            return
        place = place_in(path, frame)
        # In one entry for each function: the line is where the step was, not what keeps.
        place = place._replace(line=frame.f_code.co_firstlineno)
        tape.note(NAME, place, count=0)
        found = tape.detail(NAME, place).setdefault("kept", {})
        second = kept.steps[1]
        # What an epoch gives back, the next one takes without asking the system for more.
        before = found.get(name, {}).get("grown", 0)
        found[name] = {
            "listed": isinstance(value, CONTAINERS),
            "within": frame.f_lineno,
            "home": _home_of(tape.code, frame, name),
            "steps": last[0] - first[0],
            "size": last[1],
            "grown": max(before, last[3] - second[3]),
            "early": _pace(kept.steps[: len(kept.steps) // 2 + 1]),
            "late": _pace(kept.steps[-max(2, len(kept.steps) // 4) :]),
            "seconds": last[2] - first[2],
        }


def _following(steps: int, looks: Sequence[int]) -> int:
    return next((look for look in looks if look > steps), steps + LOOK_EVERY)


def _pace(points: list[tuple[int, int, float, int]]) -> float:
    """Seconds for each step between the first and the last of some looks."""
    (first, _, begin, _), (last, _, end, _) = points[0], points[-1]
    return (end - begin) / (last - first) if last > first else 0.0


def _with_attributes(
    code: UserCode, found: dict[str, Any], depth: int = DEEPEST_OBJECT
) -> Iterator[tuple[str, Any]]:
    """Variables, and the attributes of those that are the user's objects, and of theirs."""
    for name, value in found.items():
        yield name, value
        if name != "self" and depth and is_users(code, type(value)):
            attributes = list(attributes_of(value).items())[:MOST]
            inner = {f"{name}.{key}": part for key, part in attributes if part is not value}
            yield from _with_attributes(code, inner, depth - 1)


def _home_of(code: UserCode, frame: FrameType, name: str) -> str:
    """The file of the class of what a variable is an attribute of; "" of any other variable."""
    first, *attributes = name.partition("[")[0].split(".")
    owner = own_variables(frame).get(first)
    for attribute in attributes[:-1]:
        owner = attributes_of(owner).get(attribute)
    return home_of(code, type(owner)) if attributes else ""


def _parts(name: str, value: Any) -> Iterable[tuple[str, Any]]:
    """A variable; of a dict, what it holds by name."""
    if isinstance(value, dict) and not name.startswith("__"):
        for key, part in list(value.items())[:16]:
            if isinstance(key, str):
                yield f"{name}[{key!r}]", part
    else:
        yield name, value


def _history(tensor_class: Any, value: Any) -> list[Any]:
    """How a tensor was computed; of a list, its first and its last."""
    parts = [value]
    if isinstance(value, CONTAINERS):
        if len(value) < 2:
            return []
        parts = [value[0], value[-1]]
    nodes = []
    for part in parts:
        one: Any = part
        if isinstance(part, (tuple, list, dict)):
            inner = part.values() if isinstance(part, dict) else part
            values = (value for value in inner if isinstance(value, tensor_class))
            one = next((value for value in values if value.grad_fn is not None), None)
        if not isinstance(one, tensor_class) or one.grad_fn is None:
            return []
        nodes.append(one.grad_fn)
    return nodes


def _mark(node: Any) -> _Mark:
    mark: _Mark = node.metadata.setdefault(MARK, _Mark())
    return mark


def _marked(node: Any) -> _Mark | None:
    mark: _Mark | None = node.metadata.get(MARK)
    return mark


def _reaches_back(node: Any, marks: list[int]) -> bool:
    """Whether a graph holds nodes that were made between the two looks before this one.

    What was made before all steps is no history of theirs.
    """
    if len(marks) < 2:
        return len(marks) < 2 and bool(marks)
    low, high = marks[-2], marks[-1]
    waiting = [(node._sequence_nr(), 0, node)]
    known = {node}
    for number in range(1, MOST_NODES):
        if not waiting:
            return False
        made, _, node = heapq.heappop(waiting)
        if low < made <= high:
            return True
        for index, (following, _) in enumerate(node.next_functions):
            if following is not None and following not in known:
                known.add(following)
                entry = (following._sequence_nr(), number * 64 + index, following)
                heapq.heappush(waiting, entry)
    return False


def diagnose(trace: Trace) -> Iterable[Diagnosis]:
    """The variables that keep the history of steps, at the lines that add to them."""
    for seen in trace.observations:
        if seen.kind == NAME:
            for name, kept in seen.detail.get("kept", {}).items():
                # What an object keeps is added to where its class says so, or by who has it.
                for file in dict.fromkeys((seen.file, kept["home"] or seen.file)):
                    line = carried_at(file, name, kept["within"])
                    if line is not None:
                        yield _diagnosis(trace, name, kept, Place(file, line, seen.function))
                        break


def _diagnosis(trace: Trace, name: str, kept: Any, where: Place) -> Diagnosis:
    peak = trace.peak
    memory = kept["grown"] / peak if peak else 0.0
    weight, share = Weight.MEMORY, min(1.0, memory)
    evidence = f"after {kept['steps']:,} more steps it reaches back to all of them"
    if kept["listed"]:
        evidence = f"after {kept['steps']:,} more steps it holds {kept['size']:,} of them"
    evidence += f"; memory grew by {kept['grown'] / 1e6:,.0f} MB meanwhile"
    is_timed = kept["steps"] >= FEWEST_TIMED and kept["early"] > 0
    if is_timed and kept["late"] >= SLOWER * kept["early"]:
        lost = kept["seconds"] - kept["steps"] * kept["early"]
        slower = lost / trace.work_seconds if trace.work_seconds else 0.0
        if slower > share:
            weight, share = Weight.TIME, min(1.0, slower)
        evidence += f"; a step takes {kept['late'] / kept['early']:.1f} times as long as at first"
    return told_at(
        where,
        signal=NAME,
        cause="graph-confusion",
        message=f"`{name}` keeps the autograd graph of every step",
        evidence=evidence,
        remedy=(
            "keep the number, `loss.item()`, or the detached tensor, `.detach()`; where nothing "
            "is trained, compute under `torch.no_grad()`"
        ),
        weight=weight,
        share=share,
        rule=RULES[0],
    )
