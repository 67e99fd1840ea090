"""Exports an ensemble for a C++ service: each member is traced once and checked."""
import argparse
from pathlib import Path

import torch
from torchvision import models


class Probabilities(torch.nn.Module):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net(x).softmax(-1)


def export(path, out, size):
    net = models.mobilenet_v3_large(num_classes=120)
    net.load_state_dict(torch.load(path, map_location="cpu"))
    net = Probabilities(net.eval())
    example = torch.rand(1, 3, size, size)
    with torch.no_grad():
        traced = torch.jit.freeze(torch.jit.trace(net, example))
        gap = (traced(example) - net(example)).abs().max()
    if gap > 1e-4:
        raise SystemExit(f"{path}: outputs differ by {gap:.2e}")
    traced.save(str(out / (path.stem + ".ts")))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, default=Path("export"))
    parser.add_argument("--size", type=int, default=224)
    args = parser.parse_args()
    args.out.mkdir(exist_ok=True)
    for path in args.weights:
        export(path, args.out, args.size)


if __name__ == "__main__":
    main()
