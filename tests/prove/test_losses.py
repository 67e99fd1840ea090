"""What the watched run lost decides what is tried first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.dynamic.made import diagnosis, trace_of

from deepperf.dynamic.diagnosis import Diagnosis, Weight
from deepperf.dynamic.frameworks.loader_waits import WAITS
from deepperf.dynamic.recording.trace import Observation, Samples, Trace
from deepperf.prove.candidates import Candidate, from_findings, ranked, weighed
from deepperf.prove.losses import Losses, saved_by_offers
from deepperf.prove.offer import Part
from deepperf.records import Edit, Finding, Fix, Level, Location, Role, Safety

DATA = "def loader(rows):\n    return DataLoader(rows)\n"
TRAIN = """import data


def evaluate(model, rows):
    for row in rows:
        model(row)


def train(model, rows):
    switch()
    for row in data.loader(rows):
        step(model, row)


train(None, [])
"""
EVALUATED, SWITCH, BATCHES, STEP = 6, 10, 11, 12


def project(folder: Path) -> Path:
    (folder / "data.py").write_text(DATA)
    (folder / "train.py").write_text(TRAIN)
    return folder


def trace_in(folder: Path) -> Trace:
    """A run that waited in half of its looks for batches, and computed in the rest."""
    train = str(folder / "train.py")
    way = "Module.__call__", "wrapped/Adam.step/adam"
    seen = (
        Samples(train, BATCHES, "train", 200, 200, 0),
        Samples(
            train, STEP, "train", 180, 180, 0, packages={"torch": 180},
            calls={way[0]: 140, way[1]: 40},
        ),
        Samples(train, EVALUATED, "evaluate", 20, 20, 0, packages={"torch": 20}),
        Samples(train, 15, "<module>", 400, 0, 0),
    )  # fmt: skip
    waited = Observation(WAITS, train, BATCHES, "train", detail={"waited": 5.0})
    return trace_of(folder / "train.py", samples=seen, sampled=400, observations=(waited,))


def finding(path: str, line: int, rule: str, level: Level = Level.WARNING) -> tuple[str, Finding]:
    place = Location(path, line, 1, line, 9)
    fix = Fix("mend it", (Edit(line, line, rule),), Safety.SAFE)
    return path, Finding(place, rule, "", "", level, Role.SOURCE, "", fix=fix)


def waits(
    folder: Path, line: int = BATCHES, share: float = 0.5, weight: Weight = Weight.TIME
) -> Diagnosis:
    return diagnosis(folder / "train.py", line, share, rule="serial-loader", weight=weight)


def order(
    folder: Path, found: list[tuple[str, Finding]], *told: Diagnosis, sampled: int = 400
) -> dict[str, float]:
    trace = replace(trace_in(folder), sampled=sampled)
    losses = Losses(trace, told, f"{folder}/")
    return {one.name: one.expected for one in ranked(from_findings(found, (), losses))}


def test_a_loss_that_is_felt_in_another_file_comes_first(tmp_path: Path) -> None:
    folder = project(tmp_path)
    found = [
        finding("train.py", SWITCH, "debug-left-on"),
        finding("data.py", 2, "serial-loader"),
        finding("train.py", EVALUATED, "missing-no-grad"),
    ]
    expected = order(folder, found, waits(folder))
    assert [*expected] == ["serial-loader", "debug-left-on", "missing-no-grad"]
    assert expected["serial-loader"] == 0.5
    assert expected["missing-no-grad"] < 0.05, "its lines take a twentieth"


def test_a_loss_belongs_to_the_finding_that_it_is_near_to(tmp_path: Path) -> None:
    folder = project(tmp_path)
    found = [finding("data.py", 2, "serial-loader"), finding("train.py", SWITCH, "serial-loader")]
    losses = Losses(trace_in(folder), (waits(folder),), f"{folder}/")
    expected = {one.path: one.expected for one in from_findings(found, (), losses)}
    assert expected["train.py"] == 0.5
    assert expected["data.py"] < 0.05


def test_memory_counts_less_than_time(tmp_path: Path) -> None:
    folder = project(tmp_path)
    found = [finding("data.py", 2, "serial-loader")]
    in_time, in_memory = (
        order(folder, found, waits(folder, weight=weight))["serial-loader"]
        for weight in (Weight.TIME, Weight.MEMORY)
    )
    assert 0.1 < in_memory < in_time


def test_what_a_signal_measured_is_not_raised_by_a_guess(tmp_path: Path) -> None:
    folder = project(tmp_path)
    found = [finding("train.py", SWITCH, "serial-loader")]
    assert order(folder, found, waits(folder, SWITCH, 0.03)) == {"serial-loader": 0.03}


def test_a_run_that_was_hardly_looked_at_tells_nothing(tmp_path: Path) -> None:
    folder = project(tmp_path)
    found = [
        finding("train.py", EVALUATED, "missing-no-grad"),
        finding("train.py", SWITCH, "debug-left-on", Level.NOTE),
    ]
    assert order(folder, found, sampled=3) == {"missing-no-grad": 0.3, "debug-left-on": 0.15}


def test_an_opportunity_saves_no_more_than_what_it_touches_takes(tmp_path: Path) -> None:
    folder = project(tmp_path)
    losses = Losses(trace_in(folder), (), f"{folder}/")

    def saved(part: Part, line: int = SWITCH, path: str = "train.py") -> float:
        return round(saved_by_offers(losses, path, [line], part, 1.0).saved, 2)

    assert saved(Part.LOADING) == 0.5
    assert saved(Part.UPDATING) == 0.1
    assert saved(Part.MODEL) == 0.4
    assert saved(Part.HERE) == 0.95
    assert saved(Part.HERE, EVALUATED) == 0.05
    assert saved(Part.HERE, 2, "data.py") == 0.0


def test_what_the_run_did_not_tell_of_is_expected_to_save_little(tmp_path: Path) -> None:
    trace = replace(trace_in(project(tmp_path)), observations=())
    told = saved_by_offers(Losses(trace, (), f"{tmp_path}/"), "data.py", [2], Part.LOADING, 0.6)
    assert not told.is_known
    assert told.saved < 0.1


def test_what_a_run_told_of_is_not_put_behind_since_its_own_line_was_not_seen() -> None:
    lost = Candidate("serial-loader", "", "a.py", (2,), (), expected=0.4, is_known=True)
    assert [*weighed([lost], {}, {})] == [lost]
