import torch
from torch import nn

from metrics import causal, ranks, recall_at


class TwoTower(nn.Module):
    def __init__(self, words, width=256):
        super().__init__()
        self.embed = nn.Embedding(words, width)
        layer = nn.TransformerEncoderLayer(width, 4, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.prototypes = nn.Parameter(torch.randn(50, width))

    def forward(self, tokens):
        mask = causal(tokens.shape[1], tokens.device)
        return self.encoder(self.embed(tokens), mask=mask).mean(dim=1)

    def training_step(self, batch):
        left, right = batch
        scores = self(left) @ self(right).t()
        pull = nn.functional.normalize(self.prototypes, dim=-1)
        target = torch.arange(len(left), device=scores.device)
        return nn.functional.cross_entropy(scores, target) - pull.std()

    @torch.no_grad()
    def evaluate(self, loader, gallery):
        self.eval()
        found = []
        for tokens, wanted in loader:
            order = ranks(self(tokens), gallery)
            found.append(recall_at(order, wanted, 10))
        return torch.stack(found).mean()

    @torch.no_grad()
    def whitened(self, loader, gallery):
        covariance = torch.cov(gallery.t())
        answers = []
        for tokens, _ in loader:
            values, vectors = torch.linalg.eigh(covariance)  # finding: loop-invariant-op
            answers.append(self(tokens) @ vectors / values.sqrt())
        return torch.cat(answers)
