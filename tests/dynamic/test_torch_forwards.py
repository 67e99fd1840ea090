"""Models asked about row after row, and evaluations that keep gradients, are found."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.made import script, trace_of
from tests.dynamic.watched import diagnoses, marked, needs

from deepperf.dynamic.diagnosis import Weight
from deepperf.dynamic.frameworks.torch_given import kept_by
from deepperf.dynamic.recording.trace import Observation, Samples
from deepperf.dynamic.signals import torch_forwards

needs("torch")

PROGRAM = """\
import torch


class Net(torch.nn.Module):
    def __init__(self, hidden=16):
        super().__init__()
        self.inner = torch.nn.Linear(8, hidden)
        self.outer = torch.nn.Linear(hidden, 1)

    def forward(self, rows):
        return self.outer(torch.relu(self.inner(rows)))


def one_by_one(net, rows):
    scores = []
    with torch.no_grad():
        for i in range(len(rows)):
            scores.append(net(rows[i : i + 1]))  # rows
    return torch.cat(scores)


def score(net, row):
    with torch.no_grad():
        return net(torch.tensor(row).unsqueeze(0)).item()  # rows


class Named(Net):
    def forward(self, given):
        return super().forward(given["rows"])

    def encode(self, row):
        with torch.no_grad():
            return self({"rows": row.unsqueeze(0), "names": None})  # rows


def kept(net, batches):
    total = 0.0
    for batch in batches:
        total += net(batch).detach().sum().item()  # kept
    return total


def played(net, steps):
    state = torch.zeros(1, 8)
    with torch.no_grad():
        for _ in range(steps):
            state = state * 0.9 + net(state)
    return state


def batched(net, rows):
    with torch.inference_mode():
        for first in range(0, len(rows), 32):
            net(rows[first : first + 32])


def trained(net, rows):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for i in range(len(rows)):
        loss = net(rows[i : i + 1]).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def explained(net, rows):
    for i in range(0, len(rows), 8):
        batch = rows[i : i + 8].clone().requires_grad_()
        torch.autograd.grad(net(batch).sum(), batch)


one_by_one(Net().eval(), torch.rand(24000, 8))
scores = [score(net, row) for net in [Net().eval()] for row in torch.rand(20000, 8).tolist()]
encoder = Named().eval()
vectors = [encoder.encode(row) for row in torch.rand(20000, 8)]
kept(Net(4096).eval(), [torch.rand(512, 8)] * 120)
played(Net().eval(), 2000)
batched(Net().eval(), torch.rand(24000, 8))
explained(Net().eval(), torch.rand(1000, 8))
trained(Net(), torch.rand(500, 8))
"""


def test_models_asked_row_by_row_or_with_gradients_for_nobody_are_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM, "torch-forwards")
    rows = [item for item in found if item["rule"] == "predict-per-item"]
    assert sorted((item["line"], item["weight"]) for item in rows) == [
        (line, "time") for line in marked(PROGRAM, "rows")
    ]
    kept = [item for item in found if item not in rows]
    assert [item["line"] for item in kept] == marked(PROGRAM, "kept")
    assert kept[0]["share"] > 0.02
    assert "`torch.no_grad()`" in kept[0]["remedy"]


SEQUENCES = """\
import torch


class Writer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.known = torch.nn.Embedding(50, 16)
        self.cell = torch.nn.GRU(16, 16, batch_first=True)
        self.following = torch.nn.Linear(16, 50)

    def forward(self, text):
        return self.following(self.cell(self.known(text))[0])

    def write(self, text, words):
        with torch.no_grad():
            for _ in range(words):
                word = self(text)[:, -1].argmax(-1, keepdim=True)
                text = torch.cat([text, word], 1)
        return text


def endings(writer, beginnings):
    return [writer.write(one, 12) for one in beginnings]  # sequences


writer = Writer().eval()
if ALL_AT_ONCE:
    writer.write(torch.randint(50, (200, 4)), 12)
    writer.write(torch.randint(50, (1, 4)), 300)
else:
    endings(writer, [torch.randint(50, (1, 4)) for _ in range(200)])
"""


def test_sequences_that_are_continued_one_by_one_are_found(tmp_path: Path) -> None:
    program = SEQUENCES.replace("ALL_AT_ONCE", "False")
    found = diagnoses(tmp_path, program, "torch-forwards")
    assert [(item["line"], item["rule"]) for item in found] == [
        (line, "predict-per-item") for line in marked(program, "sequences")
    ]


def test_one_sequence_or_a_batch_of_them_is_not(tmp_path: Path) -> None:
    program = SEQUENCES.replace("ALL_AT_ONCE", "True")
    assert diagnoses(tmp_path, program, "torch-forwards") == []


HELD = """\
import torch

net = torch.nn.Sequential(torch.nn.Linear(64, 2000), torch.nn.ReLU(), torch.nn.Linear(2000, 4))
net.eval()
answers = []
for batch in torch.rand(48, 500, 64):
    answers.append(net(batch))  # held
print(torch.cat(answers).argmax(1).sum())
"""


def test_answers_that_are_kept_keep_what_made_them(tmp_path: Path) -> None:
    (found,) = diagnoses(tmp_path, HELD, "torch-forwards")
    assert [found["line"]] == marked(HELD, "held")
    assert found["share"] > 0.1


STEPS = """\
import torch

net = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)


def trained(loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def apart(rows, wanted):
    answers = torch.stack([net(row) for row in rows])  # apart
    trained((answers - wanted).pow(2).mean())


def played(state):
    total = 0.0
    for turn in range(16):
        answer = net(state)
        state = torch.tanh(state + answer.detach())
        total = total - answer.sum()
    trained(total)


class Reader(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.steps, self.out = torch.nn.RNN(16, 16), torch.nn.Linear(16, 2)

    def forward(self, name):
        return self.out(self.steps(name)[1][0])


def read(reader, names):
    loss = torch.tensor(0.0)
    for name in names:
        loss = loss + reader(name).square().sum()  # apart
    loss.backward()
    optimizer.step()


for rows in torch.rand(150, 32, 16):
    apart(rows, torch.zeros(32, 1))
reader = Reader()
for turn in range(100):
    read(reader, [torch.rand(4 + turn % 3, 1, 16)] * 32)
for episode in range(40):
    played(torch.rand(16))
for row in torch.rand(400, 16):
    trained(net(row).sum())
"""


def test_rows_of_one_step_that_are_asked_apart_are_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, STEPS, "torch-forwards")
    told = [item["line"] for item in found if item["weight"] == "time"]
    assert sorted(told) == marked(STEPS, "apart")


PROMPTS = """\
def write(model, prompts):
    return [model.generate(prompt) for prompt in prompts]
"""


@pytest.mark.parametrize(("vectors", "weight"), [(150, Weight.TIME), (9000, Weight.HINT)])
def test_rows_of_few_vectors_gain_from_a_batch_however_long_they_take(
    tmp_path: Path, vectors: int, weight: Weight
) -> None:
    path = script(tmp_path, PROMPTS)
    seen = Observation(
        kind="torch-forwards",
        file=str(path),
        line=2,
        function="write",
        detail={
            "model": "Writer",
            "calls": 100,
            "rows": 100,
            "cut": 0,
            "regrown": 0,
            "turns": 1,
            "seconds": 4.0,
            "unused": 0,
            "is_used": False,
            "kept": 0,
            "alive": 1,
            "vectors": vectors,
        },
    )
    samples = (Samples(str(path), 2, "write", 400, 400, 0),)
    (found,) = torch_forwards.diagnose(trace_of(path, observations=(seen,), samples=samples))
    assert (found.line, found.rule, found.weight) == (2, "predict-per-item", weight)


ANCHORED = """\
def loss(model, anchor, batch):
    return distance(model(batch), anchor(batch).detach())
"""


@pytest.mark.parametrize(("calls", "unused", "told"), [(5, 5, 1), (3, 3, 0), (40, 12, 0)])
def test_few_calls_are_enough_where_each_is_of_a_step_of_its_own(
    tmp_path: Path, calls: int, unused: int, told: int
) -> None:
    path = script(tmp_path, ANCHORED)
    detail = dict.fromkeys(torch_forwards.KEPT, 0) | {
        "model": "Anchor",
        "calls": calls,
        "turns": calls,
        "rows": calls,
        "unused": unused,
        "is_used": False,
        "kept": 10**8,
        "alive": 1,
    }
    seen = Observation("torch-forwards", str(path), 2, "loss", detail=detail, count=0)
    found = [*torch_forwards.diagnose(trace_of(path, observations=(seen,)))]
    assert [(one.line, one.rule) for one in found] == [(2, "missing-no-grad")] * told


WRITER = """\
import torch
from torch import nn


class Writer(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(50, 64)
        layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
        self.layers = nn.TransformerEncoder(layer, 2)
        self.out = nn.Linear(64, 50)

    def write(self, ids, steps):
        for _ in range(steps):
            scores = self.out(self.layers(self.embed(ids)))  # anew
            ids = torch.cat([ids, scores[:, -1:].argmax(-1)], 1)
        return ids


def score(writer, batches):
    for ids in batches:
        writer.out(writer.layers(writer.embed(ids))).mean()


writer = Writer()
for _ in range(4):
    writer.write(torch.randint(0, 50, (1, 4)), 40)
score(writer, [torch.randint(0, 50, (2, length)) for length in range(4, 80)])
"""


def test_a_model_of_ones_own_that_is_given_all_tokens_again_is_told(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, WRITER, "torch-forwards")
    anew = [one for one in found if "recomputes the whole text" in one["message"]]
    assert [one["line"] for one in anew] == marked(WRITER, "anew")
    assert "keep the keys and values" in anew[0]["remedy"]


def test_weights_and_the_data_that_rows_are_cut_from_are_nothing_that_a_graph_keeps() -> None:
    import torch

    model = torch.nn.Sequential(torch.nn.Linear(64, 32), torch.nn.ReLU(), torch.nn.Linear(32, 16))
    data = torch.rand(1000, 64)
    node = model(data[3:4]).grad_fn
    # The row, and what the first layer and the activation made of it.
    assert kept_by(torch.is_tensor, node) <= 4 * (64 + 32 + 32)
    assert kept_by(torch.is_tensor, model(data).grad_fn) >= 4 * 1000 * (64 + 32)
