import lightning as L
import torch
import torch.nn.functional as F
from torch import nn


def spectral_weights(size):
    return 1.0 / (1.0 + torch.fft.fftfreq(size).abs() * size)


def prototypes_of(bank, labels, classes):
    hot = F.one_hot(labels, classes).float()
    return F.normalize(hot.t() @ bank, dim=-1)


class Contrast(L.LightningModule):
    def __init__(self, bank, labels, classes=100, temperature=0.1):
        super().__init__()
        self.save_hyperparameters(ignore=["bank", "labels"])
        self.register_buffer("bank", bank)
        self.register_buffer("labels", labels)
        self.head = nn.Linear(bank.shape[1], bank.shape[1])
        self.classes = classes

    def forward(self, x):
        return F.normalize(self.head(x), dim=-1)

    def training_step(self, batch, index):
        left, right = batch
        logits = self(left) @ self(right).t() / self.hparams.temperature
        loss = F.cross_entropy(logits, torch.arange(len(left), device=self.device))
        self.log("loss", loss)
        return loss

    def validation_step(self, batch, index):
        x, y = batch
        prototypes = prototypes_of(self.bank, self.labels, self.classes)
        self.log("accuracy", ((self(x) @ prototypes.t()).argmax(-1) == y).float().mean())

    def on_test_start(self):
        self.prototypes = prototypes_of(self.bank, self.labels, self.classes)

    def test_step(self, batch, index):
        x, y = batch
        self.log("test", ((self(x) @ self.prototypes.t()).argmax(-1) == y).float().mean())

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), 1e-3)

    @torch.no_grad()
    def denoise(self, waves):
        for wave in waves:
            yield torch.fft.ifft(torch.fft.fft(wave) * spectral_weights(16384)).real  # finding: loop-invariant-op

    @torch.no_grad()
    def mine(self, loader, count):
        hardest = []
        similar = self.bank @ self.bank.t()
        while len(hardest) < count:
            for x, _ in loader:
                order = (self(x) @ self.bank.t()).sort(dim=-1).indices
                hardest.append(similar[order[:, 0]])
        return hardest
