"""ruff's rules about performance (PERF).

They are about Python's own lists and loops, so none of their codes is about a cause here: at
most they point at the place.
"""

from __future__ import annotations

from deepperf.bench.assess.linters import Linter, approach_of

OPTIONS = ("check", "--isolated", "--no-cache", "--select", "PERF", "--output-format", "concise")

approach = approach_of(Linter(name="ruff", title="ruff (PERF)", options=OPTIONS))
