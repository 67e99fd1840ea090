"""Which calls run the `forward` of a model, wherever its object goes."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import file, files, function

NET = """\
import torch
from torch import nn

class Net(nn.Module):
    def forward(self, x):
        return x

"""

OUTER = "class Outer(nn.Module):\n"


def callers(text: str) -> list[str]:
    found = function(NET + text, "forward").callers()
    return [call.text for call in sorted(found, key=lambda call: call.span)]


@pytest.mark.parametrize(
    ("text", "called"),
    [
        ("net = Net()\nnet(1)", "net(1)"),
        ("net = Net().to('cuda').eval()\nnet(1)", "net(1)"),
        ("net = Net()\ndef f():\n    net(1)", "net(1)"),
        ("def f(net: Net):\n    net(1)", "net(1)"),
        ("def train(model):\n    model(1)\ndef main():\n    train(Net())", "model(1)"),
        ("def build():\n    return Net()\ndef main():\n    m = build()\n    m(1)", "m(1)"),
        ("def build():\n    return Net(), 3\nm, n = build()\nm(1)", "m(1)"),
        ("net = nn.parallel.DistributedDataParallel(Net())\nnet(1)", "net(1)"),
        ("net = torch.compile(Net())\nnet(1)", "net(1)"),
        ("net = nn.Sequential(Net(), nn.ReLU())\nnet(1)", "net(1)"),
        ("nets = []\nfor i in range(3):\n    nets.append(Net())\nnets[0](1)", "nets[0](1)"),
        ("nets = {}\nnets['a'] = Net()\nnets['a'](1)", "nets['a'](1)"),
        ("nets = nn.ModuleDict({'a': Net()})\nnets['a'](1)", "nets['a'](1)"),
        ("nets = nn.ModuleDict({'a': Net()})\nnets.a(1)", "nets.a(1)"),
        ("nets = nn.ModuleDict({'a': Net()})\nfor n in nets.values():\n    n(1)", "n(1)"),
        (
            "nets = nn.ModuleDict(dict(a=nn.ModuleList([Net()])))\nfor n in nets.a:\n    n(1)",
            "n(1)",
        ),
        (
            (
                "from accelerate import Accelerator\na = Accelerator()\n"
                "net, loader = a.prepare(Net(), loader)\nnet(1)"
            ),
            "net(1)",
        ),
        (
            (
                "class Trainer:\n    def __init__(self, model):\n        self.model = model\n"
                "    def step(self):\n        self.model(1)\nTrainer(Net()).step()"
            ),
            "self.model(1)",
        ),
        (
            (
                f"{OUTER}    def __init__(self, width):\n        super().__init__()\n"
                "        self.layers = nn.ModuleList([Net() for _ in range(3)])\n"
                "    def run(self, x):\n        for layer in self.layers:\n            layer(x)\n"
            ),
            "layer(x)",
        ),
        (
            (
                f"{OUTER}    def __init__(self, one):\n        super().__init__()\n"
                "        self.layers = nn.ModuleList([one])\n"
                "    def run(self, x):\n        for i, layer in enumerate(self.layers):\n"
                "            x = self.layers[i](x)\nOuter(Net())"
            ),
            "self.layers[i](x)",
        ),
        ("class Lit(Net):\n    def training_step(self, x):\n        return self(x)", "self(x)"),
        (
            (
                "def main(**options):\n    Model(**options)\n"
                "class Model:\n    def __init__(self, net):\n        self.net = net\n"
                "    def f(self):\n        self.net(1)\noptions = {'net': Net()}\nModel(**options)"
            ),
            "self.net(1)",
        ),
    ],
)
def test_a_call_of_a_model_runs_its_forward(text: str, called: str) -> None:
    assert callers(text) == [called]


@pytest.mark.parametrize(
    "text",
    [
        "def f(model):\n    model(1)\nf(other)\nNet()",
        (
            "class A:\n    def __init__(self, net):\n        self.net = net\n"
            "class B:\n    def __init__(self, net):\n        self.net = net\n"
            "    def f(self):\n        self.net(1)\nA(Net())\nB(other)"
        ),
        "net = Net()\nnet.parameters()\nnet.train()",
        "nets = [Net(), nn.ReLU()]\nnets[1](1)",
    ],
)
def test_what_is_not_seen_to_be_the_model_is_no_call_of_it(text: str) -> None:
    assert callers(text) == []


def test_a_model_of_another_file_is_followed_over_imports() -> None:
    found = files(
        {
            "net.py": NET,
            "build.py": "from net import Net\n\ndef build():\n    return Net().cuda()\n",
            "main.py": "import build\nmodel = build.build()\nfor x in loader:\n    model(x)\n",
        }
    )
    (forward,) = [one for one in found.functions() if one.name == "forward"]
    assert [call.text for call in forward.callers()] == ["model(x)"]


@pytest.mark.parametrize(
    ("start", "method"),
    [
        (
            "import keras\n\nclass Net(keras.Model):\n    def call(self, x):\n        return x\n",
            "call",
        ),
        (
            (
                "import equinox as eqx\n\nclass Net(eqx.Module):\n    def __call__(self, x):\n"
                "        return x\n"
            ),
            "__call__",
        ),
    ],
)
def test_models_of_other_frameworks_are_called_likewise(start: str, method: str) -> None:
    found = function(start + "\nnet = Net()\nnet(1)\n", method).callers()
    assert [call.text for call in found] == ["net(1)"]


def test_the_arguments_of_a_flax_model_come_after_its_weights() -> None:
    text = (
        "import flax.linen as nn\nimport numpy as np\n\nclass Net(nn.Module):\n"
        "    def __call__(self, x):\n        probe(x)\n        return x\n"
        "net = Net()\nnet.apply(weights, np.zeros(3))\n"
    )
    (call,) = [one for one in file(text).calls() if one.name == "probe"]
    assert "numpy.ndarray" in call.arguments[0].types


def test_what_a_forward_calls_runs_as_often_as_the_loop_around_the_model() -> None:
    text = NET.replace("return x", "return helper(x)") + (
        "def helper(x):\n    return x\n"
        "net = Net()\nfor batch in torch.utils.data.DataLoader(data):\n    net(batch)\n"
    )
    assert "batch" in function(text, "forward").runs_for
    assert "batch" in function(text, "helper").runs_for


def _is_free(rest: str) -> bool:
    text = NET.replace("return x", "return torch.relu(x)") + rest
    return all(call.is_gradient_free for call in function(text, "forward").calls())


def test_no_gradients_are_recorded_where_all_calls_of_the_model_switch_them_off() -> None:
    assert _is_free("net = Net()\nwith torch.no_grad():\n    net(1)")


@pytest.mark.parametrize(
    "rest",
    [
        "net(1)",
        "fit(net)",
        "models = {'a': Net}",
        "@register\nclass B(Net):\n    pass",
        "keep({'a': net})",
        "def build():\n    return Net()",
    ],
)
def test_gradients_may_be_recorded_where_another_call_may_be(rest: str) -> None:
    assert not _is_free("net = Net()\nwith torch.no_grad():\n    net(1)\n" + rest)


def test_an_option_that_no_seen_call_sets_may_be_set_by_others() -> None:
    text = (
        NET.replace("self, x", "self, x, mask=None").replace(
            "return x", "if mask is not None:\n            probe(x)\n        return x"
        )
        + "net = Net()\nnet(1)\nTrainer(model=net).train()\n"
    )
    (call,) = [one for one in file(text).calls() if one.name == "probe"]
    assert "seldom" not in call.runs_for


@pytest.mark.parametrize("calls", [3, 80])
def test_more_calls_than_are_followed_are_callers_that_are_not_seen(calls: int) -> None:
    """Each followed call switches gradients off; a last one does not."""
    free = "".join(f"with torch.no_grad():\n    net({index})\n" for index in range(calls))
    assert not _is_free(f"net = Net()\n{free}net(1)\n")
    assert _is_free(f"net = Net()\n{free}") is (calls == 3)


def test_what_gives_models_back_gives_each_to_those_who_passed_it() -> None:
    text = (
        "class Teacher(nn.Module):\n    def forward(self, x):\n        return x\n"
        "def ready(model):\n    model = model.cuda()\n    return torch.compile(model)\n"
        "student = ready(Net())\nteacher = ready(Teacher())\nteacher(1)\nstudent(2)"
    )
    assert callers(text) == ["student(2)"]
