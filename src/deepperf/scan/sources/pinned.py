"""The packages that are pinned in the corpus, and the commits in which hits were judged."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from deepperf.scan.clones import clone_of
from deepperf.scan.corpus import CorpusError, Pinned
from deepperf.scan.judgements import Judgement
from deepperf.scan.package import Form, Package
from deepperf.scan.sources.folders import size_of


def pinned(packages: Iterable[Pinned], folder: Path) -> Iterator[Package]:
    """The packages where they were unpacked. Raises `CorpusError` naming those that are not."""
    chosen = tuple(packages)
    if absent := [one.key for one in chosen if not one.folder(folder).is_dir()]:
        raise CorpusError(f"not fetched: {', '.join(absent)}; run `deepperf scan fetch`")
    for one in chosen:
        place = one.folder(folder)
        yield Package(one.name, one.version, os.path.abspath(place), size=size_of(place))


def judged(judgements: Iterable[Judgement], clones: Path) -> Iterator[Package]:
    """The judged commits of repositories."""
    chosen = {(one.package, one.version) for one in judgements if "/" in one.package}
    for repository, commit in sorted(chosen):
        try:
            clone = os.path.abspath(clone_of(clones, repository))
        except CorpusError as error:
            yield Package(repository, commit, "", Form.COMMIT, lacking=str(error))
        else:
            yield Package(repository, commit, clone, Form.COMMIT, commit=commit)
