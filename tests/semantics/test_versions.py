"""Framework versions from a project's metadata."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepperf.semantics.frameworks.kinds import is_lock, kind_of
from deepperf.semantics.frameworks.versions import admitted_versions, parse_override, range_of


@pytest.mark.parametrize(
    ("specifiers", "reached", "not_reached"),
    [
        (">=1.15,<2", "1.15", "2.0"),
        (">=2.0", "99", None),
        ("", "99", None),
        ("==2.4.*", "2.4.9", "2.5"),
        ("==2.4.1", "2.4", "2.4.2"),
        ("===2.4.1", "2.4.1", "2.5"),
        ("~=2.4", "2.99", "3"),
        ("~=2.4.1", "2.4.9", "2.5"),
        ("<=2.5", "2.5.0", "2.5.1"),
        ("<2.6", "2.5.9", "2.6"),
        ("!=2.3", "99", None),
        ("==1.13.1+cu117", "1.13.1", "1.14"),
        ("==2.6.0rc1", "2.6", "2.7"),
        (">=1,<3,<=2.4", "2.4", "2.5"),
        ("<1!3", "2", "3"),
    ],
)
def test_a_range_reaches_what_its_newest_release_reaches(
    specifiers: str, reached: str, not_reached: str | None
) -> None:
    assert range_of(specifiers).reaches(reached)
    if not_reached is not None:
        assert not range_of(specifiers).reaches(not_reached)


def test_asking_for_no_version_is_an_error() -> None:
    with pytest.raises(ValueError, match="'new'"):
        range_of("<2").reaches("new")


# Each file admits TensorFlow 2.4, but not 2.6.
FILES = {
    "requirements.txt": "numpy\n-r other.txt\n"
    "TensorFlow_GPU[and-cuda] == 2.4.1 ; python_version<'3.9' "
    "\\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n",
    "requirements-gpu.txt": "tensorflow<2.6  # newer ones need another CUDA\n",
    "requirements/base.txt": "tensorflow~=2.4.0\n",
    "constraints.txt": "tensorflow==2.4.1\n",
    "req-files/requirements.in": "https://host/a/tensorflow-2.4.1-cp38-cp38-linux_x86_64.whl\n",
    "pyproject.toml": "[project]\nname='a'\ndependencies=['numpy', 'tensorflow>=2,<2.5']\n",
    "extra/pyproject.toml": "[project.optional-dependencies]\ntf=['tf-nightly<2.5']\n",
    "group/pyproject.toml": "[dependency-groups]\ntf=['tensorflow<2.5', {include-group='a'}]\n",
    "poetry/pyproject.toml": "[tool.poetry.dependencies]\ntensorflow='~2.4'\n",
    "poetry2/pyproject.toml": "[tool.poetry.group.dev.dependencies]\n"
    "tensorflow={version='2.4.*', extras=['x']}\n",
    "poetry3/pyproject.toml": "[tool.poetry.dependencies]\n"
    "tensorflow=[{version='2.3.0'}, {version='>=2.4 <2.5 || 1.15'}]\n",
    "pdm/pyproject.toml": "[tool.pdm.dev-dependencies]\ntf=['tensorflow<2.5']\n",
    "setup.cfg": "[options]\ninstall_requires =\n  numpy\n  tensorflow>=2,<2.5\n",
    "cfg/setup.cfg": "[options.extras_require]\ntf = tensorflow==2.4.1; python_version>'3'\n",
    "setup.py": "from setuptools import setup\nreqs = ['tensorflow <2.5']\nsetup(requires=reqs)\n",
    "old/setup.py": "print 'python 2'\nsetup(extras_require={'a': ('tensorflow==2.4',)})\n",
    "Pipfile": "[packages]\ntensorflow = '==2.4.1'\nnumpy = '*'\n",
    "Pipfile.lock": '{"default": {"tensorflow": {"version": "==2.4.1"}}}',
    "poetry.lock": '[[package]]\nname = "tensorflow"\nversion = "2.4.1"\ndescription = ""\n',
    "uv.lock": 'version = 1\n\n[[package]]\nname = "tensorflow"\nversion = "2.4.1"\r\n',
    "pylock.toml": 'lock-version = "1.0"\n[[packages]]\nname = "tensorflow"\nversion = "2.4.1"\n',
    "environment.yml": "name: a\ndependencies:\n  - python=3.8\n  - tensorflow=2.4\n",
    "env/environment.yaml": "dependencies:\n- conda-forge::tensorflow-gpu==2.4.1=py38_0\n",
    "conda.yaml": "dependencies:\n  - pip:\n      - 'tensorflow>=2,<2.5'  # pinned\n",
    "conda-lock.yml": "package:\n- name: tensorflow\n  version: 2.4.1\n  manager: conda\n",
    "Dockerfile": "FROM --platform=x tensorflow/tensorflow:2.4.1-gpu AS base\nRUN ls\n",
    "docker/gpu.Dockerfile": "RUN apt update && \\\n  pip3 install -q 'tensorflow==2.4.1' numpy\n",
}


@pytest.mark.parametrize("path", FILES)
def test_every_kind_of_metadata_is_read(path: str) -> None:
    assert kind_of(path) is not None
    found = admitted_versions({path: FILES[path]})["tensorflow"]
    assert found.reaches("2.4")
    assert not found.reaches("2.6")
    assert found.path == path


@pytest.mark.parametrize("path", ["model.py", "NOTES.md", "data.txt", "config.toml", "a.lock"])
def test_other_files_are_not_worth_reading(path: str) -> None:
    assert kind_of(path) is None


def test_distributions_are_known_by_the_framework_they_bring() -> None:
    text = "torch>=1.8\njaxlib==0.4.1\nkeras<3\nNumPy==1.26\ntransformers==4.40\nrequests==2\n"
    found = admitted_versions({"requirements.txt": text})
    assert list(found) == ["jax", "keras", "numpy", "torch", "transformers"]
    conda = admitted_versions({"environment.yml": "dependencies:\n  - pytorch::pytorch=1.9\n"})
    assert not conda["torch"].reaches("1.10")


def test_a_lock_file_decides_over_ranges() -> None:
    files = {"pyproject.toml": "[project]\ndependencies=['torch>=1']", "uv.lock": FILES["uv.lock"]}
    files["requirements.txt"] = "tensorflow>=2"
    found = admitted_versions(files)
    assert is_lock("uv.lock")
    assert not found["tensorflow"].reaches("2.5")
    assert found["torch"].reaches("99")


def test_among_equals_the_newest_admitted_version_counts() -> None:
    markers = "tensorflow==1.15; python_version<'3.8'\ntensorflow==2.6; python_version>='3.8'\n"
    assert admitted_versions({"requirements.txt": markers})["tensorflow"].reaches("2.6")
    files = {"requirements.txt": "tensorflow==1.15", "setup.py": "setup(a=['tensorflow>=1'])"}
    assert admitted_versions(files)["tensorflow"].reaches("2.6")


def test_a_name_without_a_version_says_nothing() -> None:
    files = {"requirements.txt": "tensorflow==1.15", "setup.py": "setup(a=['tensorflow'])"}
    assert not admitted_versions(files)["tensorflow"].reaches("2")
    assert admitted_versions({"requirements.txt": "tensorflow\n"}) == {}


def test_the_programs_own_metadata_decide_over_those_of_its_examples() -> None:
    files = {"requirements.txt": "tensorflow<2", "docs/requirements.txt": "tensorflow>=2.6"}
    files["examples/uv.lock"] = FILES["uv.lock"]
    assert not admitted_versions(files)["tensorflow"].reaches("2")
    assert "docs/requirements.txt" in files


def test_broken_files_cost_no_other_file() -> None:
    files = {
        "pyproject.toml": "[project\ntensorflow",
        "setup.cfg": "install_requires = x\n[",
        "Pipfile.lock": "{",
        "a/Pipfile.lock": "[" * 100_000,
        "setup.py": "setup((",
        "requirements.txt": "tensorflow==2.4\n",
    }
    assert str(admitted_versions(files)["tensorflow"]) == "tensorflow==2.4 (requirements.txt)"


NAMES = st.sampled_from([*FILES, "model.py"])
PIECES = st.sampled_from(
    [
        "tensorflow",
        "==",
        "2.4",
        "[",
        "]",
        "'",
        '"',
        "-",
        "=",
        "*",
        "||",
        "^",
        "~",
        "{",
        ":",
        "name",
        "version",
        "FROM",
        "pip",
        "install",
    ]
) | st.sampled_from(["\n", " ", "[tool.poetry.dependencies]\n", "[project]\n"])


@given(st.dictionaries(NAMES, st.text() | st.lists(PIECES).map("".join)))
def test_reading_metadata_never_raises(files: dict[str, str]) -> None:
    for versions in admitted_versions(files).values():
        assert versions.reaches("0")


@pytest.mark.parametrize(
    ("option", "framework", "reached", "not_reached"),
    [
        ("tensorflow=2.4", "tensorflow", "2.4.9", "2.5"),
        ("tensorflow=2", "tensorflow", "2.99", "3"),
        ("tf-nightly==2.4", "tensorflow", "2.4", "2.4.1"),
        ("torch>=1.8,<2", "torch", "1.13", "2"),
        (" jax >= 0.4", "jax", "99", None),
        ("tensorflow==2.4.*", "tensorflow", "2.4.9", "2.5"),
    ],
)
def test_an_option_names_a_version(
    option: str, framework: str, reached: str, not_reached: str | None
) -> None:
    name, versions = parse_override(option)
    assert name == framework
    assert versions.reaches(reached)
    assert not_reached is None or not versions.reaches(not_reached)


@pytest.mark.parametrize(
    "option",
    [
        "",
        "tensorflow",
        "=2",
        "theano=1",
        "torch=",
        "torch=new",
        "torch=>2",
        "torch>=1,x",
        "torch>=3,<2",
        "torch==2.1,!=2.1",
    ],
)
def test_a_wrong_option_is_named_in_one_line(option: str) -> None:
    with pytest.raises(ValueError, match="framework version") as caught:
        parse_override(option)
    assert repr(option) in str(caught.value)
    assert "\n" not in str(caught.value)
