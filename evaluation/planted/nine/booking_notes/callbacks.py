import json
from pathlib import Path

import numpy as np
from transformers import TrainerCallback

from modeling import write_lines


class PreviewCallback(TrainerCallback):
    """Keeps a few generated lines from every evaluation for the model card."""

    def __init__(self, tokenizer, dataset, rows):
        self.tokenizer = tokenizer
        self.notes = dataset["note"][:rows]
        self.previews = []

    def on_evaluate(self, args, state, control, model=None, **kwargs):
        lines = write_lines(model, self.tokenizer, self.notes)
        self.previews.append({"step": state.global_step, "lines": lines})


class WeightReport(TrainerCallback):
    """Spread of each weight matrix, written for the dashboard."""

    def __init__(self, path):
        self.path = Path(path)
        self.records = []

    def _collect(self, model, step):
        record = {"step": step}
        for name, p in model.named_parameters():
            values = p.detach().numpy().ravel()
            low, mid, high = np.percentile(values, [5, 50, 95])
            record[name] = [float(low), float(mid), float(high), float(values.std())]
        self.records.append(record)
        self.path.write_text(json.dumps(self.records, indent=1))

    def on_step_end(self, args, state, control, model=None, **kwargs):
        self._collect(model, state.global_step)
