"""However often listening begins and ends, a PyTorch program computes what it computes without."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.dynamic.watched import needs

needs("torch")

PROGRAM = """\
import collections
import sys

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint

seen = collections.Counter()
x = torch.linspace(0.0, 1.0, 30).reshape(5, 6)


class Counted(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        seen[func.__name__] += 1
        return super().__torch_function__(func, types, args, kwargs or {})


class Counting(torch.overrides.TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        seen[func.__name__] += 1
        return func(*args, **(kwargs or {}))


def made():
    torch.manual_seed(1)
    return nn.Sequential(nn.Linear(6, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 3))


def told(tensor):
    return tensor.detach().double().sum().item().hex()


def trained():
    net = made()
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(3):
        loss = nn.functional.cross_entropy(net(x), torch.arange(5) % 3)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return told(loss)


def attended():
    torch.manual_seed(2)
    net = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2).eval()
    with torch.no_grad():
        return told(net(torch.rand(2, 3, 8)))


def recomputed():
    net = made()
    checkpoint(net, x.clone().requires_grad_(), use_reentrant=False).sum().backward()
    return told(net[0].weight.grad)


def own_tensor():
    seen.clear()
    mine = torch.rand(3, 3).as_subclass(Counted)
    total = (mine @ mine + 1).sum()
    with torch.no_grad():
        nn.Sequential(nn.Linear(3, 3), nn.ReLU()).eval()(mine)
    return type(total).__name__, float(total.shape[0] if total.shape else 0), sorted(seen.items())


def own_mode():
    seen.clear()
    with Counting(), torch.device("cpu"):
        torch.einsum("ij,kj->ik", x, x)[0].sum()
        nn.functional.relu(x)
        made().eval()(x)
    return sorted(seen.items())


class Dispatched(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        seen[str(func)] += 1
        return func(*args, **(kwargs or {}))


def own_dispatch():
    seen.clear()
    rows, words = torch.ones(4, 64), torch.zeros(4, 64, dtype=torch.long)
    words[:, 0] = torch.arange(4)
    net = nn.Sequential(nn.Linear(64, 8), nn.Linear(8, 64))
    tokens = nn.Embedding(9, 64)
    with Dispatched():
        target = torch.full((4,), -100)
        logits = net(rows)
        nn.functional.cross_entropy(logits, target).item()
        logits[target > 0]
        with torch.no_grad():
            net.eval()(rows), tokens(words)
    return sorted(seen.items())


UNUSUAL = (
    torch.ones(16, 64, dtype=torch.cfloat),
    torch.ones(16, 64, dtype=torch.cfloat).conj(),
    torch.eye(16, 64).to_sparse(),
    torch.quantize_per_tensor(torch.ones(16, 64), 0.1, 0, torch.quint8),
    torch.ones(16, 64, device="meta"),
    torch.ones(16, 64, dtype=torch.bool),
    torch.ones(16, 64, dtype=torch.bfloat16),
    torch.ones(0, 64),
    torch.tensor(1.0),
)


def unusual():
    same = nn.Identity().eval()
    return [str(same(same([one])[0])) for one in UNUSUAL]


def mapped():
    return told(torch.vmap(lambda row: (row * 2).sum() + row[0])(x))


for part in (trained, attended, recomputed, own_tensor, own_mode, own_dispatch, unusual, mapped):
    said = {str(part()) for _ in range(30)}
    print(part.__name__, sorted(said))
print(str(torch.jit.trace(made(), x).graph).count("aten::"))
compiled = torch.compile(made(), backend="eager")
print(nn.modules.module._has_any_global_hook(), told(compiled(x)))
"""

HARSH = """\
import random
import sys
from pathlib import Path

from deepperf.dynamic.recording import windows
from deepperf.dynamic.recording.cost import Budget
from deepperf.dynamic.signals import padded_columns, prepared_again, repeated_call
from deepperf.dynamic.signals import frozen_features, torch_forwards, torch_loops
from deepperf.dynamic.recording.tape import Tape

sys.setswitchinterval(1e-4)
windows.PAUSE, windows.RETRY, windows.CHECKED_EVERY = 0.001, 0.0005, 7
draw = random.Random(0)
Budget.is_left = lambda self, reserve=0.0: draw.random() < 0.7
opened = []
switch = windows.Windows._open


def counted(self, frame):
    switch(self, frame)
    opened.append(self.is_open)


windows.Windows._open = counted
tape = Tape(Path("listened.dperf"), ["program.py"])
torch_loops.watch(tape)
for one in (torch_forwards, padded_columns, prepared_again, repeated_call, frozen_features):
    one.watch(tape)
tape.start()
with open("program.py") as stream:
    exec(compile(stream.read(), "program.py", "exec"), {"__name__": "__main__"})
tape.finish()
assert sum(opened) > 20, opened
assert not tape._problems, tape._problems
"""


@pytest.mark.watched
def test_listening_in_many_short_windows_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    (tmp_path / "harsh.py").write_text(HARSH, encoding="utf-8")
    said = [
        subprocess.run(
            [sys.executable, name],
            cwd=tmp_path,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=170,
        )
        for name in ("program.py", "harsh.py")
    ]
    assert [one.returncode for one in said] == [0, 0], said[-1].stderr
    assert said[0].stdout == said[1].stdout
    # What libraries warn of, our own questions would make them warn of, too.
    assert "deepperf" not in said[1].stderr
