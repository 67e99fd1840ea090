import torch
import torch.nn.functional as F


def tree_distances(parents):
    """Steps from each dialect to each other, over the family tree."""
    count = len(parents)
    hops = torch.full((count, count), float(count))
    hops.fill_diagonal_(0)
    for child, parent in enumerate(parents):
        if parent >= 0:
            hops[child, parent] = hops[parent, child] = 1  # finding: looped-update
    for via in range(count):
        hops = torch.minimum(hops, hops[:, via : via + 1] + hops[via : via + 1])
    return hops


def soft_targets(distances, sharpness):
    return F.softmax(-sharpness * distances, dim=1)


def hierarchical(logits, labels, distances, sharpness=2.0):
    targets = soft_targets(distances, sharpness)[labels]
    return -(targets * F.log_softmax(logits, -1)).sum(-1).mean()
