"""Results to show, made by hand."""

from __future__ import annotations

from dataclasses import replace

from deepperf.outputs.results import Results
from deepperf.records import (
    Edit,
    Failure,
    Finding,
    Fix,
    Level,
    Location,
    Report,
    Role,
    Safety,
    Step,
)
from deepperf.rules.evidence import Comparison, Evidence, Machine, Measurement

FINDING = Finding(
    location=Location("train.py", 12, 10, 12, 25),
    rule="serial-map",
    message="'decode' runs on one core for each element of 'images'",
    remedy="pass num_parallel_calls=tf.data.AUTOTUNE",
    level=Level.WARNING,
    role=Role.SOURCE,
    source_line="    data = images.map(decode)",
    path=(Step(Location("main.py", 3, 1, 3, 9), "the loop calls 'load'"),),
    fix=Fix("Map in parallel", (Edit(300, 300, ", num_parallel_calls=4"),), Safety.SAFE),
)
NOTE = replace(FINDING, level=Level.NOTE, role=Role.TEST, fix=None, path=())
FAILURE = Failure(Location("broken.py", 3, 7, 3, 7), "invalid syntax")
EVIDENCE = Evidence(
    "serial-map",
    (
        Measurement(
            pair="serial-map/tensorflow",
            digest="00",
            framework="tensorflow",
            quantity="time",
            unit="seconds",
            size="1000 images",
            bad=(4.0, 4.2, 4.1),
            good=(1.0, 1.1, 1.0),
            comparison=Comparison(4.0, 3.5, 4.4, 0.95, "bootstrap"),
            machine=Machine("a processor", 4, 8 << 30, "", "Linux"),
            threads=0,
            python="3.11.7",
            versions=(("tensorflow", "2.4.0"),),
            date="2026-01-02",
            results_equal=True,
            tolerance=0.0,
        ),
    ),
)


def results(*findings: Finding, level: Level = Level.WARNING) -> Results:
    by_path: dict[str, list[Finding]] = {"clean.py": []}
    for finding in findings:
        by_path.setdefault(finding.location.path, []).append(finding)
    reports = [
        Report(
            path,
            tuple(finding for finding in found if finding.level >= level),
            hidden=tuple(finding for finding in found if finding.level < level),
        )
        for path, found in sorted(by_path.items())
    ]
    return Results(tuple(reports), {"serial-map": EVIDENCE})
