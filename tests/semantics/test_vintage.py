"""The names that a file uses tell which versions it can run with."""

from __future__ import annotations

import pytest

from deepperf.semantics.files.project import Project
from deepperf.semantics.frameworks.versions import range_of
from deepperf.semantics.text.source import Source, read_source
from deepperf.semantics.view import FileView, view_file


def file(text: str, specifiers: str | None = None, **others: str) -> FileView:
    """`train.py` with this text, beside others: a name's `__` stands for a slash."""
    paths = {f"{name.replace('__', '/')}.py": other for name, other in others.items()}
    sources = {}
    for path, content in {"train.py": text, **paths}.items():
        source = read_source(path, content.encode())
        assert isinstance(source, Source)
        sources[path] = source
    versions = {} if specifiers is None else {"tensorflow": range_of(specifiers)}
    return view_file(Project(sources, versions), "train.py")


OLD = "import tensorflow as tf\nx = tf.placeholder(tf.float32)\n"


def test_a_name_that_newer_versions_lack_makes_a_file_old() -> None:
    assert file(OLD).precedes("tensorflow", "2.0")
    assert file(OLD).reaches("tensorflow", "1.15")
    assert file("import tensorflow\ntensorflow.contrib.layers.fully_connected\n").precedes(
        "tensorflow", "2.0"
    )


def test_so_does_a_method_that_newer_versions_lack() -> None:
    text = "import tensorflow as tf\ntf.data.Dataset.range(3).make_one_shot_iterator()\n"
    assert file(text).precedes("tensorflow", "2.0")


def test_so_does_a_module_that_it_imports_in_any_case() -> None:
    text = "import tensorflow.compat.v1 as tf\nfrom tensorflow.contrib import rnn\n"
    assert file(text).precedes("tensorflow", "2.0")


def test_an_open_range_does_not_hide_it() -> None:
    assert file(OLD, ">=1.4").precedes("tensorflow", "2.0")


def test_the_projects_own_version_counts_first() -> None:
    assert file(OLD, "==2.4").reaches("tensorflow", "2.4")


@pytest.mark.parametrize(
    "text",
    [
        "import tensorflow as tf\nx = tf.constant(1)\n",
        "import tensorflow.compat.v1 as tf\nx = tf.placeholder(tf.float32)\n",
        "from tensorflow import compat\nx = compat.v1.placeholder('float32')\n",
        "# tf.Session is gone\nimport tensorflow as tf\nx = 'tf.Session'\n",
        OLD + "if tf.__version__ < '2':\n    tf.Session()\n",
        f"try:\n    import tensorflow.compat.v1 as tf\nexcept ImportError:\n    pass\n{OLD}",
        "try:\n    from tensorflow.contrib import rnn\nexcept ImportError:\n    rnn = None\n",
        "import tensorflow as tf\ntry:\n    tf.Session()\nexcept AttributeError:\n    pass\n",
        f"{OLD}if hasattr(tf, 'Session'):\n    tf.Session()\n",
        f"{OLD}tf.random.set_seed(1)\n",
    ],
)
def test_other_files_may_run_with_the_newest(text: str) -> None:
    assert file(text).reaches("tensorflow", "2.20")


NEUTRAL = "import tensorflow as tf\nx = tf.constant(1)\n"


def test_other_files_of_the_program_tell_where_a_file_does_not() -> None:
    assert file(NEUTRAL, model=OLD).precedes("tensorflow", "2.0")
    imports = f"from part import model\n{NEUTRAL}"
    assert file(imports, part__model=OLD).precedes("tensorflow", "2.0")
    assert file(NEUTRAL, app__main=f"import train\n{OLD}").precedes("tensorflow", "2.0")


def test_another_program_of_the_project_tells_nothing() -> None:
    assert file(NEUTRAL, part__model=OLD).reaches("tensorflow", "2.20")


def test_methods_that_compat_v1_has_decide_nothing_there() -> None:
    text = "import tensorflow.compat.v1 as tf\ntf.data.Dataset.range(3).make_one_shot_iterator()\n"
    assert file(text).reaches("tensorflow", "2.20")


def test_a_file_tells_before_the_files_around_it() -> None:
    newer = "import tensorflow as tf\nstrategy.experimental_run_v2(step)\n"
    assert file(newer, model=OLD).reaches("tensorflow", "2.3")
    assert file(newer, model=OLD).precedes("tensorflow", "2.4")


def test_a_project_with_old_and_new_names_may_be_of_any_version() -> None:
    new = "import tensorflow as tf\ntf.keras.utils.set_random_seed(1)\n"
    assert file(NEUTRAL, model=OLD, other=new).reaches("tensorflow", "2.20")


def test_a_project_that_asks_for_the_version_may_be_of_any() -> None:
    asking = "import tensorflow as tf\nIS_NEW = tf.__version__ >= '2'\n"
    assert file(NEUTRAL, model=OLD, other=asking).reaches("tensorflow", "2.20")
    assert file(f"import other\n{OLD}", other=asking).reaches("tensorflow", "2.20")


def test_a_version_that_is_only_shown_decides_nothing() -> None:
    assert file(f"{OLD}print('version', tf.__version__)\n").precedes("tensorflow", "2.0")
    assert file(f"{OLD}print(f'version {{tf.__version__}}')\n").precedes("tensorflow", "2.0")


def test_a_method_that_the_project_has_itself_decides_nothing() -> None:
    used = "import tensorflow as tf\nmodel.fit_generator(rows)\n"
    own = "class Model:\n    def fit_generator(self, rows): ...\n"
    assert file(used).precedes("tensorflow", "2.16")
    assert file(used, model=own).reaches("tensorflow", "2.20")


def test_names_decide_nothing_that_the_projects_own_lower_bound_rules_out() -> None:
    assert file(OLD, ">=2.1").reaches("tensorflow", "2.20")


def test_the_name_that_decided_is_told() -> None:
    assert file(OLD).why_older("tensorflow", "2.6") == (
        " (this project's code uses `tf.placeholder`, so tensorflow<2.0 is assumed)"
    )
    assert file(OLD, "<2.5").why_older("tensorflow", "2.6") == ""
    assert file(NEUTRAL).why_older("tensorflow", "2.6") == ""


def test_sessions_of_compat_v1_hint_at_an_old_program_without_ruling_new_versions_out() -> None:
    view = file("import tensorflow as tf\nsession = tf.compat.v1.Session()\n")
    assert view.reaches("tensorflow", "2.20")
    assert view.may_be_older("tensorflow", "2.6") == (
        " (this project's code uses `tf.compat.v1.Session`, so tensorflow<2.6 is assumed)"
    )
    imported = file("import tensorflow.compat.v1 as tf\nsession = tf.Session()\n")
    assert imported.may_be_older("tensorflow", "2.6")


def test_an_import_of_a_removed_module_is_told_by_its_full_name() -> None:
    view = file("from tensorflow.contrib import slim\nslim.conv2d(1)\n")
    assert "`tensorflow.contrib`" in view.why_older("tensorflow", "2.0")
