"""Files read anew in each turn are found; those of a data set, or written meanwhile, are not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.dynamic.watched import diagnoses, marked

pytest.importorskip("numpy")

AGAIN = """\
import json
import pickle

import numpy as np

np.save("rows.npy", np.random.rand(600, 600))
np.savez_compressed("shard.npz", rows=np.random.rand(400, 400))
np.savetxt("norms.txt", np.random.rand(3000, 4))
with open("names.json", "w") as stream:
    json.dump({str(number): [number] * 20 for number in range(5000)}, stream)


def names():
    with open("names.json") as stream:
        return json.load(stream)  # again


total = 0.0
for step in range(60):
    total += np.load("shard.npz")["rows"][step, 0]  # again
for step in range(40):
    rows = np.load("rows.npy")
    norms = np.loadtxt("norms.txt")  # again
    total += rows[:100].sum() * norms[0, 0] + len(names())


def parsed(path):
    with open(path) as stream:  # again
        for line in stream:
            yield [float(part) for part in line.split(",")]


with open("table.csv", "w") as stream:
    stream.writelines(f"{row},{row / 7},{row / 3},{row % 5}\\n" for row in range(20_000))
for epoch in range(16):
    for row in parsed("table.csv"):
        total += row[1]
"""

ORDINARY = """\
import json
import pickle

import numpy as np

for shard in range(30):
    np.savetxt(f"{shard}.txt", np.random.rand(2000, 4))
with open("many.pkl", "wb") as stream:
    for number in range(400):
        pickle.dump(list(range(2000)), stream)

# Each epoch goes through all files of a data set.
total = 0.0
for epoch in range(3):
    for shard in range(30):
        total += np.loadtxt(f"{shard}.txt").sum()

# One object after the other of a file.
with open("many.pkl", "rb") as stream:
    for number in range(400):
        total += sum(pickle.load(stream))

# Some epochs over one large file.
for epoch in range(4):
    with open("0.txt") as stream:
        for line in stream:
            total += sum(float(part) for part in line.split())

# What others, or the program itself, have written meanwhile.
for step in range(40):
    with open("state.json", "w") as stream:
        json.dump({"step": step, "rows": list(range(20000))}, stream)
    with open("state.json") as stream:
        total += json.load(stream)["step"]

# One part after the other.
np.arange(4e6).tofile("numbers.bin")
for part in range(40):
    total += np.fromfile("numbers.bin", count=100_000, offset=800_000 * part).sum()

# Functions are still what other processes know them by.
for read in (json.load, pickle.load, np.load, np.loadtxt):
    assert pickle.loads(pickle.dumps(read)) is read
"""

IMAGES = """\
import numpy as np
from PIL import Image

for number in range(3):
    pixels = np.random.randint(0, 255, (500, 500, 3), dtype="uint8")
    Image.fromarray(pixels).save(f"{number}.png")

for epoch in range(10):
    for number in range(3):
        image = Image.open(f"{number}.png").convert("L")  # again
        mean = np.asarray(image).mean()
"""


@pytest.mark.watched
def test_files_read_anew_in_each_turn_are_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, AGAIN, "repeated-read")
    costly = [item for item in found if item["share"] >= 0.05]
    assert sorted(item["line"] for item in costly) == marked(AGAIN, "again")
    told = {item["line"]: item["message"] for item in found}
    assert told[marked(AGAIN, "again")[2]] == (
        "`norms.txt` is read repeatedly, and has not changed"
    )


@pytest.mark.watched
def test_data_sets_and_files_that_change_are_no_finding(tmp_path: Path) -> None:
    assert diagnoses(tmp_path, ORDINARY, "repeated-read") == []


@pytest.mark.watched
def test_images_decoded_later_count_where_they_are_opened(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    found = diagnoses(tmp_path, IMAGES, "repeated-read")
    assert [item["line"] for item in found] == marked(IMAGES, "again")
    assert found[0]["message"] == ("the same 3 files are read repeatedly, and have not changed")
    assert found[0]["share"] > 0.2


WHOLE_TEXTS = """\
import json
from pathlib import Path

PATH = Path("labels.json")
PATH.write_text(json.dumps({str(number): [number] * 9 for number in range(8000)}))


class Pictures:
    def __getitem__(self, index):
        return json.loads(PATH.read_text())[str(index)]  # again


class Kept:
    def __init__(self):
        self.labels = json.loads(PATH.read_text())

    def __getitem__(self, index):
        return self.labels[str(index)]


for pictures in (Pictures(), Kept()):
    for index in range(80):
        pictures[index]
"""


def test_a_file_whose_whole_text_is_read_for_each_item_is_found(tmp_path: Path) -> None:
    found = diagnoses(tmp_path, WHOLE_TEXTS, "repeated-read")
    assert [item["line"] for item in found] == marked(WHOLE_TEXTS, "again")
    assert found[0]["message"] == "`labels.json` is read repeatedly, and has not changed"
    assert found[0]["share"] > 0.2


IN_MEMORY = """\
import io

import numpy as np
from PIL import Image


def encoded(seed):
    stream = io.BytesIO()
    pixels = np.random.default_rng(seed).integers(0, 255, (400, 400, 3), dtype="uint8")
    Image.fromarray(pixels).save(stream, format="PNG")
    return stream.getvalue()


archive = [encoded(number) for number in range(3)]
for epoch in range(10):
    for blob in archive:
        image = Image.open(io.BytesIO(blob)).convert("L")  # again
        mean = np.asarray(image).mean()
for number in range(30):
    image = Image.open(io.BytesIO(encoded(100 + number))).convert("L")
"""


def test_images_that_are_kept_encoded_in_memory_are_found_where_they_are_opened(
    tmp_path: Path,
) -> None:
    pytest.importorskip("PIL")
    found = diagnoses(tmp_path, IN_MEMORY, "repeated-read")
    assert [item["line"] for item in found] == marked(IN_MEMORY, "again")
    assert found[0]["message"] == (
        "the same 3 files in memory are read repeatedly, and have not changed"
    )
    assert "30 times" in found[0]["evidence"]
