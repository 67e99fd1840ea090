"""The report for browsers, opened in one."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.dynamic.made import HOT, SCRIPT, diagnosis, script, trace_of, verdict_of

from deepperf.dev.browser import chromium, started
from deepperf.dynamic.join import checked, static_findings
from deepperf.dynamic.recording.trace import Observation, Samples, Stack, ThreadTime
from deepperf.dynamic.report import Report, Screen
from deepperf.records import Level

html = pytest.importorskip("deepperf.dynamic.report.html")
pytest.importorskip("jinja2")
pytest.importorskip("playwright")
pytestmark = pytest.mark.skipif(not chromium(), reason="needs Chromium: apt install chromium")

SLY = "</title><script>document.title = 'broken'; alert(1)</script>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with started() as running:
        yield running


@pytest.fixture
def page_file(tmp_path: Path) -> Path:
    text = SCRIPT.replace("out.append(np.sum(row))", f"out.append(np.sum(row))  # {SLY}")
    path = script(tmp_path, text)
    calls = {"Linear.forward/linear": 120, SLY: 60}
    samples = (
        Samples(str(path), HOT, "train", 200, 200, 20, calls=calls),
        Samples(str(path), 21, "<module>", 500, 300, 10),
    )
    growing = {"points": [[at, at, at * 10**6, 10**8, at / 10] for at in range(2, 100)]}
    trace = trace_of(
        path,
        command=("python", "train.py", SLY),
        versions={"numpy": SLY},
        samples=samples,
        stacks=(Stack((0, 1), 200), Stack((1,), 300)),
        observations=(Observation("memory-growth", str(path), 0, "train kept", detail=growing),),
        threads=(ThreadTime("producer", 2, 1.5, ()),),
    )
    worker = trace_of(path, process=7, role="DataLoader worker", cpu_seconds=2.0)
    told = (
        diagnosis(path, share=0.41, message=f"`{SLY}` is summed", evidence=SLY, remedy="an `axis`"),
        diagnosis(path, line=21, share=0.1, function="<module>"),
    )
    verdict = verdict_of(*told, notes=(diagnosis(path, share=0.001, message=SLY),))
    found = tuple(static_findings(trace, lambda options: options))
    static = checked((trace,), (*verdict.findings, *verdict.notes), found)
    lines = dict(enumerate(text.splitlines(), 1))
    remarks = (f"settings: {SLY}",)
    texts = {str(path): lines}
    processes = (trace, worker)
    report = Report(trace, verdict, static, 1, Level.WARNING, remarks, texts, processes)
    made = tmp_path / "report.html"
    made.write_text(html.show(report, Screen()), encoding="utf-8")
    return made


class Opened:
    """A page in a browser, and what the browser did and said on its way."""

    def __init__(self, browser: Any, path: Path, width: int, colours: str) -> None:
        self.page = browser.new_page(viewport={"width": width, "height": 700}, color_scheme=colours)
        self.asked: list[str] = []
        self.said: list[str] = []
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: self.said.append(dialog.message))
        self.page.goto(path.as_uri())

    def pixels(self) -> Any:
        image = pytest.importorskip("matplotlib.image")
        shot = self.page.screenshot(full_page=True)
        return image.imread(io.BytesIO(shot))[:, :, :3]


def test_it_asks_for_nothing_and_complains_of_nothing(browser: Any, page_file: Path) -> None:
    opened = Opened(browser, page_file, 1000, "light")
    assert opened.asked == [page_file.as_uri()]
    assert opened.said == []


def test_what_it_quotes_is_text(browser: Any, page_file: Path) -> None:
    page = Opened(browser, page_file, 1000, "light").page
    assert page.title() == f"What the run lost: python train.py {SLY}"
    assert page.locator("script").count() == 0
    shown = page.locator("body").inner_text()
    # In the command, a source line, a message, evidence, a note, a version, and a remark.
    assert shown.count(SLY) >= 7


def test_findings_stand_first_with_their_lines(browser: Any, page_file: Path) -> None:
    page = Opened(browser, page_file, 1000, "light").page
    first = page.locator("article").first
    assert "41 %" in first.inner_text()
    assert "train.py:10" in first.inner_text()
    assert first.locator("pre .meant").inner_text().split()[0] == "10"
    assert first.locator("dd code").inner_text() == "axis"
    bar = first.locator(".bar").bounding_box()
    filled = first.locator(".bar > div").bounding_box()
    assert filled["width"] == pytest.approx(0.41 * bar["width"], rel=0.02)


def test_steps_and_memory_are_drawn(browser: Any, page_file: Path) -> None:
    page = Opened(browser, page_file, 1000, "light").page
    assert page.locator("svg[role=img]:not(.small)").count() == 2
    assert page.locator("polyline title").text_content() == "train kept"
    assert page.locator("svg rect").count() > 50
    title = page.locator("svg g title").first.text_content()
    assert title.startswith("steps 2 to 3: 40 ms")
    area = page.locator("polygon").first.bounding_box()
    assert area["width"] > 500
    assert area["height"] > 50


def test_static_findings_and_what_became_of_them_are_listed(browser: Any, page_file: Path) -> None:
    shown = Opened(browser, page_file, 1000, "light").page.locator("body").inner_text()
    assert "costs 41% of the run" in shown
    assert "nothing shows that it ran" in shown
    assert "1 silenced by settings and comments" in shown


def test_calls_are_as_wide_as_their_part_and_fill_the_width_when_chosen(
    browser: Any, page_file: Path
) -> None:
    page = Opened(browser, page_file, 1000, "light").page
    whole = page.locator("#calls").bounding_box()["width"]

    def width(name: str) -> float:
        return float(page.get_by_role("link", name=name, exact=True).bounding_box()["width"])

    assert width("train.py:21 <module>") == pytest.approx(whole, rel=0.02)
    assert width("train.py:10 train") == pytest.approx(0.4 * whole, rel=0.02)
    assert width("Linear.forward") == pytest.approx(0.24 * whole, rel=0.02)
    page.get_by_role("link", name="Linear.forward", exact=True).click()
    assert width("Linear.forward") == pytest.approx(whole, rel=0.02)
    assert not page.get_by_role("link", name=SLY, exact=True).is_visible()
    page.get_by_role("link", name="all of them").click()
    assert width("Linear.forward") == pytest.approx(0.24 * whole, rel=0.02)


def test_threads_and_other_processes_are_listed(browser: Any, page_file: Path) -> None:
    shown = Opened(browser, page_file, 1000, "light").page.locator("body").inner_text()
    assert "2 × producer" in shown
    assert "DataLoader worker (process 7)" in shown


@pytest.mark.parametrize("width", [360, 1000])
@pytest.mark.parametrize("colours", ["light", "dark"])
def test_it_fits_the_window_and_is_not_blank(
    browser: Any, page_file: Path, width: int, colours: str
) -> None:
    opened = Opened(browser, page_file, width, colours)
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    pixels = opened.pixels()
    is_bright = pixels.mean() > 0.5
    assert is_bright == (colours == "light")
    ground = pixels[2, 2]
    differing = (abs(pixels - ground).max(axis=2) > 0.2).mean()
    assert differing > 0.01, "nothing stands out from the ground"
