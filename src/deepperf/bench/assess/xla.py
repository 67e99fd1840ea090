"""XLA: the buggy program with automatic clustering, and how much of the gap that closes.

The buggy program runs beside itself with XLA, and beside the repaired one, in CPU time (or
elapsed time, where the problem is about that). With p, x and f for the costs of the plain,
the clustered and the repaired program, XLA closes (p - x) / (p - f) of the gap: from 0.9 on
the problem is fixed, from 0.2 on partly fixed, below that XLA is silent. Not applicable:
programs without TensorFlow, and problems whose gap is not in time (p / f below 1.3).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from deepperf.bench.assess.alarms import version_of
from deepperf.bench.assess.approach import (
    Approach,
    Judgement,
    Raw,
    Setting,
    Verdict,
    imports,
    without_folders,
)
from deepperf.bench.collect import CPU_TIME, TIME, Plan, plan_of
from deepperf.bench.launch import Launch, Outcome
from deepperf.bench.measure import SideError, run_side, usable_cores
from deepperf.bench.problem_table import LEAST_RATIO
from deepperf.bench.problems import Problem, pair_of
from deepperf.records import Pair

CLUSTERING = (("TF_XLA_FLAGS", "--tf_xla_auto_jit=2 --tf_xla_cpu_global_jit"),)
# Times are taken of several runs, which some programs do not bear: a count is taken of one.
_CLOCK = "\n\nimport time\n\n\ndef count():\n    return time.{}()\n"
CLOCKS = {CPU_TIME: _CLOCK.format("process_time"), TIME: _CLOCK.format("perf_counter")}
FIXED_FROM = 0.9
EASED_FROM = 0.2


def ask(problems: Sequence[Problem], setting: Setting) -> Iterator[tuple[Problem, Raw]]:
    """The costs of the three programs: `beside_xla` and `xla`, `beside_fixed` and `fixed`."""
    for problem in problems:
        if not imports(problem, "tensorflow", "keras") or not problem.measured:
            yield problem, {}
            continue
        try:
            yield problem, _costs(problem, setting)
        except SideError as error:
            yield problem, {"error": without_folders(str(error))}


def _costs(problem: Problem, setting: Setting) -> Raw:
    pair = pair_of(problem)
    plan = plan_of(pair)
    quantity = plan.quantity if plan.quantity in (CPU_TIME, TIME) else CPU_TIME
    raw: Raw = {"quantity": quantity}
    if not plan.warm_ups:
        pair = replace(pair, workload=pair.workload + CLOCKS[quantity])
        quantity = "seconds of one run"
    plan = replace(plan, quantity=quantity, threads=1)
    for other, side, variables in (("fixed", "good", ()), ("xla", "bad", CLUSTERING)):
        rounds = [
            _together(pair, plan, setting, number, side, variables)
            for number in range(setting.rounds)
        ]
        raw[f"beside_{other}"] = [plain for plain, _ in rounds]
        raw[other] = [cost for _, cost in rounds]
        if other == "fixed" and _ratio(raw["beside_fixed"], raw["fixed"]) < LEAST_RATIO:
            break
    return raw


def _together(
    pair: Pair,
    plan: Plan,
    setting: Setting,
    number: int,
    side: str,
    variables: tuple[tuple[str, str], ...],
) -> tuple[float, float]:
    """What the buggy program costs as it is, and beside it `side` with `variables` set."""
    cores = usable_cores()

    def with_variables(launch: Launch) -> Outcome:
        return setting.start(replace(launch, variables=variables))

    if len(cores) < 2:
        plain = run_side("bad", pair, plan, setting.start)
        return plain.value, run_side(side, pair, plan, with_variables).value
    first, second = cores[number % 2], cores[1 - number % 2]
    with ThreadPoolExecutor(2) as pool:
        one = pool.submit(run_side, "bad", pair, plan, setting.start, first)
        other = pool.submit(run_side, side, pair, plan, with_variables, second)
        return one.result().value, other.result().value


def judge(_: Problem, raw: Raw) -> Judgement:
    """By the rule above."""
    if not raw:
        return Judgement(Verdict.NOT_APPLICABLE, "TensorFlow does not run")
    if "error" in raw:
        return Judgement(Verdict.NOT_APPLICABLE, raw["error"])
    gap = _ratio(raw["beside_fixed"], raw["fixed"])
    if gap < LEAST_RATIO or "xla" not in raw:
        return Judgement(Verdict.NOT_APPLICABLE, f"the gap is not in {raw['quantity']}")
    gain = 1 - 1 / _ratio(raw["beside_xla"], raw["xla"])
    share = gain / (1 - 1 / gap)
    reason = f"{share:.0%} of the gap closed" if share >= 0 else "it costs more with XLA"
    if share >= FIXED_FROM:
        return Judgement(Verdict.FIXED, reason)
    return Judgement(Verdict.EASED if share >= EASED_FROM else Verdict.SILENT, reason)


def _ratio(costs: Sequence[float], others: Sequence[float]) -> float:
    """The geometric mean of the ratios, each of two costs that were measured together."""
    logarithms = [math.log(one / other) for one, other in zip(costs, others, strict=True)]
    return math.exp(math.fsum(logarithms) / len(logarithms))


approach = Approach(
    name="xla",
    title="XLA",
    version=lambda: f"TensorFlow {version_of('tensorflow') or version_of('tensorflow-cpu')}",
    obstacle=lambda _: "",
    ask=ask,
    judge=judge,
)
