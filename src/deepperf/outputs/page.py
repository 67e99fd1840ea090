"""What makes pages for browsers: templates in which everything is text unless it says otherwise."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from deepperf.config.options import WrongUse
from deepperf.outputs.paint import harmless

if TYPE_CHECKING:
    from jinja2 import Environment

STYLE = Path(__file__).with_name("page.css")


def page_environment() -> Environment:
    """Templates with the filter `coded` and the style of all pages.

    Raises `WrongUse` where what makes them is not installed.
    """
    try:
        import jinja2
        import markupsafe
    except ModuleNotFoundError:
        said = "this needs jinja2, which is not installed: pip install 'deepperf[run]'"
        raise WrongUse(said) from None
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    # What steers a terminal or hides text has no business in a browser, either.
    environment.finalize = lambda value: harmless(value) if type(value) is str else value
    environment.filters["coded"] = lambda text: markupsafe.Markup(_coded(text))
    environment.globals["style"] = markupsafe.Markup(STYLE.read_text(encoding="utf-8"))
    return environment


def _coded(text: str) -> str:
    """HTML of a text, with what stands in backticks shown as code."""
    parts = [escape(harmless(part)) for part in text.split("`")]
    last = len(parts) - 1
    return "".join(
        part if number % 2 == 0 else f"<code>{part}</code>" if number < last else f"`{part}"
        for number, part in enumerate(parts)
    )
