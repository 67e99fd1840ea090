import argparse

import torch
import torch.nn.functional as F

from .nets import DropEdgePPNP, PrecomputedPPNP
from .propagate import gcn_norm


def loop(net, opt, x, y, edges, mask, steps):
    history = []
    wanted = y[mask]
    step = 0
    while step < steps:
        opt.zero_grad()
        loss = F.cross_entropy(net(x, edges)[mask], wanted)
        loss.backward()
        opt.step()
        history.append(loss.detach())
        step += 1
    return torch.stack(history).mean().item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--file", default="arxiv.pt")
    ap.add_argument("--cached", action="store_true")
    ap.add_argument("--steps", type=int, default=800)
    a = ap.parse_args()
    data = torch.load(a.file)
    x, y, edges = data["x"], data["y"], data["edge_index"]
    dims = (x.size(1), 256, int(y.max()) + 1)
    if a.cached:
        net = PrecomputedPPNP(*dims, adj=gcn_norm(edges, x.size(0)))
    else:
        net = DropEdgePPNP(*dims)
    opt = torch.optim.AdamW(net.parameters(), lr=5e-3)
    print(loop(net, opt, x, y, edges, data["train_mask"], a.steps))


if __name__ == "__main__":
    main()
