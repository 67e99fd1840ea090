from typing import Any

from benchmarks.table import markdown


def row(subject: str, tool: str, lines: int, *cpu: float, wall: float = 1.0) -> dict[str, Any]:
    costs = [{"cpu": seconds, "wall": wall, "memory": 50 * 2**20} for seconds in cpu]
    return {"subject": subject, "files": 2, "lines": lines, "tool": tool, "costs": costs}


RESULT = {
    "date": "2026-01-02",
    "machine": {"cpu": "Abacus", "cores": 2, "memory": 2**33, "gpu": "", "system": "Linux 6"},
    "python": "3.12.1",
    "versions": {"torch": "2.13.0"},
    "rows": [
        row("torch", "deepperf cold", 9000, 4.0, 2.0, 3.0),
        row("torch", "ruff F", 9000, 0.5, 0.5, 0.6),
        row("nothing", "deepperf --version", 0, 0.1, wall=0.042),
    ],
}


def test_a_row_tells_the_median_its_speed_and_its_ratio_to_ruff() -> None:
    assert "| torch | 2 | 9,000 | deepperf cold | 3.00 | 3,000 | 6.0 | 1.00 | 50 |" in markdown(
        RESULT
    )


def test_start_up_is_told_in_milliseconds() -> None:
    assert "- `deepperf --version`: 42 ms" in markdown(RESULT)


def test_the_table_says_where_it_was_measured() -> None:
    first = markdown(RESULT).splitlines()[0]

    assert all(word in first for word in ("2026-01-02", "Abacus", "8 GiB", "torch 2.13.0"))
