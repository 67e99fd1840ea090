"""Models that a loop asks the same again, wherever they were made or put."""

from __future__ import annotations

import pytest
from tests.semantics.test_repetition import repeated

SEARCH = """
import torch.nn as nn
import torchvision


class Shift(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("by", torch.tensor([0.4]))

    def forward(self, x):
        return x - self.by


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout()

    def forward(self, x):
        return self.drop(x)


def features(depth):
    return torchvision.models.vgg16().features[:depth].eval()


def seen(net, wanted, turns):
    found = torch.rand_like(wanted).requires_grad_(True)
    optimizer = torch.optim.Adam([found])
    for _ in range(turns):
        optimizer.zero_grad()
        loss = (net(found) - net(wanted)).square().mean()
        loss.backward()
        optimizer.step()
    return found


def main(path, device):
    wanted = torch.from_numpy(np.load(path))
    new = torchvision.models.vgg16()
    return seen({model}, wanted, 100)
"""


@pytest.mark.parametrize(
    "model",
    [
        "features(9)",
        "features(9).to(device)",
    ],
)
def test_what_a_function_made_to_evaluate_does_so_where_it_was_moved_or_put(model: str) -> None:
    assert repeated(SEARCH.replace("{model}", model)) == ["net(wanted)"]


@pytest.mark.parametrize(
    "model",
    ["new.to(device)", "nn.Sequential(Noisy(), features(9))", "nn.Sequential(Shift(), new)"],
)
def test_what_was_not_told_to_evaluate_may_answer_anew(model: str) -> None:
    assert repeated(SEARCH.replace("{model}", model)) == []


GAP = """
import keras


class Gap(keras.callbacks.Callback):
    def __init__(self, teacher, shown):
        super().__init__()
        self.teacher = teacher
        self.shown = np.load(shown)

    def on_train_batch_end(self, batch, logs=None):
        {first}
        print(self.teacher.predict(self.shown) - self.model.predict(self.shown))


def main(student, rows):
    teacher = keras.models.load_model("teacher.keras")
    teacher.trainable = False
    student.fit(rows, callbacks=[Gap(teacher, "shown.npy")])
"""


def test_what_is_shown_to_a_model_of_which_nothing_is_known_stays_as_it_is() -> None:
    assert repeated(GAP.replace("{first}", "pass")) == ["self.teacher.predict(self.shown)"]


def test_what_a_step_changes_is_shown_anew() -> None:
    assert repeated(GAP.replace("{first}", "self.shown[0] = batch")) == []


NAMED = """
from transformers import AutoModel


def fit(image, batches, names, template):
    text = AutoModel.from_pretrained("words").eval()
    for one in text.parameters():
        one.requires_grad = False
    wanted = {wanted}
    optimizer = torch.optim.Adam(image.parameters())
    for batch in batches:
        with torch.no_grad():
            targets = text(wanted)
        loss = (image(batch) @ targets.T).mean()
        loss.backward()
        optimizer.step()
"""


@pytest.mark.parametrize(
    "wanted",
    [
        '["a photo of " + name for name in names]',
        '[f"a photo of {name}" for name in names]',
        '["a photo of %s" % name for name in names]',
        "[template.format(name) for name in names]",
    ],
)
def test_no_training_changes_texts(wanted: str) -> None:
    assert repeated(NAMED.replace("{wanted}", wanted)) == ["text(wanted)"]


def test_training_may_change_what_is_told_to_need_gradients() -> None:
    wanted = "torch.stack(names).requires_grad_()"
    assert repeated(NAMED.replace("{wanted}", wanted)) == []


SPOKEN = """
from mymodels import Reader, Words


def run(encoder, {name}, texts, batches):
    encoder.eval()
    for batch in batches:
        print(batch @ encoder({name}(texts)))


def main(texts, batches):
    encoder = Reader()
    run(encoder, Words("words.txt"), texts, batches)
"""


@pytest.mark.parametrize("name", ["tokenizer", "picked"])
def test_what_an_unknown_object_gives_may_be_another_each_time(name: str) -> None:
    assert repeated(SPOKEN.replace("{name}", name)) == []
