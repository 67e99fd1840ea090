"""ogbn-arxiv: 169k papers, 2.3M edges, full batch, 500 epochs."""
import torch
import torch.nn.functional as F

from .nets import PPNP


def accuracy(logits, y):
    return (logits.argmax(-1) == y).float().mean().item()


def fit(data, epochs=500, lr=0.01, device="cuda"):
    x, y, edges = (data[k].to(device) for k in ("x", "y", "edge_index"))
    train, valid = data["train_mask"].to(device), data["valid_mask"].to(device)
    y_train, y_valid = y[train], y[valid]
    net = PPNP(x.size(1), 256, int(y.max()) + 1).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=lr, weight_decay=5e-4)
    best = 0.0
    for epoch in range(epochs):
        net.train()
        opt.zero_grad()
        logits = net(x, edges)
        F.cross_entropy(logits[train], y_train).backward()
        opt.step()
        if epoch % 25 == 0:
            net.eval()
            with torch.no_grad():
                best = max(best, accuracy(net(x, edges)[valid], y_valid))
    return net, best


if __name__ == "__main__":
    print(fit(torch.load("arxiv.pt"))[1])
