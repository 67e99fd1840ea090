"""What is counted is told wherever it stands: reads of single values, exchanges between processes,
checkpoints, pools of processes, searches of lists, rows of data frames; and what is done once, or
for a whole tensor, is not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.dynamic.made import script, trace_of
from tests.dynamic.watched import marked, needs, report_on

from deepperf.dynamic.diagnosis import Weight
from deepperf.dynamic.recording.trace import Observation, Samples
from deepperf.dynamic.signals import (
    copied_weights,
    frame_rows,
    host_reads,
    unrolled_jax,
    weight_loops,
)

PROGRAM = """\
import io
import multiprocessing

import torch
import torch.distributed as dist
from torch import nn

WORDS = [f"word {number}" for number in range(4000)]


def exchanged(net):
    for parameter in net.parameters():
        dist.all_reduce(parameter.grad)  # exchanged


def norm_of(net):
    total = 0.0
    for parameter in net.parameters():
        total += parameter.grad.norm().item()  # read
    return total


def norm_of_all(net):
    return torch.cat([parameter.grad.flatten() for parameter in net.parameters()]).norm().item()


class Saves:
    def ended(self, net):
        torch.save(net.state_dict(), io.BytesIO())  # saved


class Trainer:
    def __init__(self, net, after, norm):
        self.net, self.after, self.norm = net, after, norm
        self.results = []
        self.optimizer = torch.optim.SGD(net.parameters(), lr=0.01)

    def step(self, rows):
        loss = self.net(rows).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.results.append({"kind": "step", "loss": loss})  # kept
        return self.norm(self.net)

    def fit(self, steps):
        for _ in range(steps):
            self.step(torch.ones(8, 32))
            for one in self.after:
                one(self.net)
            self.optimizer.step()


def found(words, wanted):
    places = []
    for word in wanted:
        if word in words:  # searched
            places.append(words.index(word))  # searched
    return places


def found_in(words, wanted):
    known = {word: place for place, word in enumerate(words)}
    return [known[word] for word in wanted if word in known]


def judged(rows):
    with multiprocessing.get_context("fork").Pool(1) as pool:  # started
        return pool.map(abs, rows)


def main():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    net = nn.Sequential(*[nn.Linear(32, 32) for _ in range(6)])
    Trainer(net, [exchanged, Saves().ended], norm_of).fit(40)
    clean = Trainer(net, [lambda _: None], norm_of_all)
    clean.fit(40)
    for _ in range(3):
        found(WORDS, WORDS[:2500])
        found_in(WORDS, WORDS[:2500])
        judged([1, -1])
    with torch.no_grad():
        torch.save(net.state_dict(), io.BytesIO())
    dist.barrier()


main()
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    needs("torch")
    report = report_on(tmp_path_factory.mktemp("counted"), PROGRAM)
    found: list[dict[str, Any]] = report["findings"] + report["notes"]
    return found


@pytest.mark.parametrize(
    ("signal", "mark"),
    [
        ("host-reads", "read"),
        ("collectives", "exchanged"),
        ("counted-chores", "saved"),
        ("list-search", "searched"),
        ("repeated-pool", "started"),
        ("autograd-history", "kept"),
    ],
)
def test_what_is_done_again_and_again_is_told_and_what_is_done_once_is_not(
    told: list[dict[str, Any]], signal: str, mark: str
) -> None:
    lines = {item["line"] for item in told if item["signal"] == signal}
    assert lines
    assert lines <= {*marked(PROGRAM, mark)}


def test_counts_are_told_by_step(told: list[dict[str, Any]]) -> None:
    (reads,) = [item for item in told if item["signal"] == "host-reads"]
    assert "12 in each of " in reads["evidence"]
    (exchanges,) = [item for item in told if item["signal"] == "collectives"]
    assert "12 times in each of 40 steps" in exchanges["evidence"]
    (saves,) = [item for item in told if item["signal"] == "counted-chores"]
    assert "40 times in 80 steps" in saves["evidence"]


ROWS = """\
def sellable(catalog):
    found = []
    for index, row in catalog.iterrows():
        if row["price"] < 3:
            found.append(index)
    return found


def whole(catalog):
    return catalog[catalog["price"] < 3]
"""


def test_rows_of_a_data_frame_are_told_at_their_loop(tmp_path: Path) -> None:
    path = str(script(tmp_path, ROWS))

    def samples(line: int, looks: int, way: str) -> Samples:
        seen = {"pandas": looks}
        return Samples(path, line, "sellable", looks, looks, 0, 0, seen, {way: looks})

    trace = trace_of(
        Path(path),
        samples=(
            samples(3, 60, "DataFrame.iterrows/Series.__init__"),
            samples(4, 40, "Series.__getitem__"),
            samples(10, 100, "DataFrame.__getitem__/DataFrame._getitem_bool_array"),
        ),
    )
    (one,) = frame_rows.diagnose(trace)
    assert (one.line, one.share, one.weight) == (3, 0.2, Weight.TIME)
    assert "`DataFrame.iterrows`, `Series.__getitem__`" in one.evidence


def test_parts_of_many_rows_in_a_loop_over_epochs_are_none(tmp_path: Path) -> None:
    path = str(script(tmp_path, ROWS))
    way = {"_LocationIndexer.__getitem__/_iLocIndexer._getitem_axis": 60}
    seen = Samples(path, 4, "sellable", 60, 60, 0, 0, {"pandas": 60}, way)
    assert [*frame_rows.diagnose(trace_of(Path(path), samples=(seen,)))] == []


ITEMS = """\
def item(table, start):
    past = []
    for row in range(start, start + 48):
        past.append(table.iloc[row].to_numpy())
    return past
"""


def test_rows_that_are_taken_by_their_number_are_told(tmp_path: Path) -> None:
    path = str(script(tmp_path, ITEMS))
    way = {"_LocationIndexer.__getitem__/_iLocIndexer._getitem_axis/DataFrame._ixs": 60}
    seen = Samples(path, 4, "item", 60, 60, 0, 0, {"pandas": 60}, way)
    (one,) = frame_rows.diagnose(trace_of(Path(path), samples=(seen,)))
    assert (one.line, one.share) == (3, 0.12)


BATCHES = """\
def graded(net, batches):
    right = 0
    for batch in batches:
        out = net(batch)
        right += out.sum().item()
    return right
"""


@pytest.mark.parametrize(("calls", "lines"), [(0, [5]), (400, [])])
def test_a_value_that_is_read_after_each_call_of_a_model_is_no_finding(
    tmp_path: Path, calls: int, lines: list[int]
) -> None:
    path = str(script(tmp_path, BATCHES))
    heard = {"heard": 100, "kinds": {"sum": 100}, "elements": 100, "picks": 0, "picked": 0}
    heard = {**heard, "scalars": 100, "tests": 0, "seconds": 0.01, "callers": []}
    reading = {**heard, "calls": 0, "reads": 100, "steps": 1}
    calling = {**heard, "calls": calls, "reads": 0, "steps": 1}
    seen = (
        Observation("torch-loops", path, 5, "graded", detail=reading),
        Observation("torch-loops", path, 4, "graded", detail=calling),
    )
    told = host_reads.diagnose(trace_of(Path(path), observations=seen))
    assert [one.line for one in told] == lines


LOOP = """\
def travel(places):
    start = places + 1
    for _ in range(24):
        places = places * 2
        places = places + 1
    return places
"""


def test_what_a_turn_does_more_than_once_is_unrolled_all_the_same(tmp_path: Path) -> None:
    path = str(script(tmp_path, LOOP))
    ways = [
        {"lines": [[path, 4]], "kinds": {"mul": 120, "neg": 2, "copy": 2, "convert": 4}},
        {"lines": [[path, 5]], "kinds": {"add": 48, "pad": 4, "slice": 60}},
        {"lines": [[path, 2]], "kinds": {"add": 1}},
    ]
    seen = Observation(
        unrolled_jax.NAME, path, 3, "travel", 1, 6.0, detail={"all": 320, "ways": ways}
    )
    (one,) = unrolled_jax.diagnose(trace_of(Path(path), observations=(seen,)))
    assert one.line == 3
    assert one.share == pytest.approx(0.45)


STEPS = """\
def network(layers, x):
    for layer in layers:
        x = x @ layer
    return x


def roll(layers, x):
    for _ in range(24):
        x = x + network(layers, x)
    return x
"""


def test_of_loops_within_each_other_the_one_with_more_turns_was_unrolled(tmp_path: Path) -> None:
    path = str(script(tmp_path, STEPS))
    ways = [
        {"lines": [[path, 3], [path, 9]], "kinds": {"dot_general": 72}},
        {"lines": [[path, 9]], "kinds": {"add": 24}},
    ]
    seen = Observation(unrolled_jax.NAME, path, 9, "roll", 1, 6.0, detail={"all": 96, "ways": ways})
    (one,) = unrolled_jax.diagnose(trace_of(Path(path), observations=(seen,)))
    assert one.line == 8
    assert one.share == pytest.approx(0.6)


COPIES = """\
def ended(module, trainer):
    best = copy.deepcopy(module)
    trainer.fit(module)
"""


def test_copies_have_the_share_of_copying_not_that_of_a_line_that_trains(tmp_path: Path) -> None:
    path = str(script(tmp_path, COPIES))
    steps = {"last": 199, "steps": 199}
    seen = tuple(
        Observation(copied_weights.NAME, path, line, "ended", 4000, detail=steps) for line in (2, 3)
    )
    samples = (
        Samples(path, 2, "ended", 50, 50, 0, 0, {"torch": 50}, {"deepcopy/_reconstruct": 50}),
        Samples(path, 3, "ended", 400, 400, 0, 0, {"torch": 400}, {"Trainer.fit/step": 400}),
    )
    trace = trace_of(Path(path), observations=seen, samples=samples)
    (one,) = copied_weights.diagnose(trace)
    assert (one.line, one.share) == (2, 0.1)


AVERAGE = """\
def follow(average, model, rate):
    new = model.state_dict()
    kept = average.state_dict()
    for name in kept:
        kept[name] = kept[name] * rate + new[name] * (1 - rate)
    average.load_state_dict(kept)


def joined(blocks, x):
    for block in blocks:
        x = x * 2 + block
    return x
"""


@pytest.mark.parametrize(("heard", "lines"), [(1200, [5]), (40, [])])
def test_weights_that_are_averaged_one_by_one_are_told(
    tmp_path: Path, heard: int, lines: list[int]
) -> None:
    path = str(script(tmp_path, AVERAGE))
    kinds = {"heard": heard, "kinds": {"mul": heard}, "elements": heard, "picks": 0, "picked": 0}
    rest = {"scalars": 0, "tests": 0, "seconds": 0.01, "callers": [], "calls": 0, "reads": 0}
    detail = {**kinds, **rest, "steps": 20}
    seen = tuple(Observation("torch-loops", path, line, "", detail=detail) for line in (5, 11))
    told = [*weight_loops.diagnose(trace_of(Path(path), observations=seen))]
    assert [one.line for one in told] == lines
    assert all(one.weight is Weight.HINT for one in told)


def test_all_that_is_read_and_written_in_a_loop_over_rows_is_by_row(tmp_path: Path) -> None:
    path = str(script(tmp_path, ROWS))
    written = {"_LocationIndexer.__setitem__/_iLocIndexer._setitem_with_indexer": 60}
    gone = {"DataFrame.iterrows/Series.__init__": 10}
    body = Samples(path, 4, "sellable", 60, 60, 0, 0, {"pandas": 60}, written)
    head = Samples(path, 3, "sellable", 10, 10, 0, 0, {"pandas": 10}, gone)
    (one,) = frame_rows.diagnose(trace_of(Path(path), samples=(head, body)))
    assert (one.line, one.share) == (3, 0.14)
    assert [*frame_rows.diagnose(trace_of(Path(path), samples=(body,)))] == []
