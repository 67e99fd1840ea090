"""Makes the proven change in the user's own files."""

from __future__ import annotations

import os

from deepperf.check.mend import Mended, write_mended
from deepperf.check.sources import read_text, written
from deepperf.fixes.apply import Fixed
from deepperf.prove.proving import Proof
from deepperf.records import Failure


def apply_proof(proof: Proof) -> list[str]:
    """Change each file that is still as it was tried; a line for each that is not changed."""
    failures = []
    for path, content in sorted(proof.change.files.items()):
        source = proof.sources[path]
        after = read_text(path, content)
        if isinstance(after, Failure) or os.path.islink(proof.root / path):
            failures.append(f"{path}: is not changed: it is a link")
            continue
        before = written(source, source.text)
        mended = Mended(path, source, before, Fixed(after.text, (), ()))
        failure = write_mended(str(proof.root), mended)
        if failure is not None:
            failures.append(f"{path}: is not changed: {failure.message}")
    return failures
