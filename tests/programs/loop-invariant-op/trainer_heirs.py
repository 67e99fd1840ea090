from abc import ABC, abstractmethod

import torch
import torch.nn.functional as F


class BaseTrainer(ABC):
    def __init__(self, student, optimizer, loader, device):
        self.student = student.to(device)
        self.optimizer = optimizer
        self.loader = loader
        self.device = device

    @abstractmethod
    def compute_loss(self, batch): ...

    def fit(self, epochs):
        for _ in range(epochs):
            for batch in self.loader:
                self.optimizer.zero_grad()
                loss = self.compute_loss([b.to(self.device) for b in batch])
                loss.backward()
                self.optimizer.step()


class Distiller(BaseTrainer):
    def __init__(self, teacher, *args, temperature=2.0):
        super().__init__(*args)
        self.teacher = teacher.to(self.device).eval()
        self.temperature = temperature

    def compute_loss(self, batch):
        x, y = batch
        with torch.no_grad():
            soft = F.softmax(self.teacher(x) / self.temperature, -1)
        logits = self.student(x)
        return F.cross_entropy(logits, y) + F.kl_div(F.log_softmax(logits, -1), soft)


class Balanced(BaseTrainer):
    def __init__(self, counts, *args):
        super().__init__(*args)
        self.counts = counts

    def weights(self):
        counts = torch.tensor(self.counts, dtype=torch.float, device=self.device)
        return counts.sum() / (len(self.counts) * counts)

    def compute_loss(self, batch):
        x, y = batch
        weight = self.weights()
        return F.cross_entropy(self.student(x), y, weight=weight)


class GraphTrainer(BaseTrainer):
    """Nodes in batches, one fixed dense adjacency."""

    def __init__(self, adjacency, features, *args):
        super().__init__(*args)
        self.adjacency = adjacency.to(self.device)
        self.features = features.to(self.device)

    def laplacian(self):
        degree = self.adjacency.sum(1).rsqrt()
        return degree[:, None] * self.adjacency * degree[None]

    def compute_loss(self, batch):
        nodes, y = batch
        support = self.laplacian() @ self.features  # note: loop-invariant-op
        return F.cross_entropy(self.student(support)[nodes], y)


def reference_logits(teacher, probe, loader, student, optimizer):
    teacher.eval()
    for x, y in loader:
        with torch.no_grad():
            anchor = teacher(probe)  # note: loop-invariant-op
        loss = F.cross_entropy(student(x), y) + F.mse_loss(student(probe), anchor)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
