"""Compares eager, scripted and compiled attention variants; each is compiled once and timed often."""
import argparse
import statistics

import torch
import torch.nn.functional as F
from torch import nn


class Plain(nn.Module):
    def forward(self, q, k, v):
        return (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).softmax(-1) @ v


class Fused(nn.Module):
    def forward(self, q, k, v):
        return F.scaled_dot_product_attention(q, k, v)


VARIANTS = {
    "plain": lambda: Plain(),
    "plain+script": lambda: torch.jit.script(Plain()),
    "plain+compile": lambda: torch.compile(Plain()),
    "fused": lambda: Fused(),
    "fused+compile": lambda: torch.compile(Fused(), mode="max-autotune"),
}


def timed(fn, args, repeats):
    for _ in range(10):
        fn(*args)
    torch.cuda.synchronize()
    times = []
    for _ in range(repeats):
        a, b = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        a.record()
        fn(*args)
        b.record()
        b.synchronize()
        times.append(a.elapsed_time(b))
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lengths", type=int, nargs="+", default=[512, 1024, 2048, 4096])
    parser.add_argument("--repeats", type=int, default=100)
    args = parser.parse_args()
    for name, make in VARIANTS.items():
        module = make().cuda().half()
        for length in args.lengths:
            qkv = [torch.randn(4, 16, length, 64, device="cuda", dtype=torch.half) for _ in range(3)]
            with torch.no_grad():
                print(f"{name:16s} {length:6d} {timed(module, qkv, args.repeats):8.3f} ms")


if __name__ == "__main__":
    main()
