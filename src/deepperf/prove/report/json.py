"""The proof for programs, with every measured value."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from deepperf import __version__
from deepperf.dynamic.report import Screen
from deepperf.prove.candidates import Candidate
from deepperf.prove.measuring import Judged
from deepperf.prove.proving import Proof
from deepperf.prove.report import command_of, patch_of, remarks

VERSION = 1


def show(proof: Proof, _: Screen) -> str:
    """One object; `docs/prove.md` says what is in it."""
    whole = proof.combination
    told: dict[str, Any] = {
        "format": "deepperf proof",
        "version": VERSION,
        "deepperf": __version__,
        "command": command_of(proof),
        "date": proof.date,
        "versions": dict(proof.versions),
        "cores": proof.machine.cores,
        "accelerators": proof.machine.accelerators,
        "threads": proof.request.threads,
        "interrupted": proof.interrupted,
        "runs": proof.runs,
        "seconds": round(proof.seconds, 3),
        "remarks": [*remarks(proof)],
        "candidates": [{**_named(one), **_said(judged)} for one, judged in proof.tried],
        "together": None
        if whole is None
        else {
            "kept": [_named(one) for one in whole.kept],
            "left_out": [{**_named(one), "said": why} for one, why in whole.left_out],
            **_said(whole.judged),
        },
        "patch": patch_of(proof).decode("utf-8", "replace"),
    }
    return json.dumps(told, indent=2) + "\n"


def _named(candidate: Candidate) -> dict[str, Any]:
    return {
        "name": candidate.name,
        "title": candidate.title,
        "path": candidate.path,
        "lines": list(candidate.lines),
        "kind": "fix" if candidate.safety else "opportunity",
        "safety": candidate.safety or None,
    }


def _said(judged: Judged) -> dict[str, Any]:
    return {
        "answer": judged.answer.value,
        "said": judged.said,
        "quantity": judged.quantity.value,
        "gain": asdict(judged.gain) if judged.gain is not None else None,
        "pays_off_after_steps": judged.pays_off or None,
        "set_aside": judged.pairs.set_aside,
        "before": [asdict(cost) for cost in judged.pairs.before],
        "after": [asdict(cost) for cost in judged.pairs.after],
    }
