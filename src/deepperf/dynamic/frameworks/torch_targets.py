"""Answers of a training's last layer for positions that its loss then leaves out: those whose
target is to be ignored, or that a mask does not pick."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import Any

from deepperf.dynamic.frameworks.torch_transfers import PRODUCTS
from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.tape import Tape

FEW_COUNTED = "few positions counted"
"""The kind under which it is noted at the line that computes such answers."""
LOSSES = ("cross_entropy", "nll_loss")
IGNORED = -100
"""The target that PyTorch's losses leave out unless they are told of another."""
NARROWEST = 64
"""Numbers of an answer below which to compute it costs next to nothing."""
MOST_WIDTHS = 32
SHAPES = ("view", "reshape", "flatten", "size", "dim", "numel", "detach")
"""What is asked of a tensor and uses none of its numbers."""


class _Line:
    """What a line computed while its operations were recorded for gradients, how many answers of
    it were counted, by a loss at the line `asked`."""

    __slots__ = (
        "answers",
        "asked",
        "counted",
        "is_one",
        "losing",
        "positions",
        "seconds",
        "times",
        "width",
    )

    def __init__(self, width: int) -> None:
        self.times = self.positions = self.answers = self.counted = 0
        self.width = width
        self.seconds = self.losing = 0.0
        self.asked: Place | None = None
        self.is_one = True


class _Product:
    """What such a line returned last, how many of its answers masks picked, and whether anything
    else was done with it."""

    __slots__ = ("is_used", "line", "made", "picked", "positions")

    def __init__(self, made: Any, line: _Line) -> None:
        self.made = weakref.ref(made)
        self.line = line
        self.positions = made.numel() // made.size(-1)
        self.picked = 0
        self.is_used = False

    def is_among(self, arguments: tuple[Any, ...]) -> bool:
        made = self.made()
        return made is not None and any(one is made for one in arguments)

    def settle(self) -> None:
        """There is another now, and nothing more can be done with this one."""
        if self.picked and not self.is_used:
            self.line.answers += self.positions
            self.line.counted += min(self.picked, self.positions)
        self.is_used = True


class Targets:
    """Follows the widest products of each width until a loss is asked about them."""

    def __init__(self, torch: Any) -> None:
        # Modes of the program's that hear of what is done hear nothing of this.
        self._unheard = torch._C._DisableTorchDispatch
        self._lines: dict[Place, _Line] = {}
        self._all: dict[Place, float] = {}
        self._last: dict[int, _Product] = {}
        self._forward = self._backward = 0.0

    def made(self, name: str, made: Any, place: Place, seconds: float) -> None:
        """An operation that some line has asked for has returned a tensor."""
        self._all[place] = self._all.get(place, 0.0) + seconds
        if not made.requires_grad:
            return
        self._forward += seconds
        if name in PRODUCTS and made.dim() in (2, 3) and made.size(-1) >= NARROWEST:
            width = made.size(-1)
            line = self._lines.setdefault(place, _Line(width))
            # A line with several products is no single layer's.
            if line.width != width:
                line.is_one = False
            line.times += 1
            line.positions += made.numel() // width
            line.seconds += seconds
            if width in self._last:
                self._last[width].settle()
            if len(self._last) < MOST_WIDTHS or width in self._last:
                self._last[width] = _Product(made, line)

    def went_back(self, seconds: float) -> None:
        """Gradients were computed."""
        self._backward += seconds

    def used(
        self,
        name: str,
        arguments: tuple[Any, ...],
        named: Mapping[str, Any],
        place: Place,
        seconds: float,
    ) -> None:
        """A line has worked with tensors."""
        given = arguments[0]
        if name in LOSSES and len(arguments) > 1:
            self._asked(given, arguments[1], named.get("ignore_index", IGNORED), place, seconds)
            return
        last = self._last.get(given.size(-1)) if given.dim() in (2, 3) else None
        if last is None or not last.is_among((*arguments, *named.values())):
            return
        if name == "__getitem__" and _picks(arguments[1], given):
            with self._unheard():
                last.picked += int(arguments[1].sum())
        elif name not in SHAPES:
            last.is_used = True

    def _asked(self, given: Any, target: Any, ignored: int, place: Place, seconds: float) -> None:
        classes = 1 if given.dim() > 1 else 0
        last = self._last.get(given.size(classes))
        # To ask a device would be to wait for it.
        if last is None or target.is_floating_point() or target.device.type != "cpu":
            return
        answers = given.numel() // given.size(classes)
        if target.numel() != answers or last.picked:
            return
        last.line.answers += answers
        with self._unheard():
            last.line.counted += answers - int((target == ignored).sum())
        last.line.asked = place
        last.line.losing += seconds

    def note(self, tape: Tape) -> None:
        """Put on the tape what is known so far."""
        for place, line in self._lines.items():
            if not line.answers or not line.is_one:
                continue
            tape.note(FEW_COUNTED, place, count=0)
            names = ("answers", "counted", "positions", "seconds", "times", "width", "losing")
            detail = {name: getattr(line, name) for name in names}
            detail["all"] = self._all[place]
            if line.asked is not None:
                detail["asked"] = [line.asked.file, line.asked.line]
                detail["all_asked"] = self._all.get(line.asked, 0.0)
            back = self._backward / self._forward if self._forward else 0.0
            tape.detail(FEW_COUNTED, place).update(detail, back=back)


def _picks(mask: Any, given: Any) -> bool:
    """Whether an index is a mask of a tensor's positions, and at hand."""
    if str(getattr(mask, "dtype", "")) != "torch.bool" or mask.device.type != "cpu":
        return False
    return bool(mask.shape == given.shape[:-1])
