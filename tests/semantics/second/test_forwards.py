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


AGAIN = """\
import torch
from torch import nn
from torchvision.models import vgg19

def paint(content, steps):
    net = vgg19().features[:21].eval()
    FREEZING
    picture = content.clone().requires_grad_(True)
    optimizer = torch.optim.Adam([picture])
    for _ in range(steps):
        loss = (net(picture) - net(ON)).square().mean()
        loss.backward()
        OPTIMIZER.step()
"""


def _again(on: str, freezing: str = "pass", optimizer: str = "optimizer") -> list[str]:
    text = AGAIN.replace("ON", on).replace("FREEZING", freezing).replace("OPTIMIZER", optimizer)
    return [run.calls[-1].text for run in function(text, "paint").runs_again]


def test_a_part_of_a_model_that_nothing_trains_gives_the_same_for_the_same() -> None:
    assert _again("content") == ["net(content)"]
    assert _again("content * 2") == ["net(content * 2)"]


def test_what_a_training_changes_is_run_anew() -> None:
    assert _again("picture") == []
    assert _again("picture + 1") == []
    assert _again("torch.rand(3)") == []


def test_what_is_written_to_is_another_input() -> None:
    made = "torch.ones(3)"
    assert _again("z", f"z = {made}; z.normal_()") == ["net(z)"]
    assert _again("z.normal_()", f"z = {made}") == []
    assert _again("z", "z = torch.ones(3, requires_grad=True)") == []
    text = """
        import torch
        from torchvision.models import vgg19

        def run(x):
            net = vgg19().eval()
            a, b = [x, x], [x, x]
            CHANGE
            return net(torch.cat(a)) + net(torch.cat(b))
        """
    assert len(function(text.replace("CHANGE", "pass"), "run").runs_twice) == 1
    assert not function(text.replace("CHANGE", "b.append(x)"), "run").runs_twice
    assert not function(text.replace("CHANGE", "b[0] = x + 1"), "run").runs_twice


def test_texts_that_differ_are_other_inputs() -> None:
    text = """
        from sentence_transformers import SentenceTransformer

        def likeness(text):
            model = SentenceTransformer("all-MiniLM-L6-v2")
            return model.encode(f"query: {text}") @ model.encode(f"OTHER: {text}")
        """
    assert len(function(text.replace("OTHER", "query"), "likeness").runs_twice) == 1
    assert not function(text.replace("OTHER", "passage"), "likeness").runs_twice


def test_a_model_that_is_handed_to_an_optimizer_is_run_anew() -> None:
    assert _again("content", "other = torch.optim.Adam(net.parameters())") == []
    assert _again("content", "net.requires_grad_(True)") == []


def test_elements_of_a_list_are_the_same_in_each_iteration_around() -> None:
    text = """
        import clip

        def bank(model, names):
            return [model.encode_text(clip.tokenize(f"a photo of {name}")) for name in names]

        def label(loader, names):
            model, _ = clip.load("ViT-B/32")
            for pictures, _ in loader:
                print(model.encode_image(pictures), bank(model, names))
        """
    (run,) = function(text, "label").runs_again
    assert [one.name for one in run.calls] == ["bank", "model.encode_text"]
