# requires: torch==2.2.*
"""Cross-validated evaluation of the tumour segmenter with test-time augmentation."""
import argparse
import json
from pathlib import Path

import numpy as np
import torch
import torch._dynamo
import yaml
from monai.data import CacheDataset, DataLoader
from monai.inferers import sliding_window_inference
from monai.networks.nets import DynUNet

from transforms import build_transforms

FLIPS = [(), (2,), (3,), (4,), (2, 3), (2, 4), (3, 4), (2, 3, 4)]


def build(cfg):
    return DynUNet(spatial_dims=3, in_channels=4, out_channels=3, kernel_size=cfg["kernels"],
                   strides=cfg["strides"], upsample_kernel_size=cfg["strides"][1:])


def augmented(model, flip):
    def forward(x):
        out = model(torch.flip(x, flip) if flip else x)
        return torch.flip(out, flip) if flip else out
    return forward


def predict(model, volume, roi):
    total = 0
    for flip in FLIPS:
        net = torch.compile(augmented(model, flip))
        total = total + sliding_window_inference(volume, roi, 4, net, overlap=0.5).sigmoid()
    return total / len(FLIPS)


def dice(pred, label):
    inter = (pred * label).sum(dim=(2, 3, 4))
    return (2 * inter + 1e-6) / (pred.sum(dim=(2, 3, 4)) + label.sum(dim=(2, 3, 4)) + 1e-6)


def evaluate(model, loader, roi):
    scores = []
    model.eval()
    with torch.inference_mode(), torch.autocast("cuda"):
        for case in loader:
            volume, label = case["image"].cuda(non_blocking=True), case["label"].cuda(non_blocking=True)
            pred = predict(model, volume, roi) > 0.5
            scores.append(dice(pred.float(), label))
    return torch.cat(scores).mean(0).cpu().numpy()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("config", type=Path)
    ap.add_argument("--folds", type=int, nargs="+", default=[0, 1, 2, 3, 4])
    args = ap.parse_args()
    cfg = yaml.safe_load(args.config.read_text())
    splits = json.loads(Path(cfg["splits"]).read_text())
    table = []
    for fold in args.folds:
        model = build(cfg).cuda()
        model.load_state_dict(torch.load(Path(cfg["runs"]) / f"fold{fold}.pt", map_location="cuda"))
        data = CacheDataset(splits[fold]["val"], build_transforms(cfg), num_workers=8)
        loader = DataLoader(data, batch_size=1, num_workers=4, pin_memory=True)
        table.append(evaluate(model, loader, cfg["roi"]))
        print(fold, np.round(table[-1], 4))
    print("mean", np.mean(table, axis=0).round(4))


if __name__ == "__main__":
    main()
