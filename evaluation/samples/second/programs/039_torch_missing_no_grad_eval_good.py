import argparse
import json
from collections import defaultdict
from pathlib import Path

import torch
import torchvision
from torch.utils.data import DataLoader
from torchvision import transforms as T


class Corruption:
    """Gaussian noise / blur / contrast at five severities."""

    def __init__(self, kind, severity):
        self.kind, self.severity = kind, severity

    def __call__(self, x):
        s = self.severity
        if self.kind == "noise":
            return (x + 0.04 * s * torch.randn_like(x)).clamp(0, 1)
        if self.kind == "blur":
            return T.functional.gaussian_blur(x, 2 * s + 1)
        return ((x - 0.5) * (1 - 0.15 * s) + 0.5).clamp(0, 1)


class Robustness:
    def __init__(self, net, root, batch, workers, device="cuda"):
        self.net = net.to(device).eval()
        self.root, self.batch, self.workers, self.device = root, batch, workers, device
        self.norm = T.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))

    def _loader(self, kind, severity):
        tf = T.Compose([T.Resize(256), T.CenterCrop(224), T.ToTensor(), Corruption(kind, severity), self.norm])
        ds = torchvision.datasets.ImageFolder(self.root, tf)
        return DataLoader(ds, self.batch, num_workers=self.workers, pin_memory=True)

    def _logits(self, x):
        with torch.autocast("cuda", dtype=torch.float16):
            return self.net(x.to(self.device, non_blocking=True))

    @torch.inference_mode()
    def run(self, kind, severity):
        hit = torch.zeros(2, dtype=torch.long, device=self.device)
        total = 0
        for x, y in self._loader(kind, severity):
            y = y.to(self.device, non_blocking=True)
            top = self._logits(x).topk(5, dim=-1).indices
            match = top == y[:, None]
            hit += torch.stack([match[:, 0].sum(), match.any(-1).sum()])
            total += y.numel()
        return [round(h / total, 4) for h in hit.tolist()]


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("checkpoint")
    ap.add_argument("--arch", default="convnext_base")
    ap.add_argument("--root", default="/data/imagenet/val")
    ap.add_argument("--batch", type=int, default=256)
    ap.add_argument("--workers", type=int, default=12)
    args = ap.parse_args()

    net = torchvision.models.get_model(args.arch)
    net.load_state_dict(torch.load(args.checkpoint, map_location="cpu", weights_only=True))
    bench = Robustness(net, args.root, args.batch, args.workers)
    table = defaultdict(dict)
    for kind in ("noise", "blur", "contrast"):
        for severity in range(1, 6):
            table[kind][severity] = bench.run(kind, severity)
            print(kind, severity, table[kind][severity])
    Path("robustness.json").write_text(json.dumps(table, indent=2))


if __name__ == "__main__":
    main()
