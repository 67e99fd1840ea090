"""Clusters households by the shape of their daily use of electricity."""

import torch
from sibling_shape import daily_shape

HOUSEHOLDS = 400
HOURS = 24
CLUSTERS = 5


def shapes_of(usage):
    rows = []
    for household in usage:
        rows.append(daily_shape(household))  # finding
    return torch.stack(rows)


def cluster(shapes, rounds):
    centres = shapes[:CLUSTERS].clone()
    nearest = torch.zeros(len(shapes), dtype=torch.long)
    for _ in range(rounds):
        nearest = torch.cdist(shapes, centres).argmin(dim=1)
        members = torch.nn.functional.one_hot(nearest, CLUSTERS).to(shapes.dtype)
        sums = members.T @ shapes
        centres = sums / members.sum(dim=0).clamp(min=1.0)[:, None]
    return nearest


def main():
    torch.manual_seed(10)
    usage = torch.rand(HOUSEHOLDS, HOURS)
    return torch.bincount(cluster(shapes_of(usage), rounds=6), minlength=CLUSTERS)


if __name__ == "__main__":
    print(main())
