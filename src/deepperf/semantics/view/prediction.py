"""Where a model is asked for its output, as rules see it."""

from __future__ import annotations

from deepperf.knowledge.schema import Trait
from deepperf.semantics import view
from deepperf.semantics.calls.reach import Path
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.loops.loops import LoopOver
from deepperf.semantics.models import predictions, seldom_asked
from deepperf.semantics.models.predictions import Asks
from deepperf.semantics.text import positions
from deepperf.semantics.view.call import Call
from deepperf.semantics.view.path import LoopPath

_TRAINING = frozenset((Trait.STEPS_TRAINING,))
_LEARNING = _TRAINING | {Trait.FITS}


class Prediction(Call):
    """A call that asks a model about a known number of rows."""

    def __init__(self, analysis: Analysis, asked: predictions.Asked) -> None:
        super().__init__(analysis, asked.site)
        self._asked = asked

    @property
    def asks(self) -> Asks:
        return self._asked.asks

    @property
    def rows(self) -> int:
        """How many rows it is about, at most."""
        return self._asked.rows

    @property
    def model(self) -> str:
        """The model as the user wrote it, shortened."""
        node = self._node.func
        if self.asks is Asks.LOOP:
            node = getattr(node, "value", node)
        return positions.shortened(view.Expression(self._analysis, node, self._scope).text)

    def asks_about_each(self, path: LoopPath) -> bool:
        """Whether the loop asks one model, which it leaves alone, about other rows each
        iteration.
        """
        # Of a batch the first row may be read to be shown.
        if self._asked.is_guess and path.loop.over is LoopOver.BATCHES:
            return False
        return predictions.asks_about_each(self._analysis, self._site, _path(path))

    def is_little_in(self, path: LoopPath) -> bool:
        """Whether few iterations ask, or much is done beside, or a whole batch may be asked about.

        Where only `[0]` of the answer is read, that may be one of several outputs.
        """
        if self._asked.may_be_output:
            return True
        if seldom_asked.is_little(self._analysis, self._site, _path(path)):
            return True
        return self._asked.is_guess and bool(path.loop.reached_calls(_TRAINING))

    def is_counted_in(self, path: LoopPath) -> bool:
        """Whether it is asked for one number of steps, as a text is written, not for hours."""
        if path.loop.is_open or path.loop.outer:
            return False
        return path.loop.over is LoopOver.STEPS

    def has_to_wait_in(self, path: LoopPath) -> bool:
        """Whether no iteration can be asked about before the last one is over."""
        if path.loop.is_open or self.feeds_itself(path):
            return True
        return bool(path.loop.reached_calls(_LEARNING))

    def feeds_itself(self, path: LoopPath) -> bool:
        """Whether what the model is given rests on what it gave the iteration before."""
        return predictions.feeds_itself(self._site, _path(path))


def _path(path: LoopPath) -> Path:
    return path.loop._frame, tuple(call._site for call in path.calls)
