import argparse
import time

import torch
from torch.utils.data import DataLoader, TensorDataset

from export import Deployed, scripted, small_net


def validate(model, loader):
    deployed = Deployed(model)
    right = 0
    with torch.no_grad():
        for x, y in loader:
            right += (deployed.slow(x).argmax(1) == y).sum().item()
    return right


def validate_fast(model, loader):
    deployed = Deployed(model)
    with torch.no_grad():
        return sum((deployed.fast(x).argmax(1) == y).sum().item() for x, y in loader)


def adversarial(model, loader, eps):
    compiled = torch.compile(model)
    for x, y in loader:
        x = x.clone().requires_grad_()
        nn_loss = torch.nn.functional.cross_entropy(compiled(x), y)
        (slope,) = torch.autograd.grad(nn_loss, x)
        yield (x + eps * slope.sign()).detach()


def compare(paths, x):
    for path in paths:
        model = scripted(path)
        start = time.perf_counter()
        model(x)
        print(path, time.perf_counter() - start)


def ensemble(widths, x):
    nets = [torch.jit.script(small_net(width)) for width in widths]
    return [net(x[:, :width]) for net, width in zip(nets, widths)]


def train(model, loader, epochs):
    optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
    for _ in range(epochs):
        for x, y in loader:
            penalty = torch.jit.script(l1)
            loss = torch.nn.functional.cross_entropy(model(x), y) + penalty(model[0].weight)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()


def l1(weight: torch.Tensor) -> torch.Tensor:
    return 1e-4 * weight.abs().sum()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("models", nargs="*")
    args = parser.parse_args()
    x, y = torch.randn(10000, 32), torch.randint(0, 2, (10000,))
    loader = DataLoader(TensorDataset(x, y), batch_size=64, shuffle=True)
    model = small_net(32)
    train(model, loader, args.epochs)
    print(validate(model, loader), validate_fast(model, loader))
    print(sum(len(batch) for batch in adversarial(model, loader, 0.1)))
    compare(args.models, x)
    print(len(ensemble([8, 16, 32], x)))


if __name__ == "__main__":
    main()
