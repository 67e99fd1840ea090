import copy
import json
import os

import torch

from data import make_loader
from metrics import ConfusionMeter, seg_loss


class Ema:
    def __init__(self, model, decay=0.98):
        self.decay = decay
        self.shadow = copy.deepcopy(model).eval()

    @torch.no_grad()
    def update(self, model):
        fresh = copy.deepcopy(model).state_dict()
        blended = {}
        for key, old in self.shadow.state_dict().items():
            new = fresh[key]
            blended[key] = self.decay * old + (1 - self.decay) * new if old.is_floating_point() else new
        self.shadow.load_state_dict(blended)


class Engine:
    def __init__(self, model, train_set, val_set, outdir, batch_size=8):
        self.model = model
        self.train_set = train_set
        self.val_set = val_set
        self.outdir = outdir
        self.batch_size = batch_size
        self.opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
        self.ema = Ema(model)
        self.step = 0
        self.records = []

    def log_step(self, loss):
        row = {"step": self.step, "loss": loss.item()}
        for name, p in self.model.named_parameters():
            row[f"grad/{name}"] = p.grad.norm().item()
            row[f"hist/{name}"] = torch.histc(p.grad, 24).tolist()
            row[f"std/{name}"] = p.detach().std(unbiased=False).item()
        self.records.append(row)
        with open(os.path.join(self.outdir, "log.json"), "w") as fh:
            json.dump(self.records, fh, indent=1)

    def save(self, tag):
        state = {"model": self.model.state_dict(), "ema": self.ema.shadow.state_dict(), "opt": self.opt.state_dict()}
        torch.save(state, os.path.join(self.outdir, f"{tag}.pt"))

    def train_epoch(self):
        self.model.train()
        total = torch.zeros(())
        loader = make_loader(self.train_set, self.batch_size, True)
        for image, mask, weight in loader:
            loss = seg_loss(self.model(image), mask, weight)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            self.ema.update(self.model)
            self.step += 1
            total += loss.detach()
            self.log_step(loss)
            self.save("last")
        return float(total) / len(loader)

    def evaluate(self):
        meter = ConfusionMeter()
        net = self.ema.shadow.eval()
        outputs = []
        for image, mask, weight in make_loader(self.val_set, self.batch_size, False):
            logits = net(image)
            outputs.append((logits, mask, weight))
        loss = torch.stack([seg_loss(*out) for out in outputs]).mean()
        for logits, mask, _ in outputs:
            meter.update(logits.argmax(1), mask)
        return loss.item(), meter.iou()
