"""What the hover says of a finding."""

from __future__ import annotations

from dataclasses import replace

from tests.outputs.results_of import FINDING

from deepperf.surfaces.lsp.findings import hover_of


def test_a_sketch_is_shown_as_code() -> None:
    shown = hover_of([replace(FINDING, fix=None, sketch="parts = []\nparts.append(x)\n")])
    assert "*Sketch, to be adapted*:\n\n```python\nparts = []\nparts.append(x)\n```" in shown
    assert "Sketch" not in hover_of([FINDING])
