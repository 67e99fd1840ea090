"""What was noted of one line of the user's, summed over a run."""

from __future__ import annotations

from typing import Any

from deepperf.dynamic.recording.places import Place
from deepperf.dynamic.recording.trace import Observation


class Sum:
    """Grows with each note; `detail` holds what the last one said."""

    __slots__ = ("bytes", "count", "detail", "seconds")

    def __init__(self) -> None:
        self.count = 0
        self.seconds = 0.0
        self.bytes = 0
        self.detail: dict[str, Any] = {}

    def told(self, kind: str, place: Place) -> Observation:
        """It, as a trace keeps it."""
        return Observation(
            kind=kind,
            file=place.file,
            line=place.line,
            function=place.function,
            count=self.count,
            seconds=self.seconds,
            bytes=self.bytes,
            detail=dict(self.detail),
        )
