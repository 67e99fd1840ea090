import sys
import time

import torch
import torch.nn.functional as F

from graphs import Citation
from nets import NETS


def epoch(net, g, opt):
    net.train()
    opt.zero_grad()
    loss = F.cross_entropy(net(g)[g.train], g.y[g.train])
    loss.backward()
    opt.step()
    return loss.item()


@torch.no_grad()
def accuracy(net, g):
    net.eval()
    return (net(g)[g.test].argmax(1) == g.y[g.test]).float().mean().item()


if __name__ == "__main__":
    dev = "cuda" if torch.cuda.is_available() else "cpu"
    g = Citation.read(sys.argv[1], dev)
    for name, make in NETS.items():
        net = make(g.x.shape[1], int(g.y.max()) + 1).to(dev)
        opt = torch.optim.Adam(net.parameters(), 1e-2, weight_decay=5e-4)
        t = time.time()
        losses = [epoch(net, g, opt) for _ in range(200)]
        print(name, losses[-1], accuracy(net, g), time.time() - t)
