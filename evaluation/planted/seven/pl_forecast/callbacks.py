import os

import lightning.pytorch as pl
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import torch


class PlotForecast(pl.Callback):
    def __init__(self, out, every=10):
        self.out, self.every, self.curve = out, every, []

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        self.curve.append(float(outputs["loss"]))
        if trainer.global_step % self.every:
            return
        x, y = batch
        with torch.no_grad():
            pred = module(x[:4])
        fig, axes = plt.subplots(2, 2, figsize=(9, 6))
        for ax, p, t in zip(axes.flat, pred, y):
            ax.plot(t.numpy(), label="actual")
            ax.plot(p.numpy(), label="forecast")
            ax.legend()
        fig.savefig(os.path.join(self.out, f"step{trainer.global_step}.png"), dpi=90)


class WeightArchive(pl.Callback):
    """Weight trajectories for the loss-landscape notebook."""

    def __init__(self):
        self.snapshots = []

    def on_train_batch_end(self, trainer, module, outputs, batch, batch_idx):
        self.snapshots.append({
            "model": {k: v.clone() for k, v in module.state_dict().items()},
            "batch": [b.clone() for b in batch]})
