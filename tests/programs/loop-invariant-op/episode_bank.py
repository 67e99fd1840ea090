import torch
import torch.nn.functional as F


class Bank:
    """Class texts and their vectors."""

    def __init__(self, encoder, names, dim):
        self.encoder = encoder
        self.names = names
        self.dim = dim
        self.counts = torch.zeros(len(names))

    def similarity_matrix(self):
        codes = F.normalize(torch.eye(len(self.names), self.dim), dim=-1)
        return codes @ codes.T

    def note_label(self, label):
        self.counts[label] += 1

    def current_prior(self):
        return torch.softmax(self.counts, 0)


def score_queries(bank, queries):
    rows = []
    for query in queries:
        matrix = bank.similarity_matrix()  # note: loop-invariant-op
        rows.append(matrix @ query)
    return torch.stack(rows)


def follow_prior(bank, labels):
    seen = []
    for label in labels:
        bank.note_label(label)
        seen.append(bank.current_prior())
    return seen


def distill(student, teacher, reference, loader, optimizer):
    teacher.eval()
    student.train()
    for x, y in loader:
        with torch.no_grad():
            target = teacher(reference)  # note: loop-invariant-op
            soft = teacher(x)
        out = student(x)
        loss = F.cross_entropy(out, y) + F.mse_loss(out, soft) + F.mse_loss(student(reference), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def mean_teacher(student, teacher, reference, loader, optimizer, decay=0.99):
    teacher.eval()
    for x, y in loader:
        with torch.no_grad():
            target = teacher(reference)
        loss = F.cross_entropy(student(x), y) + F.mse_loss(student(reference), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            for p, q in zip(teacher.parameters(), student.parameters()):
                p.mul_(decay).add_(q, alpha=1 - decay)


def self_distill(model, reference, loader, optimizer):
    for x, y in loader:
        model.eval()
        with torch.no_grad():
            target = model(reference)
        model.train()
        loss = F.cross_entropy(model(x), y) + F.mse_loss(model(reference), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
