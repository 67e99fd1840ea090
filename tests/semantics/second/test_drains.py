"""Waits for the device, and which of them find work queued."""

from __future__ import annotations

from textwrap import indent

import pytest
from tests.semantics.second.written import file, loops

from deepperf.semantics.query import Wait

STEP = """\
import torch


class Meter:
    def add(self, value):
        self.sum += value.item()


def as_number(t):
    return t.item()


def settle():
    torch.cuda.synchronize()


def accuracy(output, target):
    return (output == target).float().mean()


def train(model, loader, opt, log_every, debug=False):
    model.cuda()
    meter = Meter()
    for step, (x, y) in enumerate(loader):
        x, y = x.cuda(), y.cuda()
        output = model(x)
        loss = (output - y).sum()
        loss.backward()
        opt.step()
{body}
"""


def waits(body: str) -> list[tuple[str, bool]]:
    """The text of each wait in a training step, and whether the queue has work then."""
    *_, loop = (one for one in loops(STEP.format(body=indent(body, " " * 8))) if one.outer == ())
    return [(wait.at.text, wait.empties) for wait in loop.waits]


@pytest.mark.parametrize(
    "read",
    [
        "loss.item()",
        "loss.cpu()",
        "loss.tolist()",
        "float(loss)",
        "print(loss)",
        "f'{loss}'",
        "bool(loss)",
        "z = torch.relu(output)\nz[z > 0]",
        "loss.to('cpu')",
        "as_number(loss)",
        "meter.add(loss)",
        "sum([loss.item()])",
    ],
)
def test_reading_a_tensor_of_the_device_waits_for_it(read: str) -> None:
    assert [empties for _, empties in waits(read)] == [True]


@pytest.mark.parametrize("test", ["if loss > 3:", "assert loss > 3, 'large'\nif 0:"])
def test_a_condition_on_a_tensor_waits_for_it(test: str) -> None:
    assert [empties for _, empties in waits(f"{test}\n    pass")][:1] == [True]


@pytest.mark.parametrize(
    "body",
    [
        "loss.detach()",
        "loss.shape[0]",
        "len(output)",
        "x.size(0)",
        "step + 1",
        "torch.zeros(3).item()",
        "loss is None",
        "if loss is not None:\n    pass",
        "losses = [loss.detach()]",
        "loss.to('cpu', non_blocking=True)",
        "y.to('cuda')",
    ],
)
def test_what_needs_no_value_of_the_device_does_not_wait(body: str) -> None:
    assert waits(body) == []


def test_three_waits_in_a_row_are_one() -> None:
    found = waits("a = loss.item()\nb = output.cpu()\nc = y.tolist()")
    assert [empties for _, empties in found] == [True, False, False]


def test_a_wait_behind_further_work_is_one_more() -> None:
    found = waits("a = loss.item()\nb = accuracy(output, y).item()")
    assert [empties for _, empties in found] == [True, True]


@pytest.mark.parametrize("barrier", ["torch.cuda.synchronize()", "settle()"])
def test_behind_a_barrier_the_queue_is_empty_until_work_follows(barrier: str) -> None:
    assert waits(f"{barrier}\nloss.item()") == [("loss.item()", False)]
    assert waits(f"{barrier}\nz = torch.relu(output)\nz.item()") == [("z.item()", True)]


def test_waits_of_helpers_count_where_they_are_called() -> None:
    found = waits("a = as_number(loss)\nb = as_number(accuracy(output, y))")
    assert [empties for _, empties in found] == [True, True]


@pytest.mark.parametrize(
    "condition",
    ["if step % log_every == 0:", "if debug:", "if step == 0:", "try:\n    pass\nexcept E:"],
)
def test_a_wait_behind_a_condition_that_seldom_holds_is_none(condition: str) -> None:
    assert waits(f"{condition}\n    print(loss.item())") == []


def test_the_wait_at_the_end_of_a_step_is_its_last() -> None:
    text = STEP.format(body="        loss.item()")
    *_, loop = (one for one in loops(text) if one.outer == ())
    assert [wait.is_last for wait in loop.waits] == [True]


def test_a_wait_is_told_with_the_calls_that_lead_to_it() -> None:
    text = STEP.format(body="        meter.add(loss)")
    *_, loop = (one for one in loops(text) if one.outer == ())
    (wait,) = loop.waits
    assert [call.name for call in wait.calls] == ["meter.add", "value.item"]


def test_the_waits_of_a_loader_on_the_host_are_none() -> None:
    text = "import torch\n\n\ndef f(loader):\n    for x in loader:\n        x.cpu()\n"
    (loop,) = file(text).loops()
    assert loop.waits == ()


def first_wait(body: str) -> Wait:
    *_, loop = (one for one in loops(STEP.format(body=indent(body, " " * 8))) if one.outer == ())
    return loop.waits[0]


@pytest.mark.parametrize(
    "body",
    [
        "total = 0\ntotal += loss.item()",
        "print(loss.item())",
        "best = min(best, loss.item())",
        "assert loss.item() < 3",
    ],
)
def test_a_value_that_is_only_kept_or_shown_could_be_read_later(body: str) -> None:
    assert not first_wait(body).is_needed


@pytest.mark.parametrize(
    "body",
    [
        "if as_number(loss) > 3:\n    break",
        "x[: loss.item()].sum()",
        "for i in range(loss.item()):\n    pass",
        "torch.tensor(loss.item()).cuda()",
        "torch.save(loss.cpu(), 'last.pt')",
    ],
)
def test_a_value_is_needed_where_it_decides_or_becomes_work_again(body: str) -> None:
    assert first_wait(body).is_needed


def test_each_part_of_a_condition_is_asked_for_its_truth() -> None:
    text = """\
import jax


def play(key, explores, steps):
    for _ in range(steps):
        key = jax.random.fold_in(key, 1)
        if explores and jax.random.uniform(key) > 0.5:
            act(0)


play(jax.random.key(0), True, 500)
"""
    (loop,) = loops(text)
    assert [wait.at.text for wait in loop.waits] == ["explores and jax.random.uniform(key) > 0.5"]


@pytest.mark.parametrize(
    "test", ["debug and loss > 3", "not debug or loss > 3", "not (debug and loss > 3)"]
)
def test_what_stands_behind_an_option_that_is_off_is_not_asked(test: str) -> None:
    assert waits(f"if {test}:\n    pass") == []


@pytest.mark.parametrize(
    "test", ["debug or loss > 3", "not debug and loss > 3", "log_every and loss > 3"]
)
def test_what_stands_behind_a_condition_that_may_hold_is_asked(test: str) -> None:
    assert [empties for _, empties in waits(f"if {test}:\n    pass")] == [True]


NO_TENSOR = ["torch.tensor([{}], device=x.device)", "float({})", "print({})"]


@pytest.mark.parametrize("read", NO_TENSOR)
@pytest.mark.parametrize(
    "test",
    [
        "not torch.is_tensor(loss)",
        "not isinstance(loss, torch.Tensor)",
        "isinstance(loss, (int, float))",
        "isinstance(loss, int | float)",
        "debugs and not torch.is_tensor(loss)",
        "not (torch.is_tensor(loss) or debugs)",
    ],
)
def test_what_is_told_to_be_no_tensor_is_not_waited_for(test: str, read: str) -> None:
    assert waits(f"if {test}:\n    {read.format('loss')}") == []


@pytest.mark.parametrize("read", NO_TENSOR)
@pytest.mark.parametrize(
    "test",
    [
        "torch.is_tensor(loss)",
        "isinstance(loss, torch.Tensor)",
        "isinstance(loss, (int, torch.Tensor))",
        "not isinstance(loss, (int, float))",
        "not torch.is_tensor(x)",
        "debugs or not torch.is_tensor(loss)",
        "isinstance(loss, object)",
    ],
)
def test_what_may_be_a_tensor_by_its_branch_is_waited_for(test: str, read: str) -> None:
    assert [empties for _, empties in waits(f"if {test}:\n    {read.format('loss')}")] == [True]


def test_a_variable_that_became_a_tensor_in_its_branch_is_waited_for() -> None:
    body = "if not torch.is_tensor(loss):\n    loss = torch.ones(3).cuda()\nloss.item()"
    assert [text for text, _ in waits(body)] == ["loss.item()"]


def test_a_method_of_a_subclass_waits_for_the_base_that_calls_it() -> None:
    text = """\
import jax.numpy as jnp


class Policy:
    def __call__(self, x):
        return self.choose(x)

    def choose(self, x):
        pass


class Greedy(Policy):
    def choose(self, x):
        return int(jnp.argmax(x))


policy = Greedy()
for _ in range(500):
    policy(jnp.ones(3))
"""
    (loop,) = loops(text)
    assert [wait.at.text for wait in loop.waits] == ["int(jnp.argmax(x))"]
