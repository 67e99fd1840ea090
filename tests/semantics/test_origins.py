"""Data are followed back to the calls that brought them."""

from __future__ import annotations

from deepperf.semantics.files.project import Project
from deepperf.semantics.frameworks.versions import admitted_versions
from deepperf.semantics.text.source import Source, read_source
from deepperf.semantics.view import view_file


def brought_by(text: str) -> list[str]:
    """The last names of the calls from which the argument of `use` may come, nearest first."""
    source = read_source("main.py", text.encode())
    assert isinstance(source, Source)
    file = view_file(Project({"main.py": source}, admitted_versions({})), "main.py")
    (use,) = (call for call in file.calls() if call.last_name == "use")
    return [call.last_name for call in use.arguments[0].origins()]


def test_names_arithmetic_items_and_methods_keep_data() -> None:
    text = "x = read()\nx = x.astype('float32')\nx /= 255.0\ny = 2 * x[:10]\nuse(y)\n"
    assert brought_by(text) == ["astype", "read"]


def test_an_assignment_that_augments_in_a_loop_comes_to_an_end() -> None:
    text = "x = read()\nwhile go():\n    x += more()\n    x *= 2\nuse(x)\n"
    assert set(brought_by(text)) == {"read", "more"}


def test_functions_of_the_project_attributes_and_splits_are_followed() -> None:
    text = (
        "class Data:\n"
        "    def __init__(self, path):\n"
        "        self.x, self.y = load(path)\n"
        "def load(path):\n"
        "    x, y = read(path), labels(path)\n"
        "    return x, y\n"
        "data = Data('a')\n"
        "train, test, _, _ = train_test_split(data.x, data.y)\n"
        "use(train)\n"
    )
    found = brought_by(text)
    assert "read" in found
    assert "labels" not in found


def test_a_generator_gives_parts_and_not_what_it_holds() -> None:
    text = "def parts():\n    yield read()\nuse(parts())\n"
    assert brought_by(text) == ["parts"]


def test_lists_that_are_filled_give_what_was_appended() -> None:
    text = (
        "pairs = []\n"
        "def collect(paths):\n"
        "    for path in paths:\n"
        "        image = read(path)\n"
        "        pairs.append([resize(image), label(path)])\n"
        "collect(names)\n"
        "xs = []\n"
        "for x, y in pairs:\n"
        "    xs.append(x)\n"
        "use(join(xs))\n"
    )
    assert brought_by(text)[:3] == ["join", "resize", "read"]
    assert "label" not in brought_by(text)


def test_items_of_pairs_are_told_apart() -> None:
    text = (
        "pairs = []\n"
        "for path in names:\n"
        "    pairs.append((read(path), label(path)))\n"
        "use([pair[0] for pair in pairs])\n"
    )
    assert brought_by(text) == ["read"]
