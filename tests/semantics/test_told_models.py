"""Models and objects that only what is called of them tells apart."""

from __future__ import annotations

import pytest
from tests.semantics.test_repetition import repeated

from deepperf import check_text

NET = """
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.item = nn.Embedding(100, 10)
        self.last = {last}

    def forward(self, x):
        return self.last(x @ self.item.weight.T)


def fit(net, loader, optimizer):
    net.train()
    for x in loader:
        net(x).mean().backward()
        optimizer.step()


@torch.no_grad()
def evaluate(net, probe, loader):
    {first}
    for x in loader:
        anchor = {asked}
        {then}
        print(anchor - x)
    net.train()


def main(loader, probe, optimizer):
    net = Net()
    fit(net, loader, optimizer)
    evaluate(net, probe, loader)
"""


def evaluating(first: str, then: str, last: str = "nn.ReLU()") -> str:
    return NET.format(first=first, asked="net(probe)", then=then, last=last)


def test_a_model_gives_the_same_in_evaluation_and_training_where_no_layer_draws() -> None:
    assert repeated(evaluating("net.eval()", "pass"))
    assert repeated(evaluating("net.train()", "pass"))


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("net.train()", "pass"),
        ("net.eval(); net.train()", "pass"),
        ("net.eval()", "net.train()"),
        ("net.eval()", "net.item = nn.Embedding(100, 10)"),
    ],
)
def test_a_model_that_draws_may_be_told_to_train_after_that(first: str, then: str) -> None:
    assert not repeated(evaluating(first, then, "nn.Dropout()"))


def test_a_new_model_in_each_turn_is_asked_once() -> None:
    assert not repeated(evaluating("net.eval()", "net = Net()"))


DISTILLING = """
def distill(student, teacher, probe, loader, optimizer):
    teacher.{told}
    for x in loader:
        with torch.no_grad():
            wanted = teacher(probe)
        loss = (student(x) - wanted).mean()
        loss.backward()
        optimizer.step()
        {then}
"""


def test_what_is_told_to_evaluate_is_a_model() -> None:
    assert repeated(DISTILLING.format(told="eval()", then="pass"))


@pytest.mark.parametrize(
    ("told", "then"),
    [
        ("open()", "pass"),
        ("eval('x + y')", "pass"),
        ("eval()", "teacher.load_state_dict(student.state_dict())"),
    ],
)
def test_other_things_may_answer_anew(told: str, then: str) -> None:
    assert not repeated(DISTILLING.format(told=told, then=then))


BANK = """
class Bank:
    def __init__(self, codes):
        self.codes = codes

    def similarity_matrix(self):
        return np.linalg.inv(self.codes)

    def add_code(self, code):
        self.codes = np.vstack([self.codes, code])

    def solve(self):
        return np.linalg.inv(self.codes)
{more}

def score(bank, queries):
    for query in queries:
        print(bank.{called} @ query)
        {then}
"""


@pytest.mark.parametrize(
    ("more", "called", "then"),
    [
        ("", "similarity_matrix()", "bank.add_code(query)"),
        ("", "similarity_matrix(3)", "pass"),
        ("", "solve()", "pass"),
        ("class Other:\n    def similarity_matrix(self): ...\n", "similarity_matrix()", "pass"),
    ],
)
def test_it_is_not_where_it_changes_or_others_fit(more: str, called: str, then: str) -> None:
    assert not repeated(BANK.format(more=more, called=called, then=then))


NESTED = """
import torch


class Bank:
    class Part_Maker:
        def __init__(self, count):
            self.count = count


def use(bank, rows):
    for row in rows:
        print(bank.Part_Maker(3), torch.linalg.inv(bank.table) @ row)
"""


def test_a_class_within_a_class_is_no_method() -> None:
    assert check_text(NESTED).failures == ()
