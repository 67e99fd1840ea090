import numpy as np


def compute_metrics(prediction):
    logits = prediction.predictions
    if isinstance(logits, tuple):
        logits = logits[0]
    labels = prediction.label_ids
    guess = logits.argmax(axis=-1)
    keep = labels != -100
    hits = (guess == labels) & keep
    probs = np.exp(logits - logits.max(-1, keepdims=True))
    probs = probs / probs.sum(-1, keepdims=True)
    confidence = probs.max(-1)[keep].mean()
    return {
        "token_accuracy": float(hits.sum() / keep.sum()),
        "exact": float(np.mean((hits | ~keep).all(axis=1))),
        "confidence": float(confidence),
    }


def line_accuracy(lines, targets):
    fields = 0
    right = 0
    for line, target in zip(lines, targets):
        want = [f.strip() for f in target.split(";")]
        got = [f.strip() for f in line.split(";")]
        fields += len(want)
        right += sum(a == b for a, b in zip(want, got))
    return right / max(fields, 1)
