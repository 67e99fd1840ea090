"""The site has a page for everything that people look up."""

from __future__ import annotations

import re
from pathlib import Path

from deepperf.cli.main import help_of_verbs, verbs
from deepperf.dev.evidence_figure import evidence_figure
from deepperf.dev.site import missing, site_pages
from deepperf.rules.evidence import read_evidence
from deepperf.rules.registry import load_rules

ROOT = Path(__file__).parents[2]


def test_every_rule_verb_setting_and_format_is_in_the_site() -> None:
    pages = site_pages(ROOT, help_of_verbs())
    assert list(missing(pages)) == []
    assert [verb for verb in verbs() if f"\n## {verb}\n" not in pages["commands"]] == []


def test_every_page_is_reached_from_the_first() -> None:
    pages = site_pages(ROOT, help_of_verbs())
    listed = set(pages["index"].splitlines())
    assert set(pages) - listed - {"index"} - {"rules/catalogue", "rules/fixes"} == set()


def test_the_evidence_of_every_measured_rule_is_drawn() -> None:
    pages = site_pages(ROOT, {})
    for loaded in load_rules():
        page = pages[f"rules/{loaded.name}"]
        bars = re.findall(
            r'<div class="(bad|good)"><b>(?:slow|better)</b><i><s style="width:', page
        )
        measured = read_evidence(loaded.evidence, loaded.name).measurements
        assert (len(bars) > 0) == bool(measured)
        assert bars.count("bad") == bars.count("good")


def test_a_value_of_a_figure_is_beside_the_longest() -> None:
    loaded = next(one for one in load_rules() if one.name == "host-sync-in-loop")
    drawn = evidence_figure(read_evidence(loaded.evidence, loaded.name))
    assert '<s style="width:100.0%"></s></i><span>60</span>' in drawn
    assert '<s style="width:5.0%"></s></i><span>3</span>' in drawn
