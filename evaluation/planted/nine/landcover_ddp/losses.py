import torch
import torch.nn.functional as F


def dice_loss(logits, mask, eps=1.0):
    n, n_classes = logits.shape[:2]
    truth = F.one_hot(mask, n_classes).permute(0, 3, 1, 2).double()
    losses = []
    for i in range(n):
        for c in range(n_classes):
            prob = torch.softmax(logits, dim=1)[i, c].double()
            overlap = (prob * truth[i, c]).sum()
            size = prob.sum() + truth[i, c].sum()
            losses.append(1 - (2 * overlap + eps) / (size + eps))
    return torch.stack(losses).mean().float()


def segmentation_loss(logits, mask):
    return F.cross_entropy(logits, mask) + 0.5 * dice_loss(logits, mask)


def confusion(predicted, mask, n_classes):
    index = mask.flatten() * n_classes + predicted.flatten()
    return torch.bincount(index, minlength=n_classes**2).reshape(n_classes, n_classes).double()


def mean_iou(matrix):
    hit = matrix.diag()
    union = matrix.sum(0) + matrix.sum(1) - hit
    return (hit / union.clamp(min=1)).mean().item()
