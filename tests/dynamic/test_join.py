"""A run confirms a static finding, refutes it, leaves it open, or never met it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.dynamic.made import COLD, HOT, SCRIPT, diagnosis, script, trace_of

from deepperf.dynamic.diagnosis import Diagnosis, Weight
from deepperf.dynamic.frameworks.cuda_window import WINDOW
from deepperf.dynamic.join import (
    Checked,
    Outcome,
    checked,
    confirmed,
    static_findings,
    weighed,
)
from deepperf.dynamic.program.earlier import has_run
from deepperf.dynamic.recording.trace import Observation, Samples, ThreadTime, Trace
from deepperf.dynamic.signals.recompilation import TORCH as COMPILED_BY_TORCH
from deepperf.records import Finding, Level, Location, Role, Step


def became(trace: Trace, *told: Diagnosis) -> dict[int, Checked]:
    found = tuple(static_findings(trace, lambda options: options))
    return {item.line: item for item in checked((trace,), told, found)}


def test_a_finding_that_a_signal_sees_is_confirmed_with_its_share(tmp_path: Path) -> None:
    path = script(tmp_path)
    item = became(trace_of(path), diagnosis(path, share=0.41))[HOT]
    assert (item.outcome, item.said) == (Outcome.CONFIRMED, "costs 41% of the run")
    of_memory = diagnosis(path, share=0.5, weight=Weight.MEMORY)
    assert became(trace_of(path), of_memory)[HOT].said == "costs 50% of the memory"


def test_another_smell_at_the_line_confirms_nothing(tmp_path: Path) -> None:
    path = script(tmp_path)
    other = became(trace_of(path), diagnosis(path, rule="loop-invariant-op"))[HOT]
    assert other.outcome is Outcome.OPEN
    unnamed = became(trace_of(path), diagnosis(path, rule=""))[HOT]
    assert unnamed.outcome is Outcome.OPEN


def test_a_diagnosis_is_marked_where_check_says_the_same(tmp_path: Path) -> None:
    path = script(tmp_path)
    trace = trace_of(path)
    found = tuple(static_findings(trace, lambda options: options))
    told = (diagnosis(path), diagnosis(path, rule="retracing"))
    assert [item.standing.value for item in confirmed(told, found)] == ["confirmed", ""]


def test_a_line_that_takes_time_is_open(tmp_path: Path) -> None:
    item = became(trace_of(script(tmp_path)))[HOT]
    assert (item.outcome, item.said) == (Outcome.OPEN, "its line takes about 40% of the time")


def test_a_line_that_ran_and_was_never_sampled_is_refuted(tmp_path: Path) -> None:
    path = script(tmp_path)
    others = (Samples(str(path), 21, "<module>", 500, 300, 10),)
    item = became(trace_of(path, samples=others))[HOT]
    assert (item.outcome, item.said) == (
        Outcome.REFUTED,
        "takes less than 0.6% of the time",
    )


def test_a_short_run_refutes_nothing(tmp_path: Path) -> None:
    path = script(tmp_path)
    others = (Samples(str(path), 21, "<module>", 40, 30, 10),)
    assert became(trace_of(path, samples=others, sampled=40))[HOT].outcome is Outcome.OPEN


def test_a_line_that_nothing_shows_is_not_said_to_have_run(tmp_path: Path) -> None:
    item = became(trace_of(script(tmp_path)))[COLD]
    assert (item.outcome, item.said) == (Outcome.NOT_SEEN, "nothing shows that it ran")


GRAPH = """import tensorflow as tf

rows = tf.ones((400, 8))


def train():
    out = []
    for row in rows:
        out.append(tf.reduce_sum(row))
    return out


train()
"""


def test_a_line_that_may_only_be_traced_is_not_refuted(tmp_path: Path) -> None:
    path = script(tmp_path, GRAPH)
    trace = trace_of(path, samples=(), reached={str(path): (9,)})
    assert became(trace)[9].outcome is Outcome.OPEN


TWO = """import numpy as np

rows = np.ones((4000, 8))


def train():
    out = []
    for row in rows:
        out.append(np.sum(row))
    for row in rows:
        out.append(np.max(row))
    return out


train()
"""


def test_of_two_findings_the_nearer_one_is_confirmed(tmp_path: Path) -> None:
    path = script(tmp_path, TWO)
    found = became(trace_of(path), diagnosis(path, line=11))
    assert found[11].outcome is Outcome.CONFIRMED
    assert found[9].outcome is not Outcome.CONFIRMED


def test_a_statement_ran_if_a_later_one_of_its_block_did(tmp_path: Path) -> None:
    path = script(tmp_path)
    after_the_loop = became(trace_of(path, reached={str(path): (18,)}))
    assert after_the_loop[COLD].outcome is Outcome.NOT_SEEN
    before = SCRIPT.replace("    total = []\n", "    np.sum(rows[0])\n    total = []\n")
    assert has_run(str(script(tmp_path / "before", before)), 15, {16})
    assert not has_run(str(script(tmp_path / "before", before)), 15, {14})


def test_what_leaving_a_with_block_shows_to_have_run(tmp_path: Path) -> None:
    path = script(tmp_path, "with open('x') as x:\n    y = x.read()\nif y:\n    z = 1\nz = 2\n")
    assert has_run(str(path), 2, {3})
    assert not has_run(str(path), 4, {5})


def test_the_head_of_a_loop_ran_if_its_body_did(tmp_path: Path) -> None:
    text = "def train(rows):\n    for row in rows:\n        step(row)\n    else:\n        end()\n"
    path = str(script(tmp_path, text))
    assert has_run(path, 2, {3})
    assert not has_run(path, 5, {3})
    assert not has_run(path, 2, {1})


def test_where_a_run_says_that_something_is_asked_for_it_confirms_a_finding(
    tmp_path: Path,
) -> None:
    path = script(tmp_path)
    felt = replace(diagnosis(path, line=20), asked_at=(str(path), HOT))
    elsewhere = replace(felt, file=str(tmp_path / "other.py"))
    for item in (felt, elsewhere):
        assert became(trace_of(path), item)[HOT].outcome is Outcome.CONFIRMED
    apart = replace(elsewhere, asked_at=(str(path), 1))
    assert became(trace_of(path), apart)[HOT].outcome is not Outcome.CONFIRMED


def test_a_sure_finding_costs_what_its_own_line_takes(tmp_path: Path) -> None:
    path = script(tmp_path)
    trace = trace_of(path)
    notes = [*static_findings(trace, lambda options: options)]
    sure = [(file, replace(finding, level=Level.WARNING)) for file, finding in notes]
    weights = {
        (item.line, item.rule, item.weight, item.share)
        for found in (notes, sure)
        for item in weighed((trace,), (), found)
    }
    assert weights == {
        (HOT, "per-slice-op", Weight.HINT, 0.4),
        (HOT, "per-slice-op", Weight.TIME, 0.4),
    }


def test_what_a_run_tells_of_a_loop_is_not_told_of_its_lines_again(tmp_path: Path) -> None:
    path = script(tmp_path)
    trace = trace_of(path)
    found = tuple(static_findings(trace, lambda options: options))
    assert [*weighed((trace,), (diagnosis(path, line=HOT - 1),), found)] == []


def test_the_rest_of_a_loop_ran_once_what_follows_the_loop_did(tmp_path: Path) -> None:
    text = (
        "def train(rows):\n    for row in rows:\n        step(row)\n        log(row)\n    end()\n"
        "def search(rows):\n    for row in rows:\n        step(row)\n        if row:\n"
        "            break\n        log(row)\n    end()\n"
    )
    path = str(script(tmp_path, text))
    assert has_run(path, 4, {3, 5})
    assert not has_run(path, 4, {5})
    assert not has_run(path, 4, {3})
    # What leaves the loop may have come before.
    assert not has_run(path, 11, {8, 12})


def test_what_another_thread_computes_is_not_refuted(tmp_path: Path) -> None:
    path = script(tmp_path)
    others = (Samples(str(path), 21, "<module>", 500, 300, 10),)
    busy = ThreadTime("producer", 1, 2.0, (Samples(str(path), HOT, "train", 100, 100, 100),))
    item = became(trace_of(path, samples=others, threads=(busy,)))[HOT]
    assert item.outcome is Outcome.OPEN


CHORES = """def train(model, writer, rows):
    for step, row in enumerate(rows):
        loss = model.fit(row)
        writer.log(step, loss)
        if step % 4 == 0:
            model.save("last")
        model.check(
            row,
        )
"""


def chore(path: Path, line: int) -> Finding:
    place = Location(str(path), line, 1, line, 2)
    return Finding(place, "chore-per-step", "each step logs", "", Level.NOTE, Role.SOURCE, "torch")


def test_what_is_seen_at_a_statement_says_nothing_of_the_one_beside_it(tmp_path: Path) -> None:
    path = script(tmp_path, CHORES)
    trace = trace_of(path, samples=(Samples(str(path), 4, "train", 50, 50, 0),), sampled=500)
    found = ((str(path), chore(path, 4)),)
    saved = diagnosis(path, line=6, rule="chore-per-step")
    assert confirmed((saved,), found) == (saved,)
    (open_one,) = checked((trace,), (saved,), found)
    assert open_one.outcome is Outcome.OPEN
    (noted,) = weighed((trace,), (saved,), found)
    assert (noted.line, noted.weight) == (4, Weight.HINT)


def test_a_statement_of_several_lines_is_one_and_so_is_a_loop_with_what_it_begins(
    tmp_path: Path,
) -> None:
    path = script(tmp_path, CHORES)
    trace = trace_of(path)
    for seen, said in ((8, 7), (2, 4), (4, 2), (6, 5)):
        found = ((str(path), chore(path, said)),)
        told = diagnosis(path, line=seen, rule="chore-per-step")
        (item,) = checked((trace,), (told,), found)
        assert item.outcome is Outcome.CONFIRMED, (seen, said)


def test_the_way_to_a_finding_in_a_file_of_a_longer_name_is_elsewhere(tmp_path: Path) -> None:
    path = script(tmp_path, CHORES)
    said = chore(path, 4)
    for name, outcome in (("train.py", Outcome.CONFIRMED), ("rain.py", Outcome.OPEN)):
        step = Step(replace(said.location, path=name, line=6, end_line=6), "it is called")
        told = diagnosis(path, line=6, rule=said.rule)
        found = ((str(path), replace(said, path=(step,))),)
        (item,) = checked((trace_of(path),), (told,), found)
        assert item.outcome is outcome, name


TORCH = SCRIPT.replace("import numpy as np", "import torch").replace("np.", "torch.")


def unsampled(path: Path, **changes: Any) -> Trace:
    """A run in which the hot line ran, and no sample met it."""
    elsewhere = (Samples(str(path), 21, "<module>", 500, 300, 10, calls=changes.pop("calls", {})),)
    return trace_of(path, samples=elsewhere, **changes)


def among(*processes: Trace) -> Checked:
    found = tuple(static_findings(processes[0], lambda options: options))
    return next(one for one in checked(processes, (), found) if one.line == HOT)


def test_what_pytorch_does_later_or_elsewhere_is_not_refuted(tmp_path: Path) -> None:
    path = script(tmp_path, TORCH)
    assert among(unsampled(path)).outcome is Outcome.REFUTED
    trained = among(unsampled(path, calls={"Tensor.backward/_engine_run_backward": 100}))
    assert trained.outcome is Outcome.OPEN
    assert trained.said.endswith("what it adds to the backward pass is not known")
    compiled = Observation(COMPILED_BY_TORCH, str(path), HOT - 3, "train", 1, 0.1)
    assert among(unsampled(path, observations=(compiled,))).outcome is Outcome.OPEN
    on_device = Observation(WINDOW, "", 0, "")
    assert among(unsampled(path, observations=(on_device,))).outcome is Outcome.OPEN


def test_numpys_lines_are_refuted_whatever_pytorch_does(tmp_path: Path) -> None:
    path = script(tmp_path)
    assert among(unsampled(path, calls={"Tensor.backward": 100})).outcome is Outcome.REFUTED


def test_what_was_not_watched_is_not_refuted(tmp_path: Path) -> None:
    path = script(tmp_path)
    assert among(unsampled(path, unwatched=6.0)).said.endswith("a part of the run was not watched")
    assert among(unsampled(path, process=1, children_cpu_seconds=5.0)).outcome is Outcome.OPEN
    assert among(unsampled(path, process=1, children_cpu_seconds=0.01)).outcome is Outcome.REFUTED


def test_what_another_process_computes_is_not_refuted(tmp_path: Path) -> None:
    path = script(tmp_path)
    first = unsampled(path, process=1)
    worker = trace_of(path, process=2, parent=1)
    item = among(first, worker)
    assert (item.outcome, item.share) == (Outcome.OPEN, 0.4)
    # One that computes next to nothing cannot have lost much.
    assert among(first, replace(worker, cpu_seconds=0.02)).outcome is Outcome.REFUTED


def test_a_file_that_only_a_thread_runs_is_checked(tmp_path: Path) -> None:
    path = script(tmp_path)
    aside = ThreadTime("unnamed", 1, 5.0, (Samples(str(path), HOT, "train", 200, 200, 200),))
    item = among(trace_of(path, samples=(), sampled=500, reached={}, threads=(aside,)))
    assert (item.outcome, round(item.share, 2)) == (Outcome.OPEN, 0.36)
