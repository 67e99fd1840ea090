"""What is the same whenever a function runs, what reads a value, and what a product is made of."""

from __future__ import annotations

from tests.semantics.second.written import calls, loops, probed

from deepperf.semantics.query import LoopKind


def test_literals_and_what_a_constructor_alone_sets_are_settled() -> None:
    found = probed(
        """
        SIZES = [1, 2]

        class Net:
            def __init__(self):
                self.order = [2, 1]
                self.shown = [1]

            def show(self, shown):
                self.shown = shown

            def forward(self, x):
                probe([1, (2, -3)])
                probe(SIZES)
                probe(self.order)
                probe(self.shown)
                probe(x)
        """
    )
    assert [value.is_settled for value in found] == [True, True, True, False, False]


def test_fields_that_nothing_sets_are_settled_in_an_object_that_stays() -> None:
    found = probed(
        """
        from dataclasses import dataclass

        @dataclass
        class Settings:
            rows: int = 8
            seen: int = 0

        class Run:
            def __init__(self, settings: Settings):
                self.settings = settings
                self.last = settings

            def go(self, settings: Settings, make):
                self.last = make()
                settings.seen = 3
                probe(settings.rows)
                probe(self.settings.rows)
                probe(settings.seen)
                probe(self.last.rows)
                own = Settings(make())
                probe(own.rows)
        """
    )
    assert [value.is_settled for value in found] == [True, True, False, False, False]


def test_readers_look_through_variables_in_which_values_meet() -> None:
    (value,) = probed(
        """
        def f(x, is_large):
            y = probe(make(x))
            return y
        """
    )
    (made,) = calls(
        "def f(x, big):\n    y = make(x)\n    if big:\n        y = x\n    use(y)\n", "make"
    )
    assert [reader.text for reader in value.readers] == ["probe(make(x))"]
    assert [reader.text for reader in made.result.readers] == ["use(y)"]


def test_a_product_has_two_factors_however_it_is_written() -> None:
    found = probed(
        """
        import torch

        def f(a: torch.Tensor, b: torch.Tensor):
            probe(a @ b)
            probe(torch.matmul(a, b))
            probe(a.mm(b))
            probe(torch.einsum("ik,kj->ij", a, b))
            probe(a * b)
            probe(torch.einsum("ij,ij->ij", a, b))
            probe(torch.einsum("ik,kj->j", a, b))
        """
    )
    are = [value.product is not None for value in found]
    assert are == [True, True, True, True, False, False, False]


def test_a_product_multiplies_rows_by_rows_where_its_second_factor_is_transposed() -> None:
    found = probed(
        """
        import torch

        def f(a: torch.Tensor, b: torch.Tensor):
            probe(a @ b.T)
            probe(torch.einsum("bqhd, bkhd -> bhqk", a, b))
            probe(torch.einsum("...qd,...kd->...qk", a, b))
            probe(torch.einsum("ik,kj->ij", a, b.T))
            probe(torch.einsum("bhqk,bkhd->bqhd", a, b))
            probe(a @ b)
        """
    )
    products = [value.product for value in found]
    turned = [one.is_transposed for one in products if one is not None]
    assert turned == [True, True, True, True, False, False]


def test_options_of_a_command_line_are_settled_unless_code_sets_them() -> None:
    found = probed(
        """
        import argparse

        class Task:
            def __init__(self, args):
                self.args = args

            def go(self):
                probe(self.args.workers)
                probe(self.args.size)

        parser = argparse.ArgumentParser()
        options = parser.parse_args()
        options.size = 4
        Task(options).go()
        """
    )
    assert [value.is_settled for value in found] == [True, False]


def test_a_list_of_parameters_is_gone_over_parameter_by_parameter() -> None:
    (loop,) = loops(
        """
        import torch

        def f(model: torch.nn.Module):
            some = list(model.parameters())
            for p in some:
                p.grad = None
        """
    )
    assert loop.kind is LoopKind.PARAMETER


def test_a_call_is_conditional_inside_an_if_within_the_loop() -> None:
    text = """
        def f(items, is_shown):
            if is_shown:
                for item in items:
                    one(item)
                    if item:
                        two(item)
        """
    one, two = calls(text, "one")[0], calls(text, "two")[0]
    assert not one.is_conditional(one.loops[0])
    assert two.is_conditional(two.loops[0])
    assert one.is_conditional()


def test_an_if_that_only_asks_for_an_accelerator_is_no_condition() -> None:
    text = """
        import torch

        on_gpu = torch.cuda.is_available()

        def f(device, x, is_shown):
            if {}:
                one()
    """
    asking = (
        "torch.cuda.is_available()",
        "on_gpu",
        "device.type == 'cuda'",
        "device.type != 'cpu'",
        "'cuda' in str(device)",
        "x.is_cuda",
        "torch.cuda.device_count() > 0",
        "on_gpu and device.type == 'cuda'",
    )
    others = (
        "device.type == 'cpu'",
        "torch.cuda.device_count() > 1",
        "on_gpu and is_shown",
        "not on_gpu",
    )
    for test in (*asking, *others):
        (call,) = calls(text.format(test), "one")
        assert call.is_conditional() is (test in others), test
