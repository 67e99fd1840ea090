"""Models that are made or loaded again, as rules see them."""

from __future__ import annotations

from deepperf.semantics import view
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.models import models_again
from deepperf.semantics.view.call import Call
from deepperf.semantics.view.path import LoopPath, RequestPath


class RemadeModel(Call):
    """A call that makes or loads a whole model in each iteration of a loop or for each request."""

    def __init__(self, analysis: Analysis, found: models_again.Again) -> None:
        super().__init__(analysis, found.site)
        self._found = found

    @property
    def is_same(self) -> bool:
        """Whether it is loaded from one place; else the models made pile up in the framework."""
        return self._found.kind is models_again.Kind.SAME

    @property
    def is_named_by_request(self) -> bool:
        """Whether it is loaded from where the request says, and not kept for the next one."""
        return self._found.kind is models_again.Kind.NAMED

    @property
    def is_sure(self) -> bool:
        """Whether it is run whatever optional arguments hold, as far as is seen."""
        return self._found.is_sure

    @property
    def path(self) -> LoopPath | RequestPath:
        """What repeats it."""
        if self._found.path is not None:
            loop, way = self._found.path
            calls = tuple(Call(self._analysis, site) for site in way)
            return view.LoopPath(view.Loop(self._analysis, loop), calls)
        assert self._found.request is not None
        handler, way = self._found.request
        calls = tuple(Call(self._analysis, site) for site in way)
        return view.RequestPath(view.Function(self._analysis, handler), calls)
