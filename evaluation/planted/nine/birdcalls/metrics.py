import numpy as np
from sklearn.metrics import f1_score


class RunningScore:
    """Training F1 as the epochs go by, for the progress line."""

    def __init__(self, n_classes):
        self.n_classes = n_classes
        self.predicted = []
        self.truth = []

    def update(self, predicted, truth):
        self.predicted.extend(int(p) for p in predicted)
        self.truth.extend(int(t) for t in truth)
        return self.value()

    def value(self):
        return f1_score(
            self.truth, self.predicted, average="macro", labels=list(range(self.n_classes)), zero_division=0
        )


def summarise(logits, truth, n_classes):
    predicted = logits.argmax(dim=1).numpy()
    truth = truth.numpy()
    return {
        "accuracy": float(np.mean(predicted == truth)),
        "macro_f1": float(
            f1_score(truth, predicted, average="macro", labels=list(range(n_classes)), zero_division=0)
        ),
    }
