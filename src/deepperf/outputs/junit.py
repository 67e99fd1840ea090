"""JUnit's XML, which every build server reads: a failed case per finding, a passed one per file."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

from deepperf.outputs.annotated import advice, said, sketched
from deepperf.outputs.paint import Paint, harmless
from deepperf.outputs.results import Results, failed, failures, shown

_NOT_IN_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def lines(results: Results, paint: Paint) -> Iterator[str]:  # noqa: ARG001 - one signature
    """The document in one suite."""
    import junitparser

    cases = []

    def add(path: str, name: str, result: junitparser.Failure | junitparser.Error | None) -> None:
        case = junitparser.TestCase(name, classname=_xml(path), time=0.0)
        if result is not None:
            case.result = [result]
        cases.append(case)

    for failure in failures(results):
        error = junitparser.Error(_xml(failure.message), failed(failure))
        error.text = _xml(f"{failure.location}: {failure.message}")
        add(failure.location.path, failed(failure), error)
    for finding in shown(results):
        what = junitparser.Failure(_xml(said(finding)), finding.level.name.lower())
        what.text = _xml(
            "\n".join(
                (
                    f"{finding.location}: {said(finding)}",
                    *advice(results, finding),
                    *sketched(finding),
                )
            )
        )
        add(finding.location.path, f"{finding.rule} at line {finding.location.line}", what)
    for report in results.reports:
        if not (report.findings or report.failures or report.left_out):
            add(report.path, "nothing found", None)
    suite = junitparser.TestSuite("deepperf")
    suite.add_testcases(cases)
    document = junitparser.JUnitXml("deepperf")
    document.add_testsuite(suite)
    stream = io.BytesIO()
    document.write(stream)
    yield from stream.getvalue().decode("utf-8").split("\n")


def _xml(text: str) -> str:
    return _NOT_IN_XML.sub("?", "\n".join(map(harmless, text.split("\n"))))
