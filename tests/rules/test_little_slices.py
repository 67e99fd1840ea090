"""What is done slice by slice, or step by step, is a note where the text shows that it must be."""

from __future__ import annotations

import pytest

from deepperf import check_text
from deepperf.config.options import Options
from deepperf.records import Level

HANDED_ON = """
import numpy as np
from physics import traced


def paths(fields: np.ndarray, starts):
    return [traced(np.linalg.norm(fields[i]), starts) for i in range(len(fields))]
"""
A_HEAD_EACH = """
import torch
from torch import nn


class Heads(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.heads = nn.ModuleList([nn.Linear(8, 8) for _ in range(count)])
        self.count = count

    def forward(self, parts: torch.Tensor, masks: torch.Tensor):
        found = []
        for i in range(self.count):
            found.append(self.heads[i](parts[i]) / masks[i].sum(dim=-1))
        return torch.stack(found)
"""
LOSS_OF_AN_EPISODE = """
import torch


def learn(optimizer, episodes):
    for chances, gains in episodes:
        gains = torch.tensor(gains)
        losses = []
        for chance, gain in zip(chances, gains):
            losses.append(-chance * gain)
        optimizer.zero_grad()
        torch.stack(losses).sum().backward()
        optimizer.step()
"""
MEANT_TO_LOOP = """
import numpy as np


def norms_one_loop(rows: np.ndarray):
    found = np.zeros(len(rows))
    for i in range(len(rows)):
        found[i] = np.linalg.norm(rows[i])
    return found
"""
ONE_OF_TEN = """
import numpy as np


def effects(gains: np.ndarray, groups, given, rows):
    found = np.zeros(len(gains))
    for i, group in enumerate(groups):
        found[i] = gains[i].mean()
        near = (given == group) | (given == 0)
        share = np.mean(given[near] == group)
        first = np.dot(rows[near], np.linalg.inv(np.cov(rows[near].T)))
        spread = np.sqrt(np.sum(np.square(first), axis=1)) / np.sqrt(np.sum(near)) * share
        print(group, np.percentile(spread, 5), np.percentile(spread, 95))
    return found
"""
ASLEEP = """
import time

import numpy as np
from tensorflow import keras

model = keras.models.load_model("player.keras")


def play(env, pause):
    state = env.reset()
    while True:
        time.sleep(pause)
        state = env.step(np.argmax(model.predict(state.reshape(1, -1))))
"""
WATCHED_STEPS = """
import time

import tensorflow as tf


def aligned(model, optimizer, points, viewer):
    for _ in range(400):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(model(points) - points))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        viewer.update(model(points), float(loss))
        time.sleep(0.1)
"""


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        pytest.param("eager-loop", WATCHED_STEPS, id="steps that somebody watches"),
        pytest.param("per-slice-op", HANDED_ON, id="results that are handed on"),
        pytest.param("per-slice-op", A_HEAD_EACH, id="a head for each part"),
        pytest.param("per-slice-op", MEANT_TO_LOOP, id="a function that is called after its loop"),
        pytest.param("per-slice-op", ONE_OF_TEN, id="one of ten operations of a turn"),
        pytest.param("predict-per-item", ASLEEP, id="a game that pauses at each step"),
    ],
)
def test_what_has_to_turn_is_a_note(rule: str, text: str) -> None:
    report = check_text(text, options=Options(select=(rule,), level=Level.NOTE))
    assert {(found.rule, found.level) for found in report.findings} == {(rule, Level.NOTE)}


def test_a_loss_of_the_steps_of_an_episode_is_no_batch() -> None:
    report = check_text(
        LOSS_OF_AN_EPISODE, options=Options(select=("sample-loop",), level=Level.NOTE)
    )
    assert report.findings == ()
