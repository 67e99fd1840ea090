import numpy as np
import torch.nn.functional as F


def seg_loss(logits, target, weight):
    ce = (F.cross_entropy(logits, target, reduction="none") * weight).mean()
    probs = logits.softmax(1)
    dice = logits.new_zeros(())
    for n in range(logits.shape[0]):
        for c in range(logits.shape[1]):
            truth = (target[n] == c).float()
            if truth.sum().item() > 0:
                overlap = (probs[n, c] * truth).sum()
                dice = dice + (1 - 2 * overlap / (probs[n, c].sum() + truth.sum()))
    return ce + dice / logits.shape[0]


class ConfusionMeter:
    def __init__(self, classes=8):
        self.classes = classes
        self.matrix = np.zeros((classes, classes), np.int64)

    def update(self, pred, target):
        for p, t in zip(pred.flatten().tolist(), target.flatten().tolist()):
            self.matrix[t, p] += 1

    def iou(self):
        inter = np.diag(self.matrix)
        union = self.matrix.sum(0) + self.matrix.sum(1) - inter
        return inter / np.maximum(union, 1)
