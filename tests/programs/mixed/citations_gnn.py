"""Graph attention over a citation network, in plain PyTorch (no geometric library)."""

import argparse
import collections
import json

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def load(path):
    with open(path) as handle:
        document = json.load(handle)
    words = np.asarray(document["words"], dtype=np.float32)
    edges = np.asarray(document["edges"], dtype=np.int64)
    topics = np.asarray(document["topics"], dtype=np.int64)
    return words, edges, topics


def adjacency(edges, number):
    matrix = torch.zeros(number, number)
    for source, target in edges:
        matrix[source, target] = 1.0  # finding: looped-update
        matrix[target, source] = 1.0  # finding: looped-update
    return matrix + torch.eye(number)


def degrees(edges, number):
    count = np.zeros(number)
    for source, _ in edges:
        count[source] += 1  # finding: looped-update
    return count


def neighbourhoods(edges):
    """Lists of unequal length, kept as a dictionary of Python."""
    near = collections.defaultdict(list)
    for source, target in edges.tolist():
        near[source].append(target)
        near[target].append(source)
    return near


def shortest(near, start):
    distance = {start: 0}
    queue = collections.deque([start])
    while queue:
        here = queue.popleft()
        for there in near[here]:
            if there not in distance:
                distance[there] = distance[here] + 1
                queue.append(there)
    return distance


class Attention(nn.Module):
    def __init__(self, inputs, outputs, heads):
        super().__init__()
        self.heads = nn.ModuleList(nn.Linear(inputs, outputs, bias=False) for _ in range(heads))
        self.score = nn.ParameterList(nn.Parameter(torch.randn(2 * outputs) * 0.1) for _ in range(heads))

    def forward(self, x, matrix):
        results = []
        for linear, score in zip(self.heads, self.score):
            h = linear(x)
            left, right = score.chunk(2)
            energy = F.leaky_relu((h @ left)[:, None] + (h @ right)[None, :], 0.2)
            energy = energy.masked_fill(matrix == 0, float("-inf"))
            results.append(energy.softmax(-1) @ h)
        return torch.cat(results, -1)


class Network(nn.Module):
    def __init__(self, inputs, topics):
        super().__init__()
        self.first = Attention(inputs, 8, 8)
        self.second = Attention(64, topics, 1)

    def forward(self, x, matrix):
        return self.second(F.elu(self.first(F.dropout(x, 0.6, self.training), matrix)), matrix)


def centroids(embedding, topics):
    """Mean embedding of each topic; there are only seven topics."""
    return torch.stack([embedding[topics == topic].mean(0) for topic in range(7)])


def link_scores(embedding, pairs):
    scores = []
    for a, b in pairs:
        scores.append(torch.dot(embedding[a], embedding[b]))  # finding: per-slice-op
    return torch.stack(scores)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("graph")
    args = parser.parse_args()
    words, edges, topics = load(args.graph)
    x, y = torch.from_numpy(words), torch.from_numpy(topics)
    matrix = adjacency(edges, len(words))
    print("mean degree", degrees(edges, len(words)).mean())
    model = Network(x.shape[1], 7)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005, weight_decay=5e-4)
    for epoch in range(400):
        model.train()
        loss = F.cross_entropy(model(x, matrix)[:140], y[:140])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if epoch % 50 == 0:
            model.eval()
            with torch.no_grad():
                right = (model(x, matrix).argmax(-1)[500:] == y[500:]).float().mean()
            print(epoch, loss.item(), right.item())
    with torch.no_grad():
        embedding = model.first(x, matrix)
    print(link_scores(embedding, edges).mean(), centroids(embedding, y).norm(dim=1))
    print(max(shortest(neighbourhoods(edges), 0).values()))


if __name__ == "__main__":
    main()
