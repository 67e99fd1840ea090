from pathlib import Path

import torch
from torch import nn

from metrics import RunningScore, summarise


class Trainer:
    def __init__(self, model, weights, cfg, out_dir: Path):
        self.model = model
        self.cfg = cfg
        self.out_dir = Path(out_dir)
        self.criterion = nn.CrossEntropyLoss(weight=weights)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
        self.score = RunningScore(len(cfg.species))
        self.step = 0
        self.history = []

    def save(self, name):
        torch.save(
            {
                "model": self.model.state_dict(),
                "optimizer": self.optimizer.state_dict(),
                "step": self.step,
                "history": self.history,
            },
            self.out_dir / name,
        )

    def train_epoch(self, loader):
        self.model.train()
        losses = []
        for x, y in loader:
            self.optimizer.zero_grad()
            logits = self.model(x)
            loss = self.criterion(logits, y)
            loss.backward()
            norms = {n: p.grad.norm().item() for n, p in self.model.named_parameters()}
            total = sum(v * v for v in norms.values()) ** 0.5
            if total > 1.0:
                for p in self.model.parameters():
                    p.grad.mul_(1.0 / total)
            self.optimizer.step()
            self.step += 1
            losses.append(loss.item())
            f1 = self.score.update(logits.argmax(dim=1), y)
            self.history.append({"step": self.step, "loss": loss.item(), "f1": f1})
            if self.step % self.cfg.checkpoint_every == 0:
                self.save("last.pt")
        return sum(losses) / len(losses)

    def evaluate(self, loader):
        self.model.eval()
        logits, truth, loss = [], [], 0.0
        for x, y in loader:
            out = self.model(x)
            loss += self.criterion(out, y) * len(y)
            logits.append(out)
            truth.append(y)
        truth = torch.cat(truth)
        report = summarise(torch.cat(logits).detach(), truth, len(self.cfg.species))
        report["loss"] = (loss / len(truth)).item()
        return report

    def fit(self, train_loader, val_loader):
        best = 0.0
        for epoch in range(self.cfg.epochs):
            train_loader.dataset.set_epoch(epoch)
            loss = self.train_epoch(train_loader)
            report = self.evaluate(val_loader)
            if report["macro_f1"] >= best:
                best = report["macro_f1"]
                self.save("best.pt")
            print(
                f"epoch {epoch} loss {loss:.4f} running f1 {self.score.value():.3f} "
                f"val loss {report['loss']:.4f} acc {report['accuracy']:.3f} f1 {report['macro_f1']:.3f}"
            )
        return best
