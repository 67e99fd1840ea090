"""Holds `deepperf check` beside Dynamo on the models of `transformers`, made very small.

    python -m benchmarks.architectures --output benchmarks/results/compilers/architectures.json

Each architecture is built with random weights from its configuration with small sizes, and called
twice under `torch.compile(model, backend="eager")`, and once without. `check` is given a folder
with the file of the model, as it is installed, and a program that does the same. Compared are the
lines of that file at which Dynamo breaks a graph, those that `check` tells, and which of these ran
at all.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import signal
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

from benchmarks.compilers import break_frames

LAYERS = """decoder_layers encoder_layers n_layer n_layers num_decoder_layers num_encoder_layers
    num_hidden_layers num_layers"""
SMALL = {
    2: "moe_topk num_experts_per_tok top_k",
    4: """decoder_attention_heads encoder_attention_heads n_head n_heads num_attention_heads
        num_heads num_key_value_heads""",
    8: "n_routed_experts num_experts num_local_experts",
    32: "d_model embed_dim hidden_size image_size n_embd",
    64: """d_ff decoder_ffn_dim encoder_ffn_dim ffn_dim intermediate_size moe_intermediate_size
        n_inner""",
    99: "vocab_size",
}
"""What sizes of configurations become, by their names."""
DEEP = dict.fromkeys(LAYERS.split(), 2)
SIZES = {name: size for size, names in SMALL.items() for name in names.split()}
INNER = {name: size for name, size in SIZES.items() if size in (2, 64, 99)}
WAYS = ({**DEEP, **SIZES}, {**DEEP, **INNER}, DEEP)
"""Ways to make a model small, the first that works counts: some sizes must fit to others."""
MOST_WEIGHTS = 400_000_000
ROWS, TOKENS = 2, 12
SEED = 0
PATIENCE = 150
"""Seconds for an architecture: some unroll loops over what can't be made small."""
BREAKS = "graph-break"
DRIVE = """\
import torch
from {of_config} import {config}
from {of_model} import {model}

model = {model}({config}()).eval()
compiled = torch.compile(model)
with torch.no_grad():
    for _ in range(100):
        compiled({given})
"""
_TEXT = {
    "input_ids": "torch.randint(3, 90, (2, 12))",
    "decoder_input_ids": "torch.randint(3, 90, (2, 12))",
    "pixel_values": "torch.rand(2, 3, 32, 32)",
}
_RELATIVE = re.compile(r"^from (\.\.+)([\w.]*) import", re.MULTILINE)
_MADE = re.compile(r"^#.*(?:generated|do not edit|edit).*$", re.MULTILINE | re.IGNORECASE)


def architectures() -> list[tuple[str, str, str]]:
    """The name, the configuration and the base model of each architecture that is installed, in an
    order that was drawn.
    """
    from transformers.models.auto.configuration_auto import CONFIG_MAPPING_NAMES
    from transformers.models.auto.modeling_auto import MODEL_MAPPING_NAMES

    found = []
    for kind, config in sorted(CONFIG_MAPPING_NAMES.items()):
        names = MODEL_MAPPING_NAMES.get(kind, ())
        model = names if isinstance(names, str) else next(iter(names), "")
        if model:
            found.append((kind, config, model))
    random.Random(SEED).shuffle(found)
    return found


def small(model_of: type[Any], config_of: type[Any]) -> tuple[Any, dict[str, Any]]:
    """A model with few layers and, where it can be, small sizes, and what it is given."""
    import torch

    problem: Exception = TypeError("takes neither texts nor pictures")
    for way in WAYS:
        config = config_of()
        _shrink(config, way)
        try:
            with torch.device("meta"):
                weights = sum(one.numel() for one in model_of(config).parameters())
            if weights > MOST_WEIGHTS:
                raise ValueError(f"it has {weights:,} weights")
            torch.manual_seed(SEED)
            model = model_of(config).eval()
            given = arguments_of(model)
            if given:
                model(**given)
                return model, given
        except TimeoutError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a model does not like
            problem = error
    raise problem


def _shrink(config: Any, sizes: Mapping[str, int]) -> None:
    from transformers import PretrainedConfig

    for value in list(vars(config).values()):
        if isinstance(value, PretrainedConfig):
            _shrink(value, sizes)
    for name, size in sizes.items():
        old = getattr(config, name, None)
        if type(old) is int and old > size:
            setattr(config, name, size)
    layers = getattr(config, "num_hidden_layers", None)
    kinds = getattr(config, "layer_types", None)
    if kinds and layers:
        config.layer_types = [*dict.fromkeys(kinds), *kinds][:layers]
    for name in ("pad_token_id", "bos_token_id", "eos_token_id"):
        token = getattr(config, name, None)
        if type(token) is int and token >= sizes.get("vocab_size", token + 1):
            setattr(config, name, 1)


def arguments_of(model: Any) -> dict[str, Any]:
    """What the model is given: texts of some tokens, or pictures."""
    import inspect

    import torch

    known = inspect.signature(model.forward).parameters
    given: dict[str, Any] = {}
    if "input_ids" in known:
        given["input_ids"] = torch.randint(3, 90, (ROWS, TOKENS))
        if "decoder_input_ids" in known:
            given["decoder_input_ids"] = torch.randint(3, 90, (ROWS, TOKENS))
    elif "pixel_values" in known:
        size = getattr(model.config, "image_size", 32)
        height, width = size if isinstance(size, (list, tuple)) else (size, size)
        channels = getattr(model.config, "num_channels", 3)
        given["pixel_values"] = torch.rand(ROWS, channels, height, width)
    return given


def watched(only: frozenset[str], count: int, output: Path) -> None:
    """What Dynamo does with each architecture, a line of JSON for each."""
    import torch
    import transformers

    def late(*_: object) -> None:
        raise TimeoutError(f"longer than {PATIENCE} s")

    signal.signal(signal.SIGALRM, late)
    known = {json.loads(line)["name"] for line in _lines(output)}
    for kind, config, name in architectures()[:count]:
        if kind in known or (only and kind not in only):
            continue
        seen: dict[str, Any] = {"name": kind, "model": name}
        signal.alarm(PATIENCE)
        try:
            model_of = getattr(transformers, name)
            home = model_of.__module__.replace(".", "/").removeprefix("transformers/")
            seen["file"] = f"{home}.py"
            with torch.no_grad():
                model, given = small(model_of, getattr(transformers, config))
                seen["given"] = ", ".join(f"{key}={_TEXT[key]}" for key in given)
                seen["ran"] = _lines_run(model, given, seen["file"])
                seen["breaks"] = _breaks(model, given)
        except Exception as error:  # noqa: BLE001 - whatever a model does not like
            seen["failure"] = f"{type(error).__name__}: {str(error)[:200]}"
        finally:
            signal.alarm(0)
        with output.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps(seen) + "\n")


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def _lines_run(model: Any, given: Mapping[str, Any], file: str) -> list[int]:
    """The lines of a file of `transformers` that a call runs, where nothing is compiled."""
    path = str(Path(sys.modules["transformers"].__file__ or "").parent / file)
    lines: set[int] = set()

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if frame.f_code.co_filename != path:
            return None
        if event == "line":
            lines.add(frame.f_lineno)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        model(**given)
    finally:
        sys.settrace(before)
    return sorted(lines)


def _breaks(model: Any, given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The breaks of a model, by the innermost line of `transformers` that makes each."""
    import torch

    home = Path(sys.modules["transformers"].__file__ or "").parent
    found: dict[tuple[str, int], str] = {}
    torch._dynamo.reset()
    with break_frames() as broken:
        compiled = torch.compile(model, backend="eager")
        for _ in range(2):
            compiled(**given)
    for frames, reason in broken:
        own = [frame for frame in frames if Path(frame.filename).is_relative_to(home)]
        if own:
            place = (str(Path(own[-1].filename).relative_to(home)), own[-1].lineno or 0)
            found.setdefault(place, reason.splitlines()[0][:120])
    return [{"file": file, "line": line, "why": why} for (file, line), why in found.items()]


def told(seen: Mapping[str, Any], folder: Path) -> dict[str, list[int]]:
    """The lines of an architecture's file at which `check` warns of breaks, and notes some.

    What the file imports from the rest of `transformers` is written with its whole name, as models
    outside of it have it; the remark that a program made the file is left out.
    """
    import transformers

    from deepperf.check.paths import check_paths
    from deepperf.config.options import Options
    from deepperf.records import Level

    model_of = getattr(transformers, seen["model"])
    source = Path(sys.modules[model_of.__module__].__file__ or "")
    for path in source.parent.glob("*.py"):
        absolute = partial(_absolute, model_of.__module__)
        text = _RELATIVE.sub(absolute, path.read_text(encoding="utf-8"))
        (folder / path.name).write_text(_MADE.sub("#", text), encoding="utf-8")
    config = model_of.config_class
    drive = DRIVE.format(
        model=model_of.__name__,
        config=config.__name__,
        of_model=source.stem,
        of_config=config.__module__.rpartition(".")[2],
        given=seen["given"],
    )
    (folder / "drive.py").write_text(drive, encoding="utf-8")
    options = Options(select=(BREAKS,), preview=True, level=Level.NOTE, cache=False, jobs=1)
    reports = check_paths([folder], options)
    lines: dict[str, set[int]] = {"warnings": set(), "notes": set()}
    for one in (one for report in reports for one in report.findings):
        level = "warnings" if one.level > Level.NOTE else "notes"
        # The last of a break's further places is where the function is compiled.
        for place in (one.location, *(step.location for step in one.related[:-1])):
            if place.path.endswith(source.name):
                lines[level].add(place.line)
    lines["notes"] -= lines["warnings"]
    return {level: sorted(found) for level, found in lines.items()}


def _absolute(module: str, found: re.Match[str]) -> str:
    above = module.rsplit(".", len(found[1]))[0]
    return f"from {above}.{found[2]} import" if found[2] else f"from {above} import"


def summary(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How many lines Dynamo, `check` and both have, and how many breaks lie in shared files."""
    compiled = [row for row in rows if "failure" not in row]
    real = [
        {one["line"] for one in row["breaks"] if one["file"] == row["file"]} for row in compiled
    ]
    elsewhere = (one["file"] != row["file"] for row in compiled for one in row["breaks"])
    counts: dict[str, Any] = {
        "architectures": len(compiled),
        "failed": len(rows) - len(compiled),
        "broken": sum(bool(row["breaks"]) for row in compiled),
        "dynamo": sum(map(len, real)),
        "elsewhere": sum(elsewhere),
    }
    for level in ("warnings", "notes"):
        said = [set(row["told"][level]) for row in compiled]
        both = (len(one & other) for one, other in zip(real, said, strict=True))
        ran = (len(one & set(row["ran"])) for one, row in zip(said, compiled, strict=True))
        counts[level] = {"told": sum(map(len, said)), "ran": sum(ran), "both": sum(both)}
    return counts


def main(words: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watch", type=Path, help="only ask Dynamo, and add what it says to this")
    parser.add_argument("--seen", type=Path, help="what Dynamo said, from --watch")
    parser.add_argument("--output", type=Path)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument(
        "--count", type=int, default=10_000, help="architectures, as they are drawn"
    )
    given = parser.parse_args(words)
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(prefix="deepperf-models-") as scratch:
        path = given.watch or given.seen or Path(scratch, "seen.jsonl")
        if not given.seen:
            watched(frozenset(given.only), given.count, path)
        if given.watch:
            return
        rows = [json.loads(line) for line in _lines(path)]
        for row in rows:
            if "failure" not in row:
                folder = Path(scratch, row["name"])
                folder.mkdir()
                row["told"] = told(row, folder)
    import torch
    import transformers

    report = {
        "date": f"{datetime.now(tz=timezone.utc):%Y-%m-%d}",
        "versions": {"torch": torch.__version__, "transformers": transformers.__version__},
        **summary(rows),
        "rows": [{key: value for key, value in row.items() if key != "ran"} for row in rows],
    }
    if given.output:
        given.output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(*(f"{key}: {value}" for key, value in report.items() if key != "rows"), sep="\n")


if __name__ == "__main__":
    main()
