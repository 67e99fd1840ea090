"""Pipelines without a prefetch, as rules see them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from deepperf.records import Location, Step
from deepperf.semantics import view
from deepperf.semantics.data import prefetching
from deepperf.semantics.text import positions
from deepperf.semantics.view.file import FileView


class Unprefetched(Struct, frozen=True):
    """A pipeline whose last transformation is not followed by a prefetch."""

    last: view.Call
    used_at: Location

    @property
    def why_older(self) -> str:
        """By which name of the code a version is assumed in which nothing prefetches unasked."""
        return self.last.file.why_older("tensorflow", prefetching.SINCE)

    @property
    def may_run_python(self) -> bool:
        """Whether Python gives or maps its elements, or that is not known."""
        return prefetching.may_run_python(self.last._analysis, self.last._site)

    def steps(self) -> tuple[Step, ...]:
        """The path for a finding: from the pipeline to where its elements are used."""
        return (
            Step(self.last.location, f"`{self.last.called}` is the last transformation"),
            Step(self.used_at, "this loop waits for each batch"),
        )


def unprefetched(file: FileView) -> Iterator[Unprefetched]:
    """The pipelines that a file goes through and that prepare elements only on demand."""
    for found in prefetching.unprefetched(file._analysis, file.path):
        module = file._analysis.module_of(found.scope)
        yield Unprefetched(
            view.Call(file._analysis, found.last),
            positions.location_of(module, found.used_by),
        )
