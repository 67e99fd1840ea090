# requires: torch==2.1.*
"""Exports each checkpoint of a run for the phone and compares its speed with the eager model.

    python ok_export_variants.py runs/2023-11/*.pt --bench
"""
import argparse
import pathlib
import statistics
import time

import torch
from torch import nn
from torch.func import functional_call, grad, vmap
from torch.utils.mobile_optimizer import optimize_for_mobile


class DepthwiseNet(nn.Module):
    def __init__(self, classes=35, width=64):
        super().__init__()
        layers = [nn.Conv2d(1, width, (10, 4), (2, 2)), nn.BatchNorm2d(width), nn.ReLU()]
        for _ in range(4):
            layers += [
                nn.Conv2d(width, width, 3, padding=1, groups=width), nn.BatchNorm2d(width), nn.ReLU(),
                nn.Conv2d(width, width, 1), nn.BatchNorm2d(width), nn.ReLU(),
            ]
        self.body = nn.Sequential(*layers)
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        return self.head(self.body(x).mean((2, 3)))


class Runner:
    """Keeps the compiled model; it is compiled at the first call."""

    def __init__(self, model, mode=None):
        self.model = model
        self.mode = mode
        self._compiled = None

    @property
    def compiled(self):
        if self._compiled is None:
            self._compiled = torch.compile(self.model, mode=self.mode)
        return self._compiled

    def __call__(self, x):
        with torch.inference_mode():
            return self.compiled(x)


def load(path):
    model = DepthwiseNet()
    model.load_state_dict(torch.load(path, map_location='cpu')['model'])
    return model.eval()


def export(model, path):
    example = torch.zeros(1, 1, 98, 40)
    scripted = torch.jit.freeze(torch.jit.trace(model, example))
    optimize_for_mobile(scripted)._save_for_lite_interpreter(str(path.with_suffix('.ptl')))


def sensitivity(model, x, y):
    """Norm of the gradient for each example."""
    params = {k: v.detach() for k, v in model.named_parameters()}
    buffers = dict(model.named_buffers())

    def loss(params, xi, yi):
        out = functional_call(model, (params, buffers), (xi[None],))
        return nn.functional.cross_entropy(out, yi[None])

    grads = vmap(grad(loss), in_axes=(None, 0, 0))(params, x, y)
    return sum(g.flatten(1).square().sum(1) for g in grads.values()).sqrt()


def bench(fn, x, repeats=50):
    fn(x)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        fn(x)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e3


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('checkpoints', nargs='+', type=pathlib.Path)
    parser.add_argument('--bench', action='store_true')
    parser.add_argument('--samples', type=pathlib.Path)
    args = parser.parse_args()
    x = torch.randn(32, 1, 98, 40)
    for path in args.checkpoints:
        model = load(path)
        export(model, path)
        print(path.name, 'exported')
        if args.samples:
            data = torch.load(args.samples)
            scores = [sensitivity(model, b, t) for b, t in zip(data['x'].split(64), data['y'].split(64))]
            print('  hardest', torch.cat(scores).topk(5).indices.tolist())
        if args.bench:
            for mode in ('default', 'reduce-overhead', 'max-autotune'):
                print('  %s %.2f ms' % (mode, bench(Runner(model, mode), x)))
            print('  eager %.2f ms' % bench(model, x))


if __name__ == '__main__':
    main()
