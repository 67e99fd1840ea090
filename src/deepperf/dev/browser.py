"""A browser without a window, for pictures and tests of pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from deepperf.config.options import WrongUse

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def chromium() -> str | None:
    """The path of Chromium, None where there is none."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


@contextmanager
def started() -> Iterator[Browser]:
    """Chromium, running. Raises `WrongUse` where it or what drives it is not installed."""
    path = chromium()
    if path is None:
        raise WrongUse("needs Chromium: apt install chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ModuleNotFoundError:
        raise WrongUse("the browser needs a package that is not installed: playwright") from None
    with sync_playwright() as driver:
        # Its sandbox cannot be had by root.
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


def picture(page: Path, target: Path, width: int) -> None:
    """Write a PNG of a whole page, in a window of so many pixels. Raises `WrongUse`."""
    with started() as browser:
        opened = browser.new_page(viewport={"width": width, "height": 600})
        opened.goto(page.absolute().as_uri())
        opened.screenshot(path=target, full_page=True)
