import lightning.pytorch as pl
import torch
import torch.nn as nn
import torch.nn.functional as F

from datamodule import FEATURES, HORIZON


class Encoder(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.hidden = hidden
        self.cell = nn.GRUCell(FEATURES, hidden)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        h = x.new_zeros(x.size(0), self.hidden)
        states = []
        for t in range(x.size(1)):
            h = self.cell(x[:, t], h)
            states.append(h)
        return self.drop(torch.stack(states, 1))


class Forecaster(pl.LightningModule):
    def __init__(self, hidden=256, mc_samples=8, lr=2e-3):
        super().__init__()
        self.save_hyperparameters()
        self.encoder = Encoder(hidden)
        self.attn = nn.Linear(hidden, 1)
        self.head = nn.Linear(hidden, HORIZON)
        self.consistency = []

    def forward(self, x):
        s = self.encoder(x)
        w = torch.softmax(self.attn(s), dim=1)
        return self.head((w * s).sum(1))

    def training_step(self, batch, _):
        x, y = batch
        pred = self(x)
        loss = F.huber_loss(pred, y)
        jitter = self(x + 0.05 * torch.randn_like(x))
        self.consistency.append((jitter - pred).pow(2).mean())
        self.log("loss", loss, prog_bar=True)
        for h in range(HORIZON):
            self.log(f"mae_{h}", (pred[:, h] - y[:, h]).abs().mean(), on_step=True, on_epoch=True)
        return loss

    def on_before_optimizer_step(self, optimizer):
        for name, p in self.named_parameters():
            self.log(f"grad/{name}", p.grad.norm().item())

    def on_train_epoch_end(self):
        self.log("consistency", torch.stack(self.consistency).mean())

    def validation_step(self, batch, _):
        x, y = batch
        self.encoder.drop.train()
        draws = torch.stack([self(x) for _ in range(self.hparams.mc_samples)])
        lo, hi = draws.quantile(0.1, 0), draws.quantile(0.9, 0)
        self.log("val_cover", ((lo <= y) & (y <= hi)).float().mean())
        self.log("val_mae", (draws.mean(0) - y).abs().mean(), prog_bar=True)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=self.hparams.lr)
