"""Guard rails offered beside fixes: what they write, when, and that they raise an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from deepperf.check.run import check_text
from deepperf.cli.main import main
from deepperf.config.options import Options
from deepperf.fixes.apply import apply_edits
from deepperf.records import Finding, Level

BROKEN = """\
import torch


def clean(x):
    if torch.isnan(x).any():
        x = torch.nan_to_num(x)
    return x * 2


def step(x):
    return clean(x) + 1


fast = torch.compile(step, backend="eager")
"""
GUARDED = BROKEN.replace(
    """\
    if torch.isnan(x).any():
        x = torch.nan_to_num(x)
""",
    "    x = torch.where(torch.isnan(x).any(), torch.nan_to_num(x), x)\n",
).replace('backend="eager"', 'backend="eager", fullgraph=True')
DECORATED = """\
import torch


@torch.compile
def clean(x):
    print(x)
    return x * 2
"""


def break_of(text: str) -> Finding:
    options = Options(select=("graph-break",), level=Level.NOTE)
    return next(iter(check_text(text, options).findings))


def guarded(text: str) -> str:
    """The text with the guarded fix; "" where none is offered."""
    fix = break_of(text).guarded
    return apply_edits(text, fix.edits) if fix is not None else ""


def test_where_the_fix_takes_the_last_break_away_the_compiler_may_be_told_to_raise_at_one() -> None:
    assert guarded(BROKEN) == GUARDED
    assert "@torch.compile(fullgraph=True)\n" in guarded(DECORATED)
    fix = break_of(BROKEN).guarded
    assert fix is not None
    assert fix.title.endswith("set `fullgraph=True`, which raises an error where a break is left")


def test_none_is_offered_where_a_break_would_be_left_or_somebody_has_decided() -> None:
    texts = (
        BROKEN.replace("x * 2", "x * x.sum().item()"),
        BROKEN.replace("clean(x) + 1", "clean(x) + x.sum().item()"),
        BROKEN.replace('backend="eager"', "fullgraph=False"),
        BROKEN + "other = torch.compile(clean, fullgraph=False)\n",
    )
    assert [guarded(text) for text in texts] == [""] * len(texts)
    assert all(break_of(text).fix is not None for text in texts)


def test_it_is_written_only_where_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    written = {}
    for asked in ((), ("--guard-rails",)):
        path.write_text(BROKEN, encoding="utf-8")
        main(["check", str(path), "--fix", "--unsafe-fixes", *asked])
        written[asked] = path.read_text(encoding="utf-8")
    assert written[("--guard-rails",)] == GUARDED
    assert written[()] == GUARDED.replace(", fullgraph=True", "")


def test_reports_tell_it_as_an_alternative(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "program.py"
    path.write_text(BROKEN, encoding="utf-8")
    main(["check", str(path), "--format", "json"])
    (found,) = json.loads(capsys.readouterr().out)["findings"]
    assert found["fix"]["edits"] == found["guarded"]["edits"][: len(found["fix"]["edits"])]
    assert found["guarded"]["safety"] == "unsafe"
    main(["check", str(path), "--format", "sarif"])
    (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    said = [fix["description"]["text"] for fix in result["fixes"]]
    assert len(said) == 2
    assert "fullgraph" in said[1]
    main(["check", str(path)])
    assert "[--unsafe-fixes, --guard-rails]" in capsys.readouterr().out


def test_the_guarded_program_runs_and_raises_once_a_break_is_back() -> None:
    torch = pytest.importorskip("torch")
    from torch._dynamo.exc import Unsupported

    def result(text: str) -> Any:
        torch._dynamo.reset()
        names: dict[str, Any] = {}
        exec(compile(text, "<program>", "exec"), names)
        return names["fast"](torch.tensor([1.0, torch.nan])).tolist()

    assert result(GUARDED) == result(BROKEN) == [3.0, 1.0]
    with pytest.raises(Unsupported):
        result(GUARDED.replace("return x * 2", "return x * 2 if x.sum() > 0 else x"))


def test_a_stance_around_a_loop_would_raise_at_its_first_call_so_that_none_is_written() -> None:
    torch = pytest.importorskip("torch")
    torch._dynamo.reset()
    fast = torch.compile(lambda x: x * 2, backend="eager")
    with (
        pytest.raises(RuntimeError, match="Detected recompile"),
        torch.compiler.set_stance("fail_on_recompile"),
    ):
        fast(torch.ones(2))
