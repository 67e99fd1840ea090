"""A page about a run: problems by rule, framework and year, and how the tasks went."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from deepperf.outputs.page import page_environment
from deepperf.scan.store import asked, read_run

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

TEMPLATE = Path(__file__).with_name("page.html.jinja")
_MOST = 40


@dataclass(frozen=True, slots=True)
class Section:
    """A table of the page; `bars` names the column whose numbers are drawn, if any."""

    title: str
    about: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    bars: int | None = None

    @property
    def most(self) -> float:
        """The greatest number that is drawn."""
        return max((row[self.bars] or 0 for row in self.rows), default=0) if self.bars else 0


_SECTIONS = (
    (
        "Problems by rule",
        "Warnings and notes, and in how many packages. Tests and examples are always notes.",
        """SELECT rule, count(*) FILTER (level <> 'note') AS warnings,
            count(*) FILTER (level = 'note') AS notes, count(DISTINCT package) AS packages
        FROM findings WHERE run = $run GROUP BY 1 ORDER BY 2 DESC, 3 DESC, 1""",
        1,
    ),
    (
        "Problems by framework",
        "Packages that import a framework, and the warnings about code of it.",
        """WITH users AS (SELECT unnest(frameworks) AS framework, lines FROM packages
            WHERE run = $run AND key <> ''),
        told AS (SELECT framework, count(*) AS warnings, count(DISTINCT package) AS packages
            FROM findings WHERE run = $run AND level <> 'note' GROUP BY 1)
        SELECT framework, coalesce(any_value(warnings), 0) AS warnings,
            coalesce(any_value(told.packages), 0) AS "packages with one", count(*) AS packages,
            sum(lines) AS lines
        FROM users LEFT JOIN told USING (framework) GROUP BY 1 ORDER BY 2 DESC, 1""",
        1,
    ),
    (
        "Problems by year",
        "The year of the newest file, which archives alone tell; else unknown.",
        """SELECT CASE WHEN "year" = 0 THEN 'unknown' ELSE "year"::VARCHAR END AS "year",
            count(*) AS packages, sum(lines) AS lines, sum(warnings) AS warnings,
            round(1000 * sum(warnings) / sum(lines), 2) AS "per 1,000 lines"
        FROM (SELECT any_value("year") AS "year", any_value(lines) AS lines,
                count(f.rule) FILTER (level <> 'note') AS warnings
            FROM packages p LEFT JOIN stored_findings f USING (key)
            WHERE p.run = $run AND key <> '' GROUP BY p.name, p.version)
        GROUP BY 1 ORDER BY 1""",
        3,
    ),
    (
        "Packages with the most warnings",
        f"At most {_MOST}.",
        f"""SELECT package, version, count(*) AS warnings, count(DISTINCT rule) AS rules
        FROM findings WHERE run = $run AND level <> 'note' GROUP BY ALL
        ORDER BY 3 DESC, 1 LIMIT {_MOST}""",
        2,
    ),
    (
        "How the tasks ended",
        "CPU seconds of the check, and the greatest memory of a process.",
        """SELECT state, count(*) AS packages, round(sum(seconds), 1) AS "CPU s",
            round(median(seconds), 2) AS median, round(max(seconds), 1) AS longest,
            round(max(peak) / 1048576) AS "most MiB", count(*) FILTER (tries > 1) AS "tried again"
        FROM tasks WHERE run = $run GROUP BY 1 ORDER BY 2 DESC""",
        1,
    ),
    (
        "Tasks that did not end well",
        f"At most {_MOST}.",
        f"""SELECT name, version, state, message, round(seconds, 1) AS "CPU s" FROM tasks
        WHERE run = $run AND state NOT IN ('done', 'same as before') ORDER BY 1, 2 LIMIT {_MOST}""",
        None,
    ),
    (
        "What could not be read or checked",
        f"Without places; at most {_MOST} kinds.",
        f"""SELECT regexp_replace(message, '`[^`]*`', '…', 'g') AS message,
            internal AS "our crash", count(*) AS times,
            count(DISTINCT package) AS packages
        FROM troubles WHERE run = $run GROUP BY ALL ORDER BY 3 DESC, 1 LIMIT {_MOST}""",
        2,
    ),
)
_PRECISION = (
    "How right the rules are",
    "Hits that readers judged, all that are kept, whichever run they come from.",
    """SELECT rule, count(*) AS read, count(*) FILTER (verdict = 'true') AS "true",
        count(*) FILTER (verdict = 'arguable') AS arguable,
        count(*) FILTER (verdict = 'false') AS "false" FROM judgements GROUP BY 1 ORDER BY 1""",
    None,
)


def page(store: Path, run: str, judgements: Path | None) -> str:
    """HTML that needs no network. Raises `WrongUse` where there is no such run."""
    about = read_run(store, run)
    with asked(store, judgements) as database:
        sections = [_section(database, run, *one) for one in _SECTIONS]
        if judgements is not None:
            sections.append(_section(database, run, *_PRECISION))
    template = page_environment().from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(run=about, sections=[one for one in sections if one.rows]) + "\n"


def _section(
    database: DuckDBPyConnection, run: str, title: str, about: str, sql: str, bars: int | None
) -> Section:
    found = database.execute(sql, {"run": run} if "$run" in sql else None)
    columns = tuple(column[0] for column in found.description or ())
    return Section(title, about, columns, tuple(found.fetchall()), bars)
