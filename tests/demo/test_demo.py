"""The demo project: works, has problems of every rule, and still works after its fixes."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parents[2] / "demo"
SHOWN = {
    "serial-map",
    "map-before-batch",
    "graph-growth",
    "session-per-step",
    "compiled-per-call",
    "missing-no-grad",
    "debug-left-on",
}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(
        shutil.copytree(
            DEMO, tmp_path / "demo", ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache")
        )
    )


def _contents(project: Path) -> dict[str, bytes]:
    files = (
        path for path in project.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )
    return {str(path.relative_to(project)): path.read_bytes() for path in files}


def _check(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "deepperf", "check", "--no-cache", *arguments, str(project)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )


def _run_its_tests(project: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "TF_CPP_MIN_LOG_LEVEL": "2"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )


def _needs_frameworks() -> None:
    # Only the demo's own tests import them.
    for name in ("tensorflow", "torch"):
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")


def test_check_shows_a_problem_of_every_rule_and_changes_nothing(copy: Path) -> None:
    before = _contents(copy)
    result = _check(copy, "--format", "concise")
    assert result.returncode == 1, result.stderr
    assert {rule for rule in SHOWN if rule in result.stdout} == SHOWN
    assert "explore.ipynb" in _check(copy, "--format", "concise", "--level", "note").stdout
    assert _contents(copy) == before


def test_the_findings_fit_on_one_screen(copy: Path) -> None:
    lines = _check(copy, "--format", "concise").stdout.splitlines()
    findings = [line for line in lines if any(rule in line for rule in SHOWN)]
    assert 6 <= len(findings) <= 14, "\n".join(findings)


def test_nothing_is_said_of_the_tests_of_the_demo(copy: Path) -> None:
    result = _check(copy / "tests", "--format", "concise")
    assert result.returncode == 0, result.stdout


@pytest.mark.weekly
def test_the_demo_passes_its_tests(copy: Path) -> None:
    _needs_frameworks()
    result = _run_its_tests(copy)
    assert result.returncode == 0, result.stdout + result.stderr


def test_the_demo_passes_its_tests_after_its_safe_fixes(copy: Path) -> None:
    _needs_frameworks()
    before = _contents(copy)
    fixed = _check(copy, "--fix")
    after = _contents(copy)
    changed = {name for name, content in after.items() if content != before.get(name)}
    assert changed, fixed.stdout
    assert after.keys() == before.keys(), "a fix adds or removes no file"
    assert all(name.startswith(("tidewatch/", "notebooks/")) for name in changed)
    result = _run_its_tests(copy)
    assert result.returncode == 0, result.stdout + result.stderr
    _check(copy, "--fix")
    assert _contents(copy).items() >= {name: after[name] for name in changed}.items()
