"""Draws which approach says what of which problem: a field of problems and approaches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from deepperf.bench.assess.approach import Verdict
from deepperf.bench.assess.stored import PAPER_COLUMNS, Answer
from deepperf.bench.assess.table import Paper, paper_id
from deepperf.taxonomy.terms import load_codebook

# From light to dark along the scale, in hues that colour-blind eyes tell apart, and a sign each.
LOOKS = {
    Verdict.NOT_APPLICABLE: ("#FFFFFF", ""),
    Verdict.SILENT: ("#E6E6E6", "\N{MIDDLE DOT}"),
    Verdict.SYMPTOM: ("#F0E442", "S"),
    Verdict.CAUSE: ("#56B4E9", "C"),
    Verdict.LINE: ("#0072B2", "L"),
    Verdict.EASED: ("#E69F00", "P"),
    Verdict.FIXED: ("#009E73", "F"),
}
DARK = (Verdict.LINE, Verdict.FIXED)
# The paper's codes have no finer steps.
OF_CODE = {-1: Verdict.NOT_APPLICABLE, 0: Verdict.SILENT, 1: Verdict.EASED}


def draw(answers: Sequence[Answer], paper: Paper, folder: Path, name: str) -> tuple[Path, ...]:
    """Write `name`.svg and `name`.png into `folder`; the paths written."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot
    from matplotlib.patches import Patch, Rectangle

    causes = load_codebook().causes
    order = list(causes)
    problems = sorted(
        {answer.problem.id: answer.problem for answer in answers}.values(),
        key=lambda problem: (order.index(problem.cause), problem.id),
    )
    columns, cells = _cells(answers, paper)
    with mpl.rc_context({"svg.hashsalt": name, "font.size": 7}):
        size = (max(5.5, 2.6 + 0.42 * len(columns)), 2.4 + 0.155 * len(problems))
        figure, axes = pyplot.subplots(figsize=size, layout="constrained")
        previous = ""
        for row, problem in enumerate(problems):
            if problem.cause != previous:
                previous = problem.cause
                axes.axhline(row, color="0.3", linewidth=0.6)
                axes.text(len(columns) + 0.1, row + 0.5, causes[previous].title, va="center")
            for column, title in enumerate(columns):
                verdict = cells.get((problem.id, title))
                if verdict is None:
                    continue
                colour, sign = LOOKS[verdict]
                axes.add_patch(Rectangle((column, row), 0.94, 0.9, facecolor=colour))
                ink = "white" if verdict in DARK else "black"
                axes.text(column + 0.47, row + 0.48, sign, ha="center", va="center", color=ink)
        axes.set_xlim(0, len(columns))
        axes.set_ylim(len(problems), 0)
        axes.set_xticks(
            [column + 0.47 for column in range(len(columns))],
            columns,
            rotation=40,
            ha="left",
            rotation_mode="anchor",
        )
        axes.xaxis.tick_top()
        axes.set_yticks(
            [row + 0.5 for row in range(len(problems))],
            [problem.id.removeprefix("so-") for problem in problems],
            fontsize=6,
        )
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        handles = [
            Patch(facecolor=colour, edgecolor="0.7", label=f"{sign} {verdict.value}".strip())
            for verdict, (colour, sign) in LOOKS.items()
        ]
        figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False)
        paths = (folder / f"{name}.svg", folder / f"{name}.png")
        figure.savefig(paths[0], metadata={"Date": None})
        figure.savefig(paths[1], dpi=160)
        pyplot.close(figure)
    return paths


def _cells(
    answers: Sequence[Answer], paper: Paper
) -> tuple[list[str], dict[tuple[str, str], Verdict]]:
    columns: list[str] = []
    cells: dict[tuple[str, str], Verdict] = {}
    if paper:
        columns += [f"{title} (paper)" for title in PAPER_COLUMNS.values()]
    for answer in answers:
        cells[answer.problem.id, answer.approach.title] = answer.judgement.verdict
        for column, title in PAPER_COLUMNS.items():
            code = paper.get(paper_id(answer.problem), {}).get(column)
            if code is not None:
                cells[answer.problem.id, f"{title} (paper)"] = OF_CODE[code]
    columns += dict.fromkeys(answer.approach.title for answer in answers)
    return columns, cells
