"""What one iteration of a loop is, and for what a function runs."""

from __future__ import annotations

from textwrap import dedent

import pytest
from tests.semantics.second.written import file, files, function, loops

from deepperf.semantics.objects.lengths import range_length
from deepperf.semantics.query import LoopKind

START = """\
import torch
from torch import nn
from torch.utils.data import DataLoader
"""
STEP, EPOCH, BATCH = LoopKind.STEP, LoopKind.EPOCH, LoopKind.BATCH


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        (
            (
                "def f(model, loader, opt):\n    for e in range(9):\n        for x in loader:\n"
                "            model(x).sum().backward()\n            opt.step()"
            ),
            [EPOCH, STEP],
        ),
        (
            (
                "def f(model):\n    x = torch.zeros(9, 3)\n"
                "    for i in range(0, len(x), 2):\n        model.cuda()(x[i : i + 2])\n"
                "    for i in range(len(x)):\n        x[i] = 0"
            ),
            [LoopKind.UNKNOWN, LoopKind.ROW],
        ),
        (
            (
                "def f(paths, loader):\n    for path in paths:\n        model = nn.Linear(3, 3)\n"
                "        model.eval()\n        for x in loader:\n            model(x.cuda())"
            ),
            [EPOCH, BATCH],
        ),
        (
            (
                "def step(model, x, opt):\n    model(x).sum().backward()\n    opt.step()\n"
                "def f(model, loader, opt):\n    for x in loader:\n        step(model, x, opt)"
            ),
            [STEP],
        ),
        (
            (
                "def epoch(model, loader, opt):\n    for x in loader:\n"
                "        model(x).sum().backward()\n"
                "def f(model, loader, opt):\n    for e in range(9):\n"
                "        epoch(model, loader, opt)"
            ),
            [STEP, EPOCH],
        ),
        (
            (
                "def epoch(model, loader, opt):\n    for x in loader:\n"
                "        model(x).sum().backward()\n        opt.step()\n    opt.step()\n"
                "def f(model, loader, opt):\n    for e in range(9):\n"
                "        epoch(model, loader, opt)"
            ),
            [STEP, EPOCH],
        ),
        (
            (
                "class T:\n    def step(self, x):\n        self.model(x).sum().backward()\n"
                "    def f(self, loader):\n        while True:\n            self.step(next(loader))"
            ),
            [STEP],
        ),
        ("for p in model.parameters():\n    p.data.zero_()", [LoopKind.PARAMETER]),
        ("for name, p in model.named_parameters():\n    print(name)", [LoopKind.PARAMETER]),
        (
            "for p, q in zip(model.parameters(), model.parameters()):\n    p.lerp_(q, 0.1)",
            [LoopKind.PARAMETER],
        ),
        (
            (
                "class Net(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
                "        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(n)])\n"
                "    def forward(self, x):\n        for layer in self.layers:\n"
                "            x = layer(x)\n        for i in range(len(self.layers)):\n"
                "            x = self.layers[i](x)\n        for layer in self.layers:\n"
                "            print(layer)\n        return x"
            ),
            [LoopKind.UNKNOWN, LoopKind.LAYER, LoopKind.LAYER, LoopKind.UNKNOWN],
        ),
        ("for row in torch.zeros(3, 4):\n    row.sum()", [LoopKind.ROW]),
        ("for x in DataLoader(data):\n    look(x)", [BATCH]),
        ("for i, x in enumerate(DataLoader(data)):\n    look(x)", [BATCH]),
        (
            "def f(model: nn.Module, xs):\n    for x in xs:\n        model(x)",
            [BATCH],
        ),
        (
            "def f(x):\n    for layer in [nn.ReLU(), nn.GELU()] * 9:\n        x = layer(x)",
            [LoopKind.UNKNOWN],
        ),
        (
            "def f(model: nn.Module, x):\n    for _ in range(99):\n        x = model(x)",
            [LoopKind.TOKEN],
        ),
        (
            (
                "def sample(model, x):\n    return model(x).argmax()\n"
                "def f(model: nn.Module, x):\n    while True:\n        x = sample(model, x)"
            ),
            [LoopKind.TOKEN],
        ),
        ("for i in range(3):\n    look(i)", [LoopKind.FEW]),
        ("for i in (1, 2):\n    look(i)", [LoopKind.FEW]),
        ("for i in range(n):\n    look(i)", [LoopKind.UNKNOWN]),
        ("for i in xs:\n    look(i)", [LoopKind.UNKNOWN]),
    ],
)
def test_the_kind_of_a_loop(body: str, kinds: list[LoopKind]) -> None:
    assert [loop.kind for loop in loops(START + body)] == kinds


@pytest.mark.parametrize(
    ("header", "count"),
    [
        ("for x in range(10)", 10),
        ("for x in range(2, 10, 2)", 4),
        ("for x in range(10**0, 3)", None),
        ("for x in range(1, 1000000000000000000000000000000)", 10**30 - 1),
        ("for x in range(5, 2)", 0),
        ("for x in range(1, 2, 0)", None),
        ("for x in [1, 2, 3]", 3),
        ("for x in enumerate([1, 2, 3])", 3),
        ("for x in [*xs, 1]", None),
        ("for x in range(n)", None),
        ("for x in xs", None),
        ("while c", None),
    ],
)
def test_the_iterations_that_constants_tell(header: str, count: int | None) -> None:
    (loop,) = loops(f"{header}:\n    pass")
    assert loop.trip_count == count


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("a, b = (f(x) for x in pair)", [2]),
        ("a, (b, c) = [f(x) for x in pair]", [2]),
        ("a, *b = (f(x) for x in pair)", [None]),
        ("a, b = (f(x) for x in pair if x)", [None]),
        ("a, b = (f(x, y) for x in pair for y in pair)", [None, None]),
        ("a = [f(x) for x in pair]", [None]),
    ],
)
def test_a_comprehension_that_is_unpacked_has_as_many_iterations_as_variables(
    line: str, counts: list[int | None]
) -> None:
    assert [loop.trip_count for loop in loops(f"def g(pair):\n    {line}")] == counts


@pytest.mark.parametrize(
    ("made", "count"),
    [
        ("jax.random.split(key, 10)", 10),
        ("jax.random.split(key, num=7)", 7),
        ("jax.random.split(key)", 2),
        ("jax.random.split(key, n)", None),
        ("jax.random.split(*given)", None),
        ("torch.zeros(9, 3)", 9),
        ("torch.zeros((4, 3))", 4),
        ("np.random.normal(0.0, 1.0, (5, 2))", 5),
        ("np.ones(some)", None),
    ],
)
def test_an_array_has_as_many_rows_as_its_shape_says(made: str, count: int | None) -> None:
    imports = "import jax\nimport numpy as np\nimport torch\n"
    (loop,) = loops(f"{imports}for x in {made}:\n    pass")
    assert loop.known_count == count


def test_the_numbers_of_a_range_are_as_many_as_python_says() -> None:
    bounds = [(a, b, c) for a in range(-3, 4) for b in range(-3, 4) for c in (-3, -2, -1, 1, 2, 3)]
    assert [range_length(one) for one in bounds] == [len(range(*one)) for one in bounds]


TRAINING = """\
def log(x):
    return x


def step(model, x, opt):
    model(x).sum().backward()
    opt.step()
    log(x)


def run(model, loader, opt):
    for epoch in range(9):
        for i, x in enumerate(loader):
            step(model, x, opt)
            if i % 10 == 0:
                report(x)


def report(x):
    return x


def unused():
    return 1
"""


@pytest.mark.parametrize(
    ("name", "often"),
    [
        ("step", {"step", "epoch"}),
        ("log", {"step", "epoch"}),
        ("report", {"seldom"}),
        ("run", set()),
        ("unused", set()),
    ],
)
def test_a_function_runs_for_what_its_callers_loop_over(name: str, often: set[str]) -> None:
    assert function(START + TRAINING, name).runs_for == often


@pytest.mark.parametrize(
    ("text", "name", "word"),
    [
        (
            (
                "import lightning as L\nimport torch\n\n\nclass M(L.LightningModule):\n"
                "    def training_step(self, batch, i):\n        return batch\n"
            ),
            "training_step",
            "step",
        ),
        (
            (
                "from torch.utils.data import Dataset\n\n\nclass D(Dataset):\n"
                "    def __getitem__(self, i):\n        return self.read(i)\n"
                "    def read(self, i):\n        return i\n"
            ),
            "read",
            "item",
        ),
        (
            (
                "from fastapi import FastAPI\napp = FastAPI()\n\n\n@app.post('/')\n"
                "async def answer(x):\n    return x\n"
            ),
            "answer",
            "request",
        ),
        (
            (
                "from torch import nn\n\n\nclass N(nn.Module):\n    def forward(self, x):\n"
                "        return x\n"
            ),
            "forward",
            "step",
        ),
    ],
)
def test_frameworks_run_their_hooks(text: str, name: str, word: str) -> None:
    assert word in function(text, name).runs_for


def test_functions_that_call_each_other_run_for_what_either_is_called_for() -> None:
    text = (
        "def even(x):\n    odd(x)\n\n\ndef odd(x):\n    even(x)\n\n\n"
        "def run(xs):\n    for x in xs:\n        even(x)\n"
    )
    found = {one.name: one.runs_for for one in file(text).functions() if one.is_function}
    assert found["even"] == found["odd"] == {"unknown"}


def test_what_a_function_imports_itself_and_passes_in_a_dict_runs_where_it_is_called() -> None:
    found = files(
        {
            "features.py": "class Features:\n    def __call__(self, x):\n        return probe(x)\n",
            "train.py": """
                import torch

                class Model(torch.nn.Module):
                    def __init__(self, features):
                        super().__init__()
                        self.features = features

                    def forward(self, x):
                        return self.features(x)

                def main():
                    from features import Features
                    options = {"features": Features()}
                    model = Model(**options)
                    optimizer = torch.optim.SGD(model.parameters())
                    for x in data:
                        model(x).backward()
                        optimizer.step()
                """,
        }
    )
    (call,) = [one for one in found.calls() if one.name == "probe"]
    assert call.runs_for == {"step"}


def test_an_object_that_callers_pass_and_another_keeps_runs_its_methods() -> None:
    text = """
        import torch

        class Memory:
            def add(self, x):
                probe(x)

        class Other:
            def add(self, x):
                other(x)

        class Agent:
            def __init__(self, memory):
                self.memory = memory

            def play(self):
                for x in torch.ones(3):
                    self.memory.add(x)

        Agent(Memory()).play()
        """
    found = {call.name: call.runs_for for call in file(dedent(text)).calls()}
    assert found["probe"] == {"run", "row"}
    assert found["other"] == frozenset()


def test_what_runs_again_and_again_is_often_and_behind_a_guard_it_is_not() -> None:
    text = """
        def f(model, x, step):
            once(x)
            for item in x:
                perhaps(item)
            for parameter in model.parameters():
                often(parameter)
                if step % 100 == 0:
                    seldom(parameter)
    """
    found = {call.name: call.runs_often for call in file(START + dedent(text)).calls()}
    told = {name: found[name] for name in ("once", "perhaps", "often", "seldom")}
    assert told == {"once": False, "perhaps": None, "often": True, "seldom": False}
