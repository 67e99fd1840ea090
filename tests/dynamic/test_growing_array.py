"""Arrays that are copied to add to them are told; what a loop needs so far, and lists, are not."""

from __future__ import annotations

from pathlib import Path

from tests.dynamic.watched import diagnoses, marked, needs

needs("torch")

PROGRAM = """\
import numpy as np
import torch


def gathered(parts):
    found = np.zeros((0, 400))
    for part in parts:
        if len(found) < 10**9:
            found = np.concatenate((found, part))  # copied
    return found


def scored(parts, weights):
    answers = torch.empty(0, 300)
    for part in parts:
        answers = torch.cat([answers, part @ weights])  # copied
    return answers


def listed(parts, weights):
    answers = []
    for part in parts:
        answers.append(part @ weights)
    return torch.cat(answers)


def written(text, weights, turns):
    for _ in range(turns):
        following = (text @ weights).mean(0, keepdim=True)
        text = torch.cat([text, following])
    return text


class Track:
    def __init__(self):
        self.rows = torch.empty(0, 300)
        self.last = torch.empty(0, 300)

    def add(self, part):
        self.rows = torch.cat((self.rows, part))  # copied

    def window(self, part):
        self.last = torch.cat((self.last, part))[-40:]
        return self.last.mean()


def followed(parts):
    track = Track()
    for part in parts:
        track.add(part)
        track.window(part)
    return track.rows


print(gathered(np.ones((700, 10, 400))).shape)
print(scored(torch.ones(900, 20, 16), torch.ones(16, 300)).shape)
print(followed(torch.ones(900, 20, 300)).shape)
print(listed(torch.ones(2000, 20, 16), torch.ones(16, 300)).shape)
print(written(torch.ones(1, 32), torch.ones(32, 32), 3000).shape)
"""


def test_only_what_could_be_joined_once_is_told(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, PROGRAM, "growing-array")
    assert sorted(item["line"] for item in found) == marked(PROGRAM, "copied")
