"""The site has a page for everything that people look up."""

from __future__ import annotations

from pathlib import Path

from deepperf.dev.site import missing, site_pages

ROOT = Path(__file__).parents[2]


def test_every_rule_verb_setting_and_format_is_in_the_site() -> None:
    assert list(missing(site_pages(ROOT))) == []


def test_every_page_is_reached_from_the_first() -> None:
    pages = site_pages(ROOT)
    listed = set(pages["index"].splitlines())
    assert set(pages) - listed - {"index"} - {"rules/catalogue", "rules/fixes"} == set()
