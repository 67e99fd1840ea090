"""Fine-tune DeBERTa on 1.8M comments with 28 skewed labels (Kaggle)."""
import os

import numpy as np
import torch
import torch.nn.functional as F
from datasets import load_dataset
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    DataCollatorWithPadding,
    Trainer,
    TrainingArguments,
)

CKPT = os.environ.get("CKPT", "microsoft/deberta-v3-base")
N = 28


class WeightedTrainer(Trainer):
    """Cross-entropy with effective-number weights, label-correlation smoothing."""

    def __init__(self, *args, label_ids, **kwargs):
        super().__init__(*args, **kwargs)
        self.label_ids = np.asarray(label_ids)
        self.temperature = 1.0

    def _weights(self, device):
        counts = np.bincount(self.label_ids, minlength=N)
        eff = (1.0 - 0.9999**counts) / (1.0 - 0.9999)
        w = 1.0 / np.maximum(eff, 1.0)
        return torch.tensor(w / w.sum() * N, dtype=torch.float32, device=device)

    def compute_loss(self, model, inputs, return_outputs=False, **kw):
        labels = inputs.pop("labels")
        out = model(**inputs)
        logits = out.logits / self.temperature
        weight = self._weights(logits.device)
        onehot = F.one_hot(labels, N).float()
        target = 0.95 * onehot + 0.05 / N
        loss = -(weight * target * F.log_softmax(logits.float(), -1)).sum(-1).mean()
        return (loss, out) if return_outputs else loss


class Annealed(WeightedTrainer):
    """Same loss but the temperature moves, so softmax has to be redone."""

    def training_step(self, *args, **kw):
        self.temperature = 1.0 + np.exp(-self.state.global_step / 5000)
        return super().training_step(*args, **kw)


def metrics(pred):
    logits, y = pred
    hit = logits.argmax(-1) == y
    per_class = [hit[y == c].mean() for c in range(N) if (y == c).any()]
    return {"acc": hit.mean(), "balanced": float(np.mean(per_class))}


def thresholds(logits, y):
    """Pick a threshold per class on the dev set; runs once after training."""
    best = np.zeros(N)
    for c in range(N):
        col, is_c = logits[:, c], y == c
        order = np.sort(col)
        grid = order[:: max(len(order) // 50, 1)]
        f1 = [((col > g) & is_c).sum() / max(((col > g) | is_c).sum(), 1) for g in grid]
        best[c] = grid[int(np.argmax(f1))]
    return best


def main():
    tok = AutoTokenizer.from_pretrained(CKPT)
    ds = load_dataset("csv", data_files={"train": "train.csv", "dev": "dev.csv"})
    ds = ds.map(lambda r: tok(r["text"], truncation=True, max_length=192), batched=True, num_proc=8)
    model = AutoModelForSequenceClassification.from_pretrained(CKPT, num_labels=N)
    args = TrainingArguments(
        "out",
        per_device_train_batch_size=64,
        num_train_epochs=2,
        learning_rate=2e-5,
        bf16=True,
        eval_strategy="epoch",
    )
    trainer = Annealed(
        model=model,
        args=args,
        train_dataset=ds["train"],
        eval_dataset=ds["dev"],
        data_collator=DataCollatorWithPadding(tok),
        compute_metrics=metrics,
        label_ids=ds["train"]["labels"],
    )
    trainer.train()
    dev = trainer.predict(ds["dev"])
    np.save("thresholds.npy", thresholds(dev.predictions, dev.label_ids))


if __name__ == "__main__":
    main()
