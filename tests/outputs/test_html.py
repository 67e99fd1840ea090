"""The page of a check, opened in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.outputs.results_of import EVIDENCE, FAILURE, FINDING, NOTE

from deepperf.dev.browser import chromium, started
from deepperf.outputs import html
from deepperf.outputs.paint import PLAIN
from deepperf.outputs.results import Results
from deepperf.records import Level, Location, Report, Step

pytest.importorskip("jinja2")
pytest.importorskip("playwright")
pytestmark = pytest.mark.skipif(not chromium(), reason="needs Chromium: apt install chromium")

SLY = "</title></script><script>document.title = 'broken'; alert(1)</script>\" onload=\"alert(2)"
TEXT = "\n".join(f"line {number} {SLY if number == 12 else ''}" for number in range(1, 40))
OTHERS = tuple(
    replace(
        NOTE,
        rule=rule,
        message=f"another of {path}",
        related=(Step(Location("z.py", 5, 1, 5, 9), "there, too"),),
        location=Location(path, 3, 1, 3, 9),
    )
    for path, rule in (("z.py", "a-rule"), ("a.py", "b-rule"), ("m.py", SLY))
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with started() as running:
        yield running


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    worst = replace(FINDING, level=Level.ERROR, message=f"`{SLY}`", remedy=SLY, estimate=0.3)
    reports = (
        Report("train.py", (worst,), known=(NOTE,)),
        Report(SLY, OTHERS, failures=(replace(FAILURE, message=SLY),)),
    )
    results = Results(reports, {"serial-map": EVIDENCE}, lambda *_: TEXT)
    made = tmp_path_factory.mktemp("page") / "report.html"
    made.write_text("\n".join(html.lines(results, PLAIN)), encoding="utf-8")
    return made


@pytest.fixture
def page(browser: Any, page_file: Path) -> Iterator[Any]:
    opened = browser.new_page(viewport={"width": 1000, "height": 700})
    happened: list[str] = []
    opened.on("request", lambda request: happened.append(request.url))
    opened.on("console", lambda message: happened.append(message.text))
    opened.on("pageerror", lambda error: happened.append(str(error)))
    opened.on("dialog", lambda dialog: happened.append(dialog.message))
    opened.goto(page_file.as_uri())
    yield opened
    assert happened == [page_file.as_uri()], "it asks for nothing and complains of nothing"
    opened.close()


def shown(page: Any) -> list[str]:
    """The paths of the findings that can be seen, in order."""
    return [item.get_attribute("data-path") for item in page.locator("article:visible").all()]


def test_what_it_quotes_is_text(page: Any) -> None:
    assert page.title().startswith("4 findings in ")
    assert page.locator("script").count() == 1
    assert page.locator("body").inner_text().count(SLY) >= 5


def test_a_finding_has_source_chain_evidence_and_remedy(page: Any) -> None:
    first = page.locator("article").first
    text = first.inner_text()

    assert first.locator("pre .meant").first.inner_text().split()[:3] == ["12", "line", "12"]
    assert "the loop calls 'load'" in text
    assert "4x more time for 1000 images" in text
    slow, fast = (bar.bounding_box()["width"] for bar in first.locator(".side > div").all())
    assert slow == pytest.approx(4.1 * fast, rel=0.05)
    assert "there, too" in page.locator("article").nth(1).inner_text()


def test_findings_are_filtered_by_level_rule_file_and_words(page: Any) -> None:
    assert shown(page) == ["train.py", "z.py", "a.py", "m.py"]
    page.select_option("#level", "error")
    assert shown(page) == ["train.py"]
    page.select_option("#level", "")
    page.select_option("#rule", "a-rule")
    assert shown(page) == ["z.py"]
    page.select_option("#rule", "")
    page.select_option("#path", "a.py")
    assert shown(page) == ["a.py"]
    page.select_option("#path", "")
    page.fill("#words", "ANOTHER m.py")
    assert shown(page) == ["m.py"]
    assert page.locator("#count").inner_text() == "1 of 4 shown"


def test_findings_are_sorted_by_file_and_rule_and_back(page: Any) -> None:
    page.select_option("#order", "path")
    assert shown(page) == ["a.py", "m.py", "train.py", "z.py"]
    page.select_option("#order", "rule")
    assert shown(page) == ["m.py", "z.py", "a.py", "train.py"]
    page.select_option("#order", "")
    assert shown(page) == ["train.py", "z.py", "a.py", "m.py"]


def test_the_page_of_a_rule_is_folded_below(page: Any) -> None:
    about = page.locator("#rule-serial-map")
    assert "Why it is slow" not in about.inner_text()
    about.locator("summary").click()
    assert "Why it is slow" in about.inner_text()


def test_what_was_not_checked_and_what_was_known_is_told(page: Any) -> None:
    text = page.locator("body").inner_text()

    assert "broken.py:3:7 not checked" in text
    assert "known before" in text


@pytest.mark.parametrize("width", [360, 1000])
def test_it_fits_the_window(page: Any, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 700})

    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_scripts_all_is_shown(browser: Any, page_file: Path) -> None:
    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto(page_file.as_uri())

    assert len(shown(plain)) == 4
    assert not plain.locator("#tools").is_visible()
