"""What loops pick from arrays, set in them, choose and feed to a training."""

from __future__ import annotations

from deepperf.semantics.files.project import Project
from deepperf.semantics.text.source import Source, read_source
from deepperf.semantics.view import FileView, Picking, Setting, view_file

HEAD = "import numpy as np\nimport tensorflow as tf\nimport torch\n"


def seen(body: str) -> FileView:
    source = read_source("main.py", (HEAD + body).encode())
    assert isinstance(source, Source)
    return view_file(Project({"main.py": source}), "main.py")


def picked(body: str) -> list[tuple[str, Picking]]:
    return [(lookup.text, lookup.picking) for lookup in seen(body).lookups()]


def written(body: str) -> list[tuple[str, Setting]]:
    return [(update.written, update.setting) for update in seen(body).updates()]


def chosen(body: str) -> list[str]:
    return [choice.test.text for choice in seen(body).choices()]


def test_an_element_is_followed_through_names_and_casts() -> None:
    body = """
def f(t, rows):
    found = []
    for i, j in rows:
        item = t[i, j]
        found.append(float(item))
    return tf.stack(found)
"""
    assert picked(body) == [("t[i, j]", Picking.ELEMENTS)]


def test_an_array_grows_by_being_joined_with_itself() -> None:
    body = """
def f(t: tf.Tensor, rows):
    out = tf.zeros((0, 3))
    for i in rows:
        out = tf.concat([out, t[i : i + 1]], axis=0)
    return out
"""
    assert picked(body) == [("t[i : i + 1]", Picking.ROWS)]


def test_members_of_a_batch_are_told_from_rows() -> None:
    body = """
def f(x: torch.Tensor, places):
    return torch.stack([x[i][places[i]] for i in range(x.size(0))])
"""
    assert picked(body) == [("x[i][places[i]]", Picking.MEMBERS)]


def test_items_of_a_list_are_not_parts_of_an_array() -> None:
    body = """
def f(names):
    parts = [tf.zeros(3) for _ in names]
    return tf.stack([parts[i] for i in range(len(names))])
"""
    assert picked(body) == []


def test_a_mask_picks_a_part_of_unknown_length() -> None:
    body = "def f(y: torch.Tensor, n):\n    return torch.cat([y[y != i] for i in range(n)])\n"
    assert picked(body) == []


def test_a_place_is_set_by_an_index_of_the_turn() -> None:
    body = """
def f(labels, n):
    out = np.zeros((len(labels), n))
    for i, label in enumerate(labels):
        out[i, label] = 1
    return out
"""
    assert written(body) == [("out[i, label]", Setting.MARKS)]


def test_a_row_that_a_turn_makes_and_keeps_is_set_once_for_each_index() -> None:
    body = """
def f(labels, n):
    rows = []
    for label in labels:
        row = np.zeros(n)
        row[label] = 1
        rows.append(row)
    return np.array(rows)
"""
    assert written(body) == [("row[label]", Setting.MARKS)]


def test_a_place_made_from_other_places_of_the_array_has_its_order() -> None:
    body = """
def f(x: np.ndarray):
    for i in range(1, len(x)):
        x[i] = x[i - 1] + 1
"""
    assert written(body) == []


def test_the_innermost_loop_counts_where_the_outer_one_does_more() -> None:
    body = """
def f(batches, load):
    for name in batches:
        labels = load(name)
        out = torch.zeros(10)
        for label in labels:
            out[label] += 1
        print(out)
"""
    assert written(body) == [("out[label]", Setting.ADDS)]


def test_a_counter_that_all_turns_move_on_is_an_index() -> None:
    body = """
def f(x: np.ndarray):
    out = np.zeros(len(x))
    i = 0
    while i < len(x):
        if x[i] > 0:
            out[i] = x[i]
        i += 1
    return out
"""
    assert chosen(body) == ["x[i] > 0"]


def test_a_counter_that_some_turns_move_on_is_none() -> None:
    body = """
def f(x: np.ndarray):
    out = np.zeros(len(x))
    i = 0
    for value in x:
        if value > 0:
            out[i] = value
            i += 1
    return out
"""
    assert chosen(body) == []
    assert written(body) == []


def test_a_branch_that_is_left_to_unknown_code_is_no_formula() -> None:
    body = """
def f(x: np.ndarray, g):
    out = np.zeros(len(x))
    for i in range(len(x)):
        if x[i] > 0:
            out[i] = g(x[i])
    return out
"""
    assert chosen(body) == []


READ = """
def read(paths):
    images = []
    for path in paths:
        images.append(tf.io.decode_png(tf.io.read_file(path)))
    return tf.stack(images)
"""


def test_files_are_read_for_training_through_functions_and_names() -> None:
    body = (
        READ
        + """
def main(model: tf.keras.Model, paths, labels):
    images = read(paths)
    scaled = images / 255
    model.fit(scaled, labels)
"""
    )
    assert [reading.call.text for reading in seen(body).readings()] == ["tf.io.read_file(path)"]


def test_files_that_are_predicted_on_are_not_read_for_training() -> None:
    body = READ + "def main(model: tf.keras.Model, paths):\n    model.predict(read(paths))\n"
    assert list(seen(body).readings()) == []


def test_attributes_lead_from_a_reader_to_a_training() -> None:
    body = (
        READ
        + """
class Data:
    def __init__(self, paths):
        self.images = read(paths)

def main(model: tf.keras.Model, paths, labels):
    data = Data(paths)
    model.fit(data.images, labels)
"""
    )
    assert len(list(seen(body).readings())) == 1
