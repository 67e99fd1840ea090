"""Hyper-parameter search for a credit risk network."""
import argparse

import numpy as np
import optuna
import torch
from sklearn.metrics import roc_auc_score
from torch import nn

DEVICE = torch.device("cuda")
EPOCHS = 60


class Data:
    """Everything fits on the card, so batches are plain index selections."""

    def __init__(self, path):
        z = np.load(path)
        put = lambda k: torch.from_numpy(z[k].astype(np.float32)).to(DEVICE)
        self.x, self.y = put("x_train"), put("y_train")
        self.xv, self.yv = put("x_valid"), z["y_valid"]

    def batches(self, size):
        for idx in torch.randperm(len(self.x), device=DEVICE).split(size):
            yield self.x[idx], self.y[idx]


def make_net(trial, features):
    width = trial.suggest_categorical("width", [256, 512, 1024, 2048])
    depth = trial.suggest_int("depth", 2, 6)
    drop = trial.suggest_float("dropout", 0.0, 0.5)
    layers, n = [], features
    for _ in range(depth):
        layers += [nn.Linear(n, width), nn.BatchNorm1d(width), nn.SiLU(), nn.Dropout(drop)]
        n = width
    return nn.Sequential(*layers, nn.Linear(n, 1))


@torch.inference_mode()
def validate(net, data):
    net.eval()
    scores = torch.cat([net(part).squeeze(1) for part in data.xv.split(65536)])
    net.train()
    return roc_auc_score(data.yv, scores.float().cpu().numpy())


class Objective:
    def __init__(self, data):
        self.data = data

    def __call__(self, trial):
        net = make_net(trial, self.data.x.shape[1]).to(DEVICE)
        lr = trial.suggest_float("lr", 1e-5, 1e-2, log=True)
        decay = trial.suggest_float("decay", 1e-6, 1e-2, log=True)
        size = trial.suggest_categorical("batch", [1024, 4096, 16384])
        opt = torch.optim.AdamW(net.parameters(), lr=lr, weight_decay=decay, fused=True)
        best = 0.0
        for epoch in range(EPOCHS):
            for x, y in self.data.batches(size):
                with torch.autocast("cuda", dtype=torch.bfloat16):
                    out = net(x).squeeze(1)
                    loss = nn.functional.binary_cross_entropy_with_logits(out, y)
                opt.zero_grad()
                loss.backward()
                opt.step()
            best = max(best, validate(net, self.data))
        return best


def main():
    p = argparse.ArgumentParser()
    p.add_argument("data")
    p.add_argument("--trials", type=int, default=300)
    p.add_argument("--storage", default="sqlite:///risk.db")
    args = p.parse_args()
    torch.set_float32_matmul_precision("high")
    study = optuna.create_study(
        study_name="risk", storage=args.storage, direction="maximize", load_if_exists=True,
        sampler=optuna.samplers.TPESampler(multivariate=True, seed=0))
    study.optimize(Objective(Data(args.data)), n_trials=args.trials)
    print(study.best_value, study.best_params)


if __name__ == "__main__":
    main()
