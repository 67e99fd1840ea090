"""pylint's warnings and proposals (W and R), which know some of Python's slow ways.

None of its codes is about a cause here: at most they point at the place.
"""

from __future__ import annotations

from deepperf.bench.assess.linters import Linter, approach_of

approach = approach_of(
    Linter(
        name="pylint",
        title="pylint (W, R)",
        options=(
            "--rcfile=",
            "--persistent=n",
            "--score=n",
            "--disable=all",
            "--enable=W,R",
            # Proposals that compare files, of which the two sides are copies of each other.
            "--disable=duplicate-code",
            "--msg-template={path}:{line}:{column}: {symbol} {msg}",
            "--recursive=y",
        ),
    )
)
