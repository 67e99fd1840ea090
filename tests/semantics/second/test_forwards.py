"""Which models are frozen, and which runs of models are the same, over functions."""

from __future__ import annotations

from tests.semantics.second.written import calls, function

TRAINED = """\
import torch
from torch import nn

class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Linear(8, 8)
        self.head = nn.Linear(8, 8)

    def forward(self, x):
        return self.head(self.encoder(x))

class Task(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = Backbone()
        FREEZING
        self.last = nn.Linear(8, 2)

    def forward(self, x):
        return self.last(self.backbone(x))

def main(loader):
    task = Task()
    optimizer = torch.optim.Adam(task.parameters())
    for x in loader:
        task(x).sum().backward()
        optimizer.step()
"""
_EACH = "for one in self.backbone{}.parameters():\n            {}one.requires_grad = False"
_SOME = (
    "for name, one in self.backbone.named_parameters():\n"
    "            if 'head' not in name:\n"
    "                one.requires_grad = False"
)
_ALL = "self.backbone.requires_grad_(False)"


def _frozen(freezing: str) -> bool | None:
    (run,) = calls(TRAINED.replace("FREEZING", freezing), "self.backbone")
    return run.runs_frozen_model


def test_a_model_is_frozen_where_all_of_it_is_told_to_need_no_gradients() -> None:
    assert _frozen(_ALL) is True
    assert _frozen(_EACH.format("", "")) is True
    assert _frozen("pass") is None


def test_a_model_of_which_a_part_is_frozen_may_learn_with_the_rest() -> None:
    assert _frozen("self.backbone.encoder.requires_grad_(False)") is None
    assert _frozen("self.backbone.encoder.weight.requires_grad = False") is None
    assert _frozen(_EACH.format(".encoder", "")) is None
    assert _frozen(_SOME) is None


def test_a_frozen_model_of_which_a_part_is_told_to_learn_is_not_frozen() -> None:
    assert _frozen(f"{_ALL}; self.backbone.head.requires_grad_()") is False
    assert _frozen(f"{_ALL}; self.backbone.head.requires_grad_(True)") is False
    assert _frozen(f"{_ALL}; self.backbone.head.weight.requires_grad = True") is False


def test_a_model_that_is_made_of_a_frozen_one_may_learn_with_the_rest() -> None:
    text = """\
        from torch import nn

        def main(loader):
            encoder = nn.Sequential(nn.Linear(8, 8)).requires_grad_(False)
            model = nn.Sequential(encoder, nn.Linear(8, 2))
            for x in loader:
                model(x)
        """
    (run,) = calls(text, "model")
    assert run.runs_frozen_model is None


def test_two_runs_are_the_same_however_often_their_input_was_doubled() -> None:
    doubled = "    x = torch.cat([x, x, x, x])\n" * 16
    text = (
        "import torch\nfrom torch import nn\n\ndef run(x):\n"
        "    net = nn.Sequential(nn.Linear(3, 3))\n"
        f"{doubled}    return net(x) + net(x)\n"
    )
    (twice,) = function(text, "run").runs_twice
    assert [one.text for one in (*twice.first, *twice.second)] == ["net(x)", "net(x)"]
