"""The same project gives the same reports, whatever the order, the processes and the cache."""

from __future__ import annotations

import os
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties.curious import CURIOUS, curious_engine, everything
from tests.properties.specimens import damaged, programs, tried

from deepperf.check import fresh
from deepperf.check.engine import Engine, installed_rules
from deepperf.check.paths import check_tree, starts
from deepperf.check.relevant import framework_mention
from deepperf.check.run import check_file
from deepperf.config.options import Options
from deepperf.records import Level, Report
from deepperf.semantics.files.project import Project
from deepperf.semantics.text.source import Source, role_of

CACHED = Options(preview=True, level=Level.NOTE, jobs=1)
AFRESH = replace(CACHED, cache=False)
MENTION = framework_mention()
ENGINE = Engine(everything(installed_rules), stamp=lambda: "properties")

HEADS = (
    "import tensorflow as tf\n",
    "import torch\n",
    "import numpy as np\nfrom .a import *\n",
    "from a import f, g as h\n",
    "import b\nfrom b import C\n",
    "from . import c\n",
    "from pkg.d import *\n",
    "import pkg\nfrom pkg import d as e\n",
)
BODIES = (
    "def f(x):\n    return tf.matmul(x, x)\n",
    "def f(x):\n    return x.map(g)\n",
    "def g(x=None):\n    for i in range(10):\n        f(x)\n    return f(x)\n",
    "class C(tf.keras.Model):\n    def call(self, x):\n        return f(x)\n",
    "class C:\n    d = tf.data.Dataset.range(3)\n    def run(self, s):\n        s.run(f(self.d))\n",
    "class D(C):\n    def run(self, sess):\n        while True:\n            super().run(sess)\n",
    "sess = tf.compat.v1.Session()\nfor step in range(1000):\n    sess.run(f(step))\n",
    "for step in range(1000):\n    h(step)\n    b.g(step)\n    pkg.d.f(c.g(step))\n",
    "m = C()\nfor batch in loader:\n    m(batch)\n    m.run(batch)\n",
    "w = torch.zeros(3)\nfor x in xs:\n    y = torch.exp(w)\n    print(y.item())\n",
    "step = tf.function(f)\nwhile True:\n    step(1)\n    tf.function(g)(2)\n",
    "f = g\n",
    "x = 1  # deepperf: ignore\n",
    "def f(x:\n",
)
PATHS = (
    "a.py",
    "b.py",
    "c.py",
    "pkg/__init__.py",
    "pkg/a.py",
    "pkg/d.py",
    "main.py",
    "t/test_a.py",
)

texts = st.builds(
    lambda heads, bodies: "".join((*heads, *bodies)),
    st.lists(st.sampled_from(HEADS), max_size=3),
    st.lists(st.sampled_from(BODIES), max_size=4),
)
trees = st.dictionaries(st.sampled_from(PATHS), texts, min_size=2)


def written(folder: Path, files: Mapping[str, str], date: int) -> None:
    """Write files with dates that tell one state of the tree from the next."""
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")
        os.utime(target, ns=(date * 10**9, date * 10**9))


def checked(folder: Path, options: Options, engine: Engine = ENGINE) -> tuple[Report, ...]:
    (start,) = starts([folder], lambda _: options)
    return check_tree(start, engine).reports


def new_project(folder: Path) -> Path:
    (folder / "pyproject.toml").write_text("", "utf-8")
    return folder


@tried(20)
@given(damaged(most=2, least=0))
def test_the_same_text_gives_the_same_twice(text: str) -> None:
    def report() -> Report:
        project = Project({"train.py": Source("train.py", text, role_of("train.py"))})
        return check_file(project, "train.py", ENGINE.select(CACHED)).report

    assert report() == report()


@tried(12)
@given(trees, st.randoms(use_true_random=False))
def test_order_does_not_matter(files: dict[str, str], chance: random.Random) -> None:
    sources = {path: Source(path, text, role_of(path)) for path, text in sorted(files.items())}
    selection = ENGINE.select(CACHED)

    def reports(order: Sequence[str], keep: int) -> dict[str, Report]:
        project = Project(sources)
        found = {}
        for path in order:
            found[path] = check_file(project, path, selection).report
            project.forget_modules(keep)
        return found

    shuffled = list(sources)
    chance.shuffle(shuffled)
    alone = {path: reports([path], 10_000)[path] for path in sources}

    assert reports(list(sources), 10_000) == alone
    assert reports(shuffled, 10_000) == alone
    assert reports(shuffled, 0) == alone


@tried(12)
@given(trees, st.lists(trees, min_size=1, max_size=3), st.data())
def test_what_is_remembered_is_what_would_be_found(
    files: dict[str, str], edits: list[dict[str, str]], data: st.DataObject
) -> None:
    with TemporaryDirectory() as name:
        folder = new_project(Path(name))
        written(folder, files, 1_000_000_000)
        checked(folder, CACHED)
        for number, drawn in enumerate(edits, 1):
            known_only = data.draw(st.booleans())
            edit = {path: text for path, text in drawn.items() if path in files or not known_only}
            written(folder, edit, 1_000_000_000 + number)
            files |= edit
            if data.draw(st.integers(0, 3)) == 0 and len(files) > 1:
                gone = data.draw(st.sampled_from(sorted(files)))
                del files[gone]
                (folder / gone).unlink()

            assert checked(folder, CACHED) == checked(folder, AFRESH)


STATEMENTS = (
    "def read(t):\n    return t.item()\n",
    "def read(t):\n    return t\n",
    "def look(t):\n    print(read(t))\n",
    "class Net(torch.nn.Module):\n    def forward(self, x):\n        return x @ x\n",
    "class Deep(Net):\n    def forward(self, x):\n        return super().forward(x).relu()\n",
    (
        "class Held:\n    def __init__(self, net):\n        self.net = net.cuda()\n"
        "    def step(self, x):\n        look(self.net(x))\n"
    ),
    (
        "def train(net, loader, opt):\n    for x in loader:\n        loss = net(x.cuda()).sum()\n"
        "        loss.backward()\n        opt.step()\n        look(loss)\n"
    ),
    "def free(net):\n    torch.set_grad_enabled(False)\n",
    "def run(held, loader):\n    for x in loader:\n        held.step(x)\n",
    "train(Net(), DataLoader(data), torch.optim.SGD(params))\n",
    "run(Held(Deep()), DataLoader(data))\n",
    "def set():\n    global read\n    read = print\n",
    "print = look\n",
)
IMPORTS = (
    "import torch\nfrom torch.utils.data import DataLoader\n",
    "from one import *\n",
    "from two import read, look\nimport torch\n",
    "from one import Net, Held\nfrom three import *\n",
)
FILES = ("one.py", "two.py", "three.py")
pieces = st.lists(st.sampled_from(STATEMENTS), max_size=4)
places = st.tuples(
    st.sampled_from(FILES), st.integers(0, 4), st.sampled_from((*STATEMENTS, "")), st.booleans()
)


@tried(20)
@given(
    st.fixed_dictionaries(dict.fromkeys(FILES, pieces)),
    st.fixed_dictionaries(dict.fromkeys(FILES, st.sampled_from(IMPORTS))),
    st.lists(places, min_size=1, max_size=6),
)
def test_what_is_remembered_holds_after_edits_of_single_statements(
    bodies: dict[str, list[str]], heads: dict[str, str], edits: list[tuple[str, int, str, bool]]
) -> None:
    def text(path: str) -> str:
        return "\n\n".join((heads[path], *bodies[path]))

    with TemporaryDirectory() as name:
        folder = new_project(Path(name))
        written(folder, {path: text(path) for path in FILES}, 1_000_000_000)
        checked(folder, CACHED)
        for number, (path, at, statement, replaces) in enumerate(edits, 1):
            bodies[path][at : at + (replaces or not statement)] = [statement] * bool(statement)
            written(folder, {path: text(path)}, 1_000_000_000 + number)

            assert checked(folder, CACHED) == checked(folder, AFRESH)


def test_an_edit_of_one_file_changes_what_is_found_in_another(tmp_path: Path) -> None:
    folder = new_project(tmp_path)
    repeating = "import tensorflow as tf\n\ndef work(x):\n    return tf.matmul(x, x)\n"
    caller = "from helper import work\n\nfor i in range(1000):\n    work(i)\n"
    engine = curious_engine(CURIOUS[3])

    def messages() -> dict[str, list[str]]:
        reports = checked(folder, CACHED, engine)
        assert reports == checked(folder, AFRESH, engine)
        return {r.path: [f.message for f in r.findings] for r in reports}

    written(folder, {"helper.py": repeating, "main.py": caller}, 1)
    looped = messages()["helper.py"]
    written(folder, {"main.py": caller.replace("for i in range(1000)", "if i")}, 2)
    unlooped = messages()["helper.py"]
    written(folder, {"main.py": caller}, 3)

    assert looped != unlooped
    assert messages()["helper.py"] == looped


def test_an_edit_of_a_helper_makes_a_loop_repeat_work(tmp_path: Path) -> None:
    folder = new_project(tmp_path)
    engine = Engine(installed_rules)
    head = "import numpy as np\n\ndef work(x):\n"
    files = {
        "helper.py": f"{head}    return x\n",
        "main.py": "from helper import work\nimport numpy as np\n\n\n"
        "def spread(points, covariance):\n    found = []\n    for point in points:\n"
        "        found.append(point @ work(covariance) @ point)\n    return found\n",
    }
    written(folder, files, 1)
    before = checked(folder, CACHED, engine)
    written(folder, {"helper.py": f"{head}    return np.linalg.inv(x)\n"}, 2)
    after = checked(folder, CACHED, engine)

    assert after == checked(folder, AFRESH, engine)
    assert [len(r.findings) for r in (before[-1], after[-1])] == [0, 1]


def test_a_new_link_between_two_files_reaches_a_third(tmp_path: Path) -> None:
    folder = new_project(tmp_path)
    engine = curious_engine(CURIOUS[3])
    written(
        folder,
        {
            "helper.py": "import tensorflow as tf\n\ndef work(x):\n    return tf.matmul(x, x)\n",
            "between.py": "import tensorflow as tf\n",
            "main.py": "from between import *\n\nfor i in range(1000):\n    work(i)\n",
        },
        1,
    )
    checked(folder, CACHED, engine)
    written(folder, {"between.py": "import tensorflow as tf\nfrom helper import *\n"}, 2)

    assert checked(folder, CACHED, engine) == checked(folder, AFRESH, engine)


def test_a_new_link_reaches_what_is_handed_an_object(tmp_path: Path) -> None:
    folder = new_project(tmp_path)
    engine = curious_engine(CURIOUS[3])
    body = "import tensorflow as tf\n\nclass M:\n    def work(self, x):\n        return tf.abs(x)\n"
    written(
        folder,
        {
            "model.py": body,
            "train.py": "def train(m):\n    for i in range(1000):\n        m.work(i)\n",
            "main.py": "from model import M\nm = M()\n",
        },
        1,
    )
    checked(folder, CACHED, engine)
    written(folder, {"main.py": "from model import M\nfrom train import train\ntrain(M())\n"}, 2)

    assert checked(folder, CACHED, engine) == checked(folder, AFRESH, engine)


@pytest.mark.parametrize("jobs", [2, 3])
def test_any_number_of_processes(
    tmp_path: Path, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fresh, "SMALL", 4)
    folder = new_project(tmp_path)
    chosen = programs()[:: max(1, len(programs()) // 16)]
    written(folder, {f"part{i % 5}/m{i}.py": text for i, text in enumerate(chosen)}, 1)

    assert checked(folder, replace(AFRESH, jobs=jobs)) == checked(folder, AFRESH)


@tried(20)
@given(trees)
def test_what_is_left_unread_has_nothing_to_say(files: dict[str, str]) -> None:
    with TemporaryDirectory() as name:
        folder = new_project(Path(name))
        written(folder, files, 1)
        engine = Engine(installed_rules)
        (start,) = starts([folder / path for path in files], lambda _: AFRESH)
        named = check_tree(start, engine).reports
        in_folder = checked(folder, AFRESH, engine)

        assert [replace(one, failures=()) for one in named] == [
            replace(one, failures=()) for one in in_folder
        ]
        # A broken file that names no framework is told only to those who named it.
        assert all(
            every.failures in ((), one.failures)
            for every, one in zip(in_folder, named, strict=True)
        )
        assert all(
            every.failures == one.failures
            for every, one in zip(in_folder, named, strict=True)
            if MENTION.search(files[every.path].encode())
        )
