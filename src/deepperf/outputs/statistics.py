"""How often each rule found something, and how many findings can be fixed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from deepperf.outputs.paint import Paint
from deepperf.outputs.results import Results, shown, summary


def lines(results: Results, paint: Paint) -> Iterator[str]:
    """One line per rule, the most frequent first: findings, files, fixable ones, name."""
    findings = shown(results)
    count = Counter(finding.rule for finding in findings)
    fixable = Counter(finding.rule for finding in findings if finding.fix is not None)
    files = Counter(rule for rule, _ in {(f.rule, f.location.path) for f in findings})
    if count:
        yield paint(paint.faint, "findings  files  fixable  rule")
    for rule, number in sorted(count.items(), key=lambda item: (-item[1], item[0])):
        name = paint(paint.rule, rule)
        yield f"{number:8,}  {files[rule]:5,}  {fixable[rule]:7,}  {name}"
    yield summary(results)
