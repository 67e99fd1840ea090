"""The site has a page for everything that people look up."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from deepperf.cli.main import every_parser, help_of_verbs, parsers, verbs
from deepperf.dev.evidence_figure import evidence_figure
from deepperf.dev.site import CONFIGURATION, missing, site_pages, write_site
from deepperf.dynamic.signals import signals
from deepperf.rules.evidence import read_evidence
from deepperf.rules.registry import load_rules
from deepperf.taxonomy.terms import load_codebook

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    return dict(site_pages(ROOT, help_of_verbs()))


def test_every_rule_signal_verb_setting_and_format_is_in_the_site(
    pages: dict[str, str],
) -> None:
    assert list(missing(pages)) == []
    assert [verb for verb in verbs() if f"\n## {verb}\n" not in pages["commands"]] == []


def test_every_page_is_reached_from_the_first(pages: dict[str, str]) -> None:
    listed = set(pages["index"].splitlines())
    assert set(pages) - listed - {"index"} - {"rules/catalogue", "rules/fixes"} == set()


def test_every_option_of_every_verb_is_in_the_site(pages: dict[str, str]) -> None:
    text = pages["commands"]
    for path, parser in every_parser(parsers(verbs())[0]):
        told = text.partition(f"\n## {' '.join(path)}\n")[2].partition("\n## ")[0]
        options = [word for action in parser._actions for word in action.option_strings]
        assert options
        assert [word for word in options if word not in told] == []


def test_every_signal_is_found_by_what_a_user_sees() -> None:
    known = set(load_codebook().symptoms)
    for one in signals():
        assert bool(one.RULES) != bool(getattr(one, "SYMPTOMS", ())), one.NAME
        assert set(getattr(one, "SYMPTOMS", ())) <= known


def test_the_whole_site_builds_without_a_warning(tmp_path: Path) -> None:
    write_site(ROOT, tmp_path / "source", help_of_verbs())
    built = build(tmp_path)
    assert (built.returncode, built.stderr) == (0, "")


def test_a_link_that_leads_nowhere_fails_the_build(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "conf.py").write_text(CONFIGURATION, encoding="utf-8")
    (tmp_path / "source" / "_static").mkdir()
    (tmp_path / "source" / "index.md").write_text("# Here\n\n[there](there.md)\n", encoding="utf-8")
    built = build(tmp_path)
    assert built.returncode == 1
    assert "'there.md'" in built.stderr


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    """What `nox -s docs` does, without writing pages."""
    command = (sys.executable, "-m", "sphinx", "-b", "dummy", "-W", "--keep-going", "-q")
    return subprocess.run(
        [*command, folder / "source", folder / "built"], capture_output=True, text=True
    )


def test_the_evidence_of_every_measured_rule_is_drawn(pages: dict[str, str]) -> None:
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
