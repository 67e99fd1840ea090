import numpy as np
import torch
import torch.nn.functional as F
from transformers import Trainer

from textproc import LABELS


class TicketTrainer(Trainer):
    """Cross-entropy weighted by inverse class frequency."""

    def __init__(self, *args, **kw):
        super().__init__(*args, **kw)
        counts = np.bincount([r["label"] for r in self.train_dataset.rows], minlength=LABELS)
        self.class_weights = torch.tensor(counts.sum() / (LABELS * counts), dtype=torch.float32)

    def compute_loss(self, model, inputs, return_outputs=False, **kw):
        labels = inputs.pop("labels")
        out = model(**inputs, output_hidden_states=not model.training)
        loss = F.cross_entropy(out.logits, labels, weight=self.class_weights)
        return (loss, out) if return_outputs else loss


def compute_metrics(pred):
    logits = pred.predictions[0] if isinstance(pred.predictions, tuple) else pred.predictions
    labels = pred.label_ids
    guess = logits.argmax(-1)
    f1 = []
    for c in range(LABELS):
        tp = sum(1 for g, t in zip(guess, labels) if g == c and t == c)
        fp = sum(1 for g, t in zip(guess, labels) if g == c and t != c)
        fn = sum(1 for g, t in zip(guess, labels) if g != c and t == c)
        f1.append(2 * tp / max(1, 2 * tp + fp + fn))
    return {"acc": float((guess == labels).mean()), "f1": float(np.mean(f1))}
