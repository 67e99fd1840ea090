"""The table of functions that were run before and after their fixes."""

from pathlib import Path

from deepperf.dev.fixed_functions import FOLDER, fixed_functions_table

HEAD = "repository,file,function,rules,safety,inputs,verdict,reason\n"


def _keep(root: Path, name: str, *rows: str) -> None:
    (root / FOLDER).mkdir(parents=True, exist_ok=True)
    text = HEAD + "".join(f"o/r,f.py,g,rule,{row}\n" for row in rows)
    (root / FOLDER / name).write_text(text, encoding="utf-8")


def test_the_second_draw_stands_beside_the_first_with_what_no_page_said(tmp_path: Path) -> None:
    _keep(tmp_path, "2026-11-28-A.csv", "safe,x,equal,y", "both,x,differs: mended,y")
    _keep(tmp_path, "2026-11-28-B.csv", "unsafe,x,could not be had,y")
    told, silent = 'unsafe,x,"differs, as its page says",y', 'unsafe,x,"differs, its page silent",y'
    _keep(tmp_path, "2026-11-28-second.csv", told, silent, "safe,x,equal,y")
    table = fixed_functions_table(tmp_path)
    assert "| first, 3 | safe | 1 | 0 |  | 0 |" in table
    assert "| first, 3 | unsafe | 0 | 1 |  | 1 |" in table
    assert "| second, 3 | safe | 1 | 0 | 0 | 0 |" in table
    assert "| second, 3 | unsafe | 0 | 2 | 1 | 0 |" in table


def test_an_older_day_is_left_out(tmp_path: Path) -> None:
    _keep(tmp_path, "2026-11-27-A.csv", "safe,x,equal,y")
    _keep(tmp_path, "2026-11-28-A.csv", "unsafe,x,equal,y")
    assert "| first, 1 | safe | 0 | 0 |  | 0 |" in fixed_functions_table(tmp_path)
