"""What an expression may hold, over assignments, classes, calls and files."""

from __future__ import annotations

import pytest
from tests.semantics.second.written import calls, files, probed

TORCH = "import torch\nfrom torch import nn\n"
TENSOR = "torch.Tensor"


@pytest.mark.parametrize(
    "body",
    [
        "probe(torch.zeros(3))",
        "t = torch.zeros(3)\nprobe(t)",
        "t = torch.zeros(3) * 2\nprobe(t)",
        "a, b = torch.zeros(3), 1\nprobe(a)",
        "probe([torch.zeros(3)][0])",
        "for t in [torch.zeros(3), torch.ones(3)]:\n    probe(t)",
        "probe({'a': torch.zeros(3)}['a'])",
        "def make():\n    return torch.zeros(3)\nprobe(make())",
        "def make():\n    return torch.zeros(3), 1\nt, _ = make()\nprobe(t)",
        "make = lambda: torch.zeros(3)\nprobe(make())",
        "def f(t):\n    probe(t)\nf(torch.zeros(3))",
        "def f(a, t=None):\n    probe(t)\nf(1, t=torch.zeros(3))",
        "def f(t: torch.Tensor):\n    probe(t)",
        "def f(t: 'torch.Tensor | None' = None, u: torch.Tensor | None = None):\n    probe(u)",
        (
            "class A:\n    def __init__(self):\n        self.t = torch.zeros(3)\n"
            "    def f(self):\n        probe(self.t)"
        ),
        (
            "class A:\n    def __init__(self, t):\n        self.t = t\n"
            "    def f(self):\n        probe(self.t)\nA(torch.zeros(3)).f()"
        ),
        "class A:\n    @property\n    def t(self):\n        return torch.zeros(3)\nprobe(A().t)",
        (
            "class A:\n    def make(self):\n        return torch.zeros(3)\n"
            "class B(A):\n    pass\nprobe(B().make())"
        ),
        (
            "class Net(nn.Module):\n    def forward(self, x):\n        return torch.zeros(3)\n"
            "probe(Net()(1))"
        ),
        "made = {}\ndef f():\n    made['a'] = torch.zeros(3)\ndef g():\n    probe(made['a'])",
        "found = []\ndef f():\n    found.append(torch.zeros(3))\nprobe(found[0])",
        (
            "class A:\n    def __init__(self):\n        self.ts, self.n = [], 0\n"
            "    def add(self):\n        self.ts.append(torch.zeros(3))\n"
            "    def f(self):\n        probe(self.ts[0])"
        ),
        (
            "class A:\n    def __init__(self):\n        self.ts = {}\n"
            "    def add(self, key):\n        self.ts[key] = torch.zeros(3)\n"
            "    def f(self):\n        for t in self.ts.values():\n            probe(t)"
        ),
        "def outer():\n    t = torch.zeros(3)\n    def inner():\n        probe(t)\n    inner()",
    ],
)
def test_a_tensor_is_known_by_whatever_way_it_came(body: str) -> None:
    (value,) = probed(TORCH + body)
    assert TENSOR in value.types


@pytest.mark.parametrize(
    "body",
    [
        "def f(t):\n    probe(t)",
        "def f():\n    m = {}\n    m['a'] = torch.zeros(3)\nm = {}\nprobe(m['a'])",
        "probe(unknown())",
        "from x import y\nprobe(y(1).thing)",
        "probe(a.b)",
    ],
)
def test_what_is_not_known_is_unknown(body: str) -> None:
    (value,) = probed(TORCH + body)
    assert value.is_unknown
    assert not value.types


@pytest.mark.parametrize(
    "body",
    [
        "def f(net, x):\n    probe(net)\ndef g(net):\n    f(net, 1)\n    list(net.parameters())",
        (
            "class A:\n    def __init__(self, net):\n        self.net = net\n"
            "    def f(self):\n        probe(self.net)\n"
            "    def g(self):\n        return list(self.net.named_parameters())"
        ),
        (
            "class A:\n    def __init__(self, net, device):\n        self.net = net.to(device)\n"
            "    def f(self):\n        probe(self.net)\n        list(self.net.parameters())"
        ),
        "def f(net):\n    net = net.cuda()\n    list(net.parameters())\n    probe(net)",
        "def f(net):\n    net = net.eval()\n    probe(net)",
    ],
)
def test_calls_of_methods_that_only_its_type_has_tell_what_it_is(body: str) -> None:
    (value,) = probed(TORCH + body)
    assert "torch.nn.Module" in value.types


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("probe([1])", "list"),
        ("probe((1, 2))", "tuple"),
        ("probe({})", "dict"),
        ("probe('a')", "str"),
        ("probe(f'{1}')", "str"),
        ("probe(3)", "int"),
        ("probe([x for x in y])", "list"),
    ],
)
def test_literals_have_their_python_type(body: str, name: str) -> None:
    (value,) = probed(body)
    assert value.python_type == name


@pytest.mark.parametrize(
    "start",
    [
        "import torch\nprobe(torch.cat)",
        "import torch as t\nprobe(t.cat)",
        "from torch import cat\nprobe(cat)",
        "from torch import cat as join\nprobe(join)",
        "from torch import *\nprobe(cat)",
        "import torch\njoin = torch.cat\nprobe(join)",
        "def f():\n    import torch\n    probe(torch.cat)",
        "try:\n    from torch import cat\nexcept ImportError:\n    cat = None\nprobe(cat)",
    ],
)
def test_a_name_of_a_library_is_known_by_whatever_import(start: str) -> None:
    (value,) = probed(start)
    assert "torch.cat" in value.names


def test_what_another_file_defines_is_found_through_imports() -> None:
    found = files(
        {
            "example.py": "from tools import make\nimport tools as t\nprobe(make())\n"
            "probe(t.make())\n",
            "tools.py": "from tensors import *\n",
            "tensors.py": "import torch\n\n\ndef make():\n    return torch.zeros(3)\n",
        }
    )
    values = [call.arguments[0] for call in found.calls() if call.name == "probe"]
    assert [TENSOR in value.types for value in values] == [True, True]


def test_an_own_name_shadows_the_library() -> None:
    (call,) = calls("from torch import cat\n\n\ndef cat(x):\n    return x\n\n\ncat(1)\n", "cat")
    assert [one.name for one in call.runs] == ["cat"]


def test_what_a_function_that_only_calls_itself_is_given_is_unknown() -> None:
    text = "def f(x):\n    probe(x)\n    return f(x)\n"
    (value,) = probed(text)
    assert value.is_unknown


def test_what_a_function_that_calls_itself_is_given_is_what_others_pass() -> None:
    text = "def f(x):\n    probe(x)\n    return f(x)\n\n\ndef g():\n    f('a')\n"
    (value,) = probed(text)
    assert value.python_type == "str"


def test_an_iterator_that_is_its_own_gives_what_its_next_gives() -> None:
    text = """
        class Own:
            def __iter__(self):
                return self

            def __next__(self):
                return "text"

        for one in Own():
            probe(one)
    """
    (value,) = probed(text)
    assert value.python_type == "str"


def test_what_is_left_over_in_unpacking_may_hold_anything() -> None:
    (value,) = probed("first, *rest = [1, 2, 3]\nfor one in rest:\n    probe(one)")
    assert value.is_unknown


def test_the_rest_of_a_function_holds_what_its_callers_pass_beside_other_parameters() -> None:
    text = """
        import torch

        class Meters:
            def update(self, first, *others, n=1, **values):
                for other in others:
                    probe(other)
                for name, value in values.items():
                    probe(name)
                    probe(value)
                probe(values["loss"])

        def run(meters: Meters):
            meters.update("a", 1, 2, n=3, loss=torch.zeros(3), error=torch.ones(3))
    """
    other, name, value, loss = probed(text)
    assert other.python_type == "int"
    assert name.python_type == "key"
    assert TENSOR in value.types
    assert not value.is_unknown
    assert TENSOR in loss.types


def test_the_rest_of_a_function_whose_callers_unpack_is_unknown() -> None:
    text = """
        def f(*args, **options):
            probe(args[0])
            for value in options.values():
                probe(value)

        f(1, size=2)
        f(*read(), **more)
    """
    assert all(value.is_unknown for value in probed(text))


def test_a_list_made_of_itself_in_a_loop_holds_what_it_began_with() -> None:
    (value,) = probed("xs = ['a']\nwhile c:\n    xs = sorted(xs)\nprobe(xs[0])")
    assert value.python_type == "str"


def test_an_attribute_that_is_given_back_to_itself_is_what_it_was() -> None:
    text = """
        import accelerate
        class Trainer:
            def __init__(self):
                self.accelerator = accelerate.Accelerator()
                self.model = Model()
                self.model, self.other = self.accelerator.prepare(self.model, 1)
            def train(self):
                probe(self.model)
        class Model:
            pass
    """
    (read,) = probed(text)
    assert not read.is_unknown


@pytest.mark.parametrize(
    ("passed", "is_tensor"),
    [
        ("**{'x': torch.ones(2), 'y': 1}", True),
        ("**options", True),
        ("**{'x': 1}", False),
        ("**{'y': torch.ones(2)}", None),
        ("**anything()", None),
    ],
)
def test_two_stars_pass_the_entries_of_a_dict_that_is_written_out(
    passed: str, is_tensor: object
) -> None:
    text = f"""
        import torch
        options = {{"x": torch.ones(2)}}
        def f(y=2, x=None):
            probe(x)
        f({passed})
        """
    assert [value.is_array for value in probed(text)] == [is_tensor]


@pytest.mark.parametrize("read", ["found['a']", "found[key]", "next(iter(found.values()))"])
def test_what_a_comprehension_puts_into_a_dict_is_found_under_its_keys(read: str) -> None:
    made = "found = {name: torch.zeros(3) for name in names}\n"
    (value,) = probed(f"{TORCH}{made}probe({read})")
    assert value.types >= {TENSOR}
    assert not value.is_unknown or "key" in read


@pytest.mark.parametrize("made", ["dict(d)", "dict(d.items())", "OrderedDict(d)"])
def test_a_dict_that_each_iteration_makes_of_itself_holds_what_it_held_first(made: str) -> None:
    text = f"""
    from collections import OrderedDict
    import torch
    d = {{"a": torch.zeros(3)}}
    for _ in range(9):
        d = {made}
        for t in d.values():
            probe(t)
    """
    (value,) = probed(text)
    assert TENSOR in value.types
