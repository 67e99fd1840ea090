from pathlib import Path

import pytest

from deepperf.scan.corpus import CorpusError, Framework, Kind, choose, load_corpus

ENTRY = """
[[package]]
name = "flowers"
version = "1.0"
framework = "tf1"
what = "a classifier of flowers"
file = "flowers-1.0.tar.gz"
sha256 = "{hash}"
""".replace("{hash}", "a" * 64)

WHEEL = ENTRY.replace("1.0.tar.gz", "2.0-py3-none-any.whl").replace('"1.0"', '"2.0"')


def corpus(folder: Path, text: str) -> Path:
    path = folder / "corpus.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_corpus_lists_its_packages_in_order(tmp_path: Path) -> None:
    first, second = load_corpus(corpus(tmp_path, ENTRY + WHEEL))

    assert (first.key, first.kind, first.framework) == (
        "flowers-1.0",
        Kind.SDIST,
        Framework.TENSORFLOW_1,
    )
    assert (second.key, second.kind) == ("flowers-2.0", Kind.WHEEL)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('framework = "tf1"', 'framework = "theano"', "package 1: 'framework' is 'theano'"),
        ('name = "flowers"', 'name = "../flowers"', "package 1: 'name' cannot be '../flowers'"),
        ('file = "flowers-1.0.tar.gz"', 'file = "a/b.whl"', "'file' cannot be 'a/b.whl'"),
        ('what = "a classifier of flowers"', "", "package 1: missing key 'what'"),
        ('what = "a classifier of flowers"', "what = 1", "package 1: 'what' must be a string"),
        ("[[package]]", '[[package]]\nhost = "x"', "package 1: unknown key 'host'"),
        ("a" * 64, "a" * 63, "'sha256' cannot be"),
        ("[[package]]", "size = 1\n[[package]]", "unknown key 'size'"),
        ("[[package]]", "[[package", "corpus.toml"),
    ],
)
def test_a_wrong_entry_is_named(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    path = corpus(tmp_path, ENTRY.replace(old, new))

    with pytest.raises(CorpusError) as caught:
        load_corpus(path)

    assert complaint in str(caught.value)


def test_the_same_package_and_version_may_stand_there_once(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"flowers-1\.0 stands there twice"):
        load_corpus(corpus(tmp_path, ENTRY + ENTRY))


def test_a_missing_corpus_is_named(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match=r"nowhere\.toml"):
        load_corpus(tmp_path / "nowhere.toml")


@pytest.mark.parametrize(
    ("wanted", "keys"),
    [
        ([], ["flowers-1.0", "flowers-2.0"]),
        (["flowers"], ["flowers-1.0", "flowers-2.0"]),
        (["flowers-2.0"], ["flowers-2.0"]),
        (["tf1"], ["flowers-1.0", "flowers-2.0"]),
    ],
)
def test_packages_are_chosen_by_name_version_or_framework(
    tmp_path: Path, wanted: list[str], keys: list[str]
) -> None:
    packages = load_corpus(corpus(tmp_path, ENTRY + WHEEL))

    assert [package.key for package in choose(packages, wanted)] == keys


def test_a_choice_that_names_nothing_is_an_error(tmp_path: Path) -> None:
    packages = load_corpus(corpus(tmp_path, ENTRY))

    with pytest.raises(CorpusError, match="no package of the corpus is called 'trees'"):
        choose(packages, ["trees"])


def test_the_corpus_of_this_repository_is_right_and_covers_every_framework() -> None:
    packages = load_corpus(Path(__file__).parents[2] / "corpus" / "corpus.toml")

    assert len(packages) >= 20
    assert {package.framework for package in packages} == set(Framework)
    assert all(package.version in package.file for package in packages)
