"""What runs compiled."""

from __future__ import annotations

from textwrap import dedent

import pytest
from tests.semantics.second.written import function, loops

from deepperf.semantics.query import Kind

WAYS = {
    "a decorator": (
        """\
        @jax.jit
        def wanted(x): return x
        """,
        "jax.jit",
    ),
    "a partial": (
        """\
        @partial(jax.jit, static_argnums=0)
        def wanted(x): return x
        """,
        "jax.jit",
    ),
    "a call": (
        """\
        def wanted(x): return x
        fast = tf.function(wanted)
        """,
        "tensorflow.function",
    ),
    "a helper": (
        """\
        def wanted(x): return x
        @tf.function
        def step(x): return wanted(x)
        """,
        "tensorflow.function",
    ),
    "a function passed on": (
        """\
        @jax.jit
        def step(x):
            def wanted(c, _): return c, c
            return jax.lax.scan(wanted, x, None, 3)
        """,
        "jax.jit",
    ),
    "a layer in a list": (
        """\
        class Layer(nn.Module):
            def wanted(self, x): return x
            def forward(self, x): return self.wanted(x)
        class Net(nn.Module):
            def __init__(self): self.layers = nn.ModuleList([Layer() for _ in range(3)])
            def forward(self, x):
                for layer in self.layers: x = layer(x)
                return x
        net = torch.compile(Net().cuda())
        """,
        "torch.compile",
    ),
    "a layer that is appended": (
        """\
        class Layer(nn.Module):
            def wanted(self, x): return x
            def forward(self, x): return self.wanted(x)
        class Net(nn.Module):
            def __init__(self):
                self.layers = nn.ModuleList()
                self.layers.append(Layer())
            def forward(self, x): return self.layers[0](x)
        Net().compile()
        """,
        "torch.nn.Module.compile",
    ),
    "a sequence": (
        """\
        class Layer(nn.Module):
            def wanted(self, x): return x
            def forward(self, x): return self.wanted(x)
        net = torch.compile(nn.Sequential(nn.Linear(3, 3), Layer()))
        """,
        "torch.compile",
    ),
    "a model that Keras fits": (
        """\
        class Net(tf.keras.Model):
            def wanted(self, x): return x
            def train_step(self, data): return {"loss": self.wanted(data)}
        net = Net()
        net.compile()
        net.fit([1.0])
        """,
        "keras.Model.fit",
    ),
    "a model that Keras fits operation by operation": (
        """\
        class Net(tf.keras.Model):
            def wanted(self, x): return x
            def train_step(self, data): return {"loss": self.wanted(data)}
        net = Net()
        net.compile(run_eagerly=True)
        net.fit([1.0])
        """,
        "",
    ),
    "nobody": (
        """\
        def wanted(x): return x
        def step(x): return wanted(x)
        """,
        "",
    ),
    "an exempt function": (
        """\
        @torch.compiler.disable
        def wanted(x): return x
        @torch.compile
        def step(x): return wanted(x)
        """,
        "",
    ),
    "a method of a class that a library computes otherwise": (
        """\
        from transformers.integrations import use_experts_implementation
        @use_experts_implementation(is_transposed=True)
        class Experts(nn.Module):
            def forward(self, x): return self.wanted(x)
            def wanted(self, x): return x
        experts = Experts()
        @torch.compile
        def step(x): return experts(x)
        """,
        "",
    ),
    "a branch that runs eagerly": (
        """\
        def wanted(x): return x
        @torch.compile
        def step(x):
            if not torch.compiler.is_compiling(): wanted(x)
            return x
        """,
        "",
    ),
    "a callback of Python": (
        """\
        def wanted(x): return x
        @jax.jit
        def step(x): return jax.pure_callback(wanted, x, x)
        """,
        "",
    ),
}
IMPORTS = (
    "from functools import partial\nimport jax\nimport tensorflow as tf\nimport torch\n"
    "from torch import nn\n"
)


@pytest.mark.parametrize("name", WAYS)
def test_a_function_is_compiled_by_each_way_that_leads_to_it(name: str) -> None:
    text, compiler = WAYS[name]
    found = function(IMPORTS + dedent(text), "wanted").compilations
    assert [one.way.compiler for one in found] == ([compiler] if compiler else [])


def test_what_is_registered_under_a_name_is_what_the_attribute_holds() -> None:
    text = """\
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self):
            self.register_buffer("calls", torch.zeros(()))

        def forward(self, x):
            self.calls += 1
            return self.calls
    """
    returned = next(function(text, "forward").values(Kind.RETURN)).operands[0]
    assert "torch.Tensor" in returned.types


def test_the_bounds_of_a_range_come_from_constants_of_the_project() -> None:
    text = """\
    STEPS = 500

    class Sampler:
        def __init__(self, count=40):
            self.count = count

        def run(self, times):
            for _ in range(STEPS): pass
            for _ in range(1, self.count + 1): pass
            for _ in range(times): pass
            for _ in range(len(self.count)): pass

    Sampler().run(7)
    """
    assert [loop.known_count for loop in loops(text)] == [500, 40, 7, None]
