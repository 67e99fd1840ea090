"""How a rule's page is read."""

from __future__ import annotations

import pytest

from deepperf.records import SourceFile
from deepperf.rules.page import Kind, Mark, PageError, missing_parts, parse_page

PAGE = """\
# slow-thing

Things are done slowly.

## Why it is slow

Because.

```python
plain()
```

## TensorFlow

```toml
versions = {tensorflow = "2.4"}
```

```python bad
import tensorflow as tf
slow()  # finding
slower()  # note: slower
```

```python good
import tensorflow as tf
fast()
```

```python workload
def work(): return 1
```

### In two files

```python bad
from steps import step
step()  # finding
```

```python bad path=steps.py
def step(): ...
```

```python good
from steps import fast_step
fast_step()
```

## PyTorch: modules

```python ok
harmless()
```

```python bad
slow()  # finding
```

## Limits

```python miss
hidden()
```

## References
"""


def test_title_summary_and_headings() -> None:
    page = parse_page(PAGE, "page.md", "slow-thing")
    assert page.name == page.title == "slow-thing"
    assert page.summary == "Things are done slowly."
    assert page.headings[0] == "Why it is slow"
    assert page.headings[-1] == "References"


def test_marks_are_read_and_are_no_part_of_the_code() -> None:
    bad = parse_page(PAGE, "page.md", "slow-thing").groups[0].bad
    assert bad.files == (SourceFile("example.py", "import tensorflow as tf\nslow()\nslower()\n"),)
    assert bad.marks == (Mark("example.py", 2, "", False), Mark("example.py", 3, "slower", True))


def test_bad_good_and_workload_of_a_section_are_a_pair() -> None:
    first = parse_page(PAGE, "page.md", "slow-thing").pairs[0]
    assert first.id == "slow-thing/tensorflow"
    assert first.framework == "tensorflow"
    assert first.good[0].text == "import tensorflow as tf\nfast()\n"
    assert first.workload == "def work(): return 1\n"
    assert first.versions == (("tensorflow", "2.4"),)


def test_a_fence_that_names_a_path_is_a_further_file_of_both_sides() -> None:
    second = parse_page(PAGE, "page.md", "slow-thing").pairs[1]
    assert second.id == "slow-thing/tensorflow/in-two-files"
    assert [file.path for file in second.bad] == ["example.py", "steps.py"]
    assert [file.path for file in second.good] == ["example.py", "steps.py"]


def test_options_hold_for_the_sections_below_and_end_with_the_section() -> None:
    page = parse_page(PAGE, "page.md", "slow-thing")
    assert page.groups[1].bad.versions == (("tensorflow", "2.4"),)
    assert page.groups[2].bad.versions == ()


def test_a_bad_without_good_is_an_example_but_no_pair() -> None:
    page = parse_page(PAGE, "page.md", "slow-thing")
    assert page.groups[2].framework == "torch"
    assert "slow-thing/pytorch-modules" not in {pair.id for pair in page.pairs}


def test_examples_come_in_the_page_s_order() -> None:
    kinds = [example.kind for example in parse_page(PAGE, "page.md", "slow-thing").examples]
    assert kinds == [Kind.BAD, Kind.GOOD, Kind.BAD, Kind.GOOD, Kind.OK, Kind.BAD, Kind.MISS]


def test_two_pairs_of_one_section_have_different_names() -> None:
    block = "```python bad\nslow()  # finding\n```\n\n```python good\nfast()\n```\n\n"
    page = parse_page(f"# slow-thing\n\nSlow.\n\n## JAX\n\n{block}{block}", "page.md", "slow-thing")
    assert [pair.id for pair in page.pairs] == ["slow-thing/jax", "slow-thing/jax-2"]


def test_an_example_may_lie_at_a_path_of_its_own() -> None:
    text = '## JAX\n\n```toml\npath = "tests/test_model.py"\n```\n\n```python ok\nx\n```\n'
    (example,) = parse_page(text, "page.md", "slow-thing").examples
    assert example.files[0].path == "tests/test_model.py"


def test_missing_parts_are_named() -> None:
    page = parse_page(
        "# other\n\n## TensorFlow\n\n```python bad\nx\n```\n", "page.md", "slow-thing"
    )
    missing = "\n".join(missing_parts(page))
    assert "`# slow-thing`" in missing
    assert "a summary of one line" in missing
    assert "`## Limits`" in missing
    assert "`python bad` and a `python good`" in missing
    assert "a line marked `# finding`" in missing


def test_a_pair_without_workload_is_named() -> None:
    assert "a `python workload` for slow-thing/tensorflow/in-two-files" in missing_parts(
        parse_page(PAGE, "page.md", "slow-thing")
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("```python baad\n```", "page.md:1: unknown fence `python baad`"),
        ("```python bad at=x.py\n```", "page.md:1: unknown word 'at=x.py'"),
        ("```python good\n```", "page.md:1: this good has no bad before it"),
        ("```python ok path=x.py\n```", "page.md:1: x.py must follow the example"),
        ("```toml\nversion = 1\n```", "page.md:1: unknown option 'version'"),
        ("```toml\nversions =\n```", "page.md:1: these options are not TOML"),
        (
            "```python bad\n```\n```python good\n```\n```python good\n```",
            "page.md:5: a second good",
        ),
    ],
)
def test_what_cannot_be_read_is_said_with_its_line(text: str, said: str) -> None:
    with pytest.raises(PageError) as caught:
        parse_page(text, "page.md", "slow-thing")
    assert str(caught.value).startswith(said)
