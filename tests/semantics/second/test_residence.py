"""Where a tensor lives."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import probed

from deepperf.semantics.query import Residence

START = """\
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
"""
HOST = [
    "probe(torch.ones(2).cuda().type_as(torch.zeros(3)))",
    "probe(torch.zeros(3))",
    "probe(torch.tensor([1]) + 1)",
    "probe(torch.zeros(3, device='cpu'))",
    "probe(torch.zeros(3).cuda().cpu())",
    "probe(torch.zeros(3, device=device).to('cpu'))",
    "for x in DataLoader(data):\n    probe(x)",
    "for x, y in DataLoader(data):\n    probe(y)",
    "for i, (x, y) in enumerate(DataLoader(data)):\n    probe(x)",
    (
        "class A(nn.Module):\n    def load(self):\n        self.t = torch.zeros(3)\n"
        "        probe(self.t)"
    ),
    "def f(x):\n    probe(x)\nf(torch.zeros(3))",
    "probe(torch.stack([torch.zeros(3), torch.ones(3)]))",
    "probe(torch.from_numpy(np.zeros(3)))",
    "probe(torch.zeros(3).to(torch.float16))",
    "probe(torch.zeros(3).cuda().to(torch.zeros(2)))",
    "host = torch.device('cpu')\ndef f(x):\n    probe(x.cuda().to(host))",
    (
        "class A:\n    def __init__(self):\n        self.host = torch.device('cpu')\n"
        "    def f(self, found):\n        probe(found['boxes'].to(self.host).tensor)"
    ),
    "def f(found):\n    probe(found.cuda().to('cpu').boxes.tensor)",
]
ACCELERATOR = [
    "probe(torch.zeros(3).type_as(torch.ones(2).cuda()))",
    "probe(torch.zeros(3).cuda())",
    "probe(torch.zeros(3).to(device))",
    "probe(torch.zeros(3).to('cuda'))",
    "probe(torch.zeros(3).cuda().to(torch.int32))",
    "point = device\nprobe(torch.zeros(3).to(point))",
    "probe(torch.zeros(3).to(0))",
    "probe(torch.zeros(3, device=device))",
    "probe(torch.zeros(3, device=device) + 1)",
    "probe(torch.zeros(3) + torch.ones(3, device=device))",
    "probe(torch.zeros_like(torch.ones(3, device=device)))",
    "t = torch.ones(3, device=device)\nprobe(torch.zeros(3, device=t.device))",
    "for x in DataLoader(data):\n    x = x.to(device)\n    probe(x)",
    "for x, y in DataLoader(data):\n    x, y = x.cuda(), y.cuda()\n    probe(y.mean())",
    "def move(x):\n    return x.to(device)\nfor x in DataLoader(data):\n    probe(move(x))",
    "def f(x):\n    probe(x)\nf(torch.zeros(3).cuda())",
    "def f(x, there=device):\n    probe(torch.zeros(3).to(there))",
    "class Net(nn.Module):\n    def forward(self, x):\n        probe(x)",
    (
        "class Net(nn.Module):\n    def forward(self, x):\n        return x\n"
        "model = Net().to(device)\nprobe(model(torch.zeros(3).to(device)))"
    ),
    (
        "class A:\n    def __init__(self):\n        self.t = torch.zeros(3).to(device)\n"
        "    def f(self):\n        probe(self.t)"
    ),
    "model = nn.Linear(3, 3).cuda()\nfor p in model.parameters():\n    probe(p.grad.norm())",
    (
        "import lightning as L\nclass M(L.LightningModule):\n"
        "    def training_step(self, batch, i):\n"
        "        x, y = batch\n        probe(x)"
    ),
    "import jax.numpy as jnp\nprobe(jnp.zeros(3))",
]
NOTHING = ["probe(1)", "probe('a')", "probe(np.zeros(3).shape[0])", "probe(torch.zeros(3).shape)"]


@pytest.mark.parametrize("body", HOST)
def test_what_was_never_moved_lives_on_the_host(body: str) -> None:
    (value,) = probed(START + body)
    assert value.residence is Residence.HOST


@pytest.mark.parametrize("body", ACCELERATOR)
def test_what_was_moved_or_made_there_lives_on_the_accelerator(body: str) -> None:
    (value,) = probed(START + body)
    assert value.residence is Residence.ACCELERATOR


@pytest.mark.parametrize("body", NOTHING)
def test_what_is_no_tensor_lives_nowhere(body: str) -> None:
    (value,) = probed(START + body)
    assert value.residence is Residence.NOTHING


def test_nobody_knows_where_a_parameter_lives_that_nobody_passes() -> None:
    (value,) = probed("import torch\n\n\ndef f(x: torch.Tensor):\n    probe(x)\n")
    assert value.residence is Residence.UNKNOWN


def test_a_model_of_a_project_that_moves_nothing_lives_nobody_knows_where() -> None:
    text = (
        "from torch import nn\nmodel = nn.Linear(3, 3)\nfor p in model.parameters():\n    probe(p)"
    )
    (value,) = probed(text)
    assert value.residence is Residence.UNKNOWN


MODULE = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, steps, scale):
        super().__init__()
        self.register_buffer("betas", torch.linspace(0, 1, 9))
        self.alphas = torch.cumprod(1 - self.betas * scale, dim=0)

    def forward(self, t):
        probe(self.alphas)
        probe(self.betas)
        return self.alphas.to(t.device)[t]


net = Net(9, load()).cuda()
"""


def test_what_a_constructor_computes_of_a_buffer_stays_where_that_was_made() -> None:
    kept, registered = probed(MODULE)
    assert kept.residence is Residence.HOST
    assert registered.residence is Residence.ACCELERATOR
