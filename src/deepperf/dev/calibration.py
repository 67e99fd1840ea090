"""What `deepperf dev calibrate` writes, and the tables of it that documents show."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from deepperf.dev.bar import FOLDER
from deepperf.dev.cross_validation import (
    ESTIMATORS,
    FILE,
    SILENT,
    TOLD,
    WARNED,
    WARNING,
    WORTH,
    WRONG,
    Estimator,
    Hit,
    Outcome,
    Scores,
    applied,
    concordance,
    crossed,
    curve,
    folds_of,
    outcome,
    read_hits,
)

Levels = Callable[[Estimator], tuple[Scores, list[bool]]]
"""Scores of some findings, and which are warnings, by an estimator."""
RECALLS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
"""Shares of the true findings to warn of, for which the curve tells what else is warned of."""


def calibrated(root: Path) -> dict[str, Any]:
    """How each way to set levels does on judged findings, in repositories that it does not know."""
    hits = read_hits(root / FILE)
    users = [hit for hit in hits if hit.is_users]
    packages = [hit for hit in hits if not hit.is_users]
    newest = max((hit.round for hit in users), key=lambda name: int(name.rpartition("-")[2]))
    late = [hit for hit in users if hit.round == newest]
    unread = {hit.repository for hit in late}
    early = [hit for hit in users if hit.repository not in unread]
    groups = [
        _crossed("code of users, 2022–2026", users),
        _applied(f"the newest of it ({newest}), learnt from the rounds before", late, early),
        _crossed("pinned packages", packages),
        _applied("code of users, learnt from pinned packages", users, packages),
    ]
    told = [group for group in groups if group["findings"]]
    return {"date": datetime.now(timezone.utc).date().isoformat(), "groups": told}


def _crossed(name: str, hits: Sequence[Hit]) -> dict[str, Any]:
    return _group(name, hits, folds_of(hits), lambda by: crossed(hits, by))


def _applied(name: str, hits: Sequence[Hit], known: Sequence[Hit]) -> dict[str, Any]:
    return _group(name, hits, [0] * len(hits), lambda by: applied(known, hits, by))


def _group(name: str, hits: Sequence[Hit], folds: Sequence[int], levels: Levels) -> dict[str, Any]:
    """What each way gives for some findings: levels that are set, and those that are learnt."""
    warned = [hit.now == WARNING for hit in hits]
    rows = [{"name": "levels of today", **_shares(outcome(hits, warned))}]
    before = [hit.before for hit in hits]
    if all(hit.now for hit in before):
        warned = [hit.now == WARNING for hit in before]
        rows.append({"name": "levels when judged", **_shares(outcome(before, warned))})
    for estimator, estimate in ESTIMATORS.items():
        scores, warned = levels(estimate)
        found = _shares(outcome(hits, warned))
        within = round(concordance(hits, scores, folds), 3)
        at = _at_recalls(curve(hits, scores))
        rows.append({"name": estimator, **found, "within_rules": within, "curve": at})
    return {
        "name": name,
        "findings": len(hits),
        "repositories": len({hit.repository for hit in hits}),
        "true": sum(hit.verdict == "true" for hit in hits),
        "silent": sum(hit.now == SILENT for hit in hits),
        "computed": sum(bool(hit.parts["cost"]) for hit in hits),
        "usual": _usual(hits),
        "rows": rows,
    }


def _usual(hits: Sequence[Hit]) -> int:
    """How many that are told have the estimate that their rule gives most often."""
    of: dict[str, Counter[float]] = {}
    for hit in hits:
        if hit.now != SILENT:
            of.setdefault(hit.rule, Counter())[hit.estimate] += 1
    return sum(max(counts.values()) for counts in of.values())


def _shares(found: Outcome) -> dict[str, Any]:
    shares = {name: round(value, 3) for name, value in found._asdict().items()}
    return {**shares, "f_score": round(found.f_score, 3), "is_enough": found.is_enough}


def _at_recalls(points: Sequence[tuple[float, Outcome]]) -> list[list[float] | None]:
    """The threshold and what it gives, where so many true findings are warned of for the first
    time; nothing where no threshold warns of as many.
    """
    found: list[list[float] | None] = []
    for recall in RECALLS:
        point = next((point for point in points if point[1].warned >= recall), None)
        if point is None:
            found.append(None)
        else:
            found.append([round(point[0], 4), round(point[1].true, 3), round(point[1].false, 3)])
    return found


def write_calibration(result: Mapping[str, Any], path: Path) -> None:
    """Write it to a new file. Raises FileExistsError where there is one."""
    with path.open("x", encoding="utf-8") as stream:
        json.dump(result, stream, indent=1, ensure_ascii=False)
        stream.write("\n")


def calibration_table(root: Path) -> str:
    """The newest calibration that is kept."""
    path = max((root / FOLDER).glob("calibration-*.json"))
    return calibration_text(json.loads(path.read_text(encoding="utf-8")))


def calibration_text(result: Mapping[str, Any]) -> str:
    """Tables in Markdown: the operating points, and the curves."""
    wanted = (
        f"Wanted: {TOLD:.0%} of the true findings told and {WARNED:.0%} warned of; {WORTH:.0%} of"
        f" the warnings true, and at most {WRONG:.0%} false. {result['date']}; scores and"
        " thresholds were learnt from other repositories than those that they are counted on."
        " *Within a rule* is in how many pairs of a true and another finding of one rule the true"
        " one has the higher score: 50% says nothing."
    )
    rows = [wanted]
    for group in result["groups"]:
        rows += ["", *_operating_points(group), "", *_curves(group)]
    return "\n".join(rows)


def _operating_points(group: Mapping[str, Any]) -> list[str]:
    head = (
        f"{group['name'].capitalize()}: {group['findings']} findings in {group['repositories']}"
        f" projects, {group['true']} of them true, {group['silent']} not told any more. Of those"
        f" told, {group['computed']} have an estimate from the table of costs, and"
        f" {group['usual']} the one that their rule gives most often."
    )
    rows = [
        head,
        "",
        "| level by | true ones told | warned of | warnings | true | false | F-score | enough |",
        "|---" * 8 + "|",
    ]
    for row in group["rows"]:
        shares = (f"{row[name]:.0%}" for name in ("told", "warned"))
        of = (f"{row[name]:.0%}" for name in ("true", "false"))
        last = (f"{row['f_score']:.2f}", "yes" if row["is_enough"] else "no")
        cells = (row["name"], *shares, str(row["warnings"]), *of, *last)
        rows.append(f"| {' | '.join(cells)} |")
    return rows


def _curves(group: Mapping[str, Any]) -> list[str]:
    rows = [
        "Of the warnings, true / false, where this share of the true findings is warned of:",
        "",
        f"| level by | {' | '.join(f'{recall:.0%}' for recall in RECALLS)} | within a rule |",
        "|---" * (len(RECALLS) + 2) + "|",
    ]
    for row in group["rows"]:
        if "curve" in row:
            cells = ("–" if at is None else f"{at[1]:.0%} / {at[2]:.0%}" for at in row["curve"])
            within = f"{row['within_rules']:.0%}"
            rows.append(f"| {row['name']} | {' | '.join(cells)} | {within} |")
    return rows
