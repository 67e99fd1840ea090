"""The site has a page for everything that people look up."""

from __future__ import annotations

from pathlib import Path

from deepperf.cli.main import help_of_verbs, verbs
from deepperf.dev.site import missing, site_pages

ROOT = Path(__file__).parents[2]


def test_every_rule_verb_setting_and_format_is_in_the_site() -> None:
    pages = site_pages(ROOT, help_of_verbs())
    assert list(missing(pages)) == []
    assert [verb for verb in verbs() if f"\n## {verb}\n" not in pages["commands"]] == []


def test_every_page_is_reached_from_the_first() -> None:
    pages = site_pages(ROOT, help_of_verbs())
    listed = set(pages["index"].splitlines())
    assert set(pages) - listed - {"index"} - {"rules/catalogue", "rules/fixes"} == set()
