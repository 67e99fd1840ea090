"""Calls that train a model for as many steps as there are samples, as rules see them."""

from __future__ import annotations

from deepperf.semantics import view
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.models import epochs
from deepperf.semantics.text import positions
from deepperf.semantics.view.call import Call


class MiscountedTraining(Call):
    """A call that trains for as many steps an epoch as there are samples."""

    def __init__(self, analysis: Analysis, found: epochs.Miscounted) -> None:
        super().__init__(analysis, found.site)
        self._found = found

    @property
    def parameter(self) -> str:
        """The parameter that gets the number of samples."""
        return self._found.parameter

    @property
    def counted(self) -> str:
        """What counts the samples, as the user wrote it."""
        return positions.shortened(view.Expression(self._analysis, *self._found.counted).text)
