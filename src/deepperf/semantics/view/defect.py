"""Where a defect of a framework release is met, as rules see it."""

from __future__ import annotations

from deepperf.semantics import view
from deepperf.semantics.files.analysis import Analysis
from deepperf.semantics.frameworks import defective
from deepperf.semantics.view.call import Call
from deepperf.semantics.view.path import LoopPath, RequestPath


class DefectiveCall(Call):
    """A call that meets a known defect of the version that the project's metadata name."""

    def __init__(self, analysis: Analysis, met: defective.Met) -> None:
        super().__init__(analysis, met.site)
        self._met = met

    @property
    def framework(self) -> str:
        return self._met.defect.framework

    @property
    def versions(self) -> str:
        """The versions as the metadata say them, and where: `torch==2.2 (requirements.txt)`."""
        return str(self._met.versions)

    @property
    def symptom(self) -> str:
        """What the call does on these versions, as a clause that follows its name."""
        return self._met.defect.symptom

    @property
    def remedy(self) -> str:
        return self._met.defect.remedy

    @property
    def report(self) -> str:
        """The address of the first report of the defect."""
        return self._met.defect.sources[0]

    @property
    def repeated(self) -> LoopPath | RequestPath | None:
        """The loop or request handler that runs it again, where the defect shows only then."""
        if self._met.path is not None:
            loop, way = self._met.path
            calls = tuple(Call(self._analysis, site) for site in way)
            return view.LoopPath(view.Loop(self._analysis, loop), calls)
        if self._met.request is not None:
            handler, way = self._met.request
            calls = tuple(Call(self._analysis, site) for site in way)
            return view.RequestPath(view.Function(self._analysis, handler), calls)
        return None
