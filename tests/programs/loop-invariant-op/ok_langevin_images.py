"""Energy-based model with short-run Langevin sampling: everything in the loops depends on the turn."""
import torch
from torch import nn
from torchvision import datasets, transforms


class Energy(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(1, width, 3, 2, 1), nn.SiLU(), nn.Conv2d(width, 2 * width, 3, 2, 1), nn.SiLU(),
            nn.Flatten(), nn.Linear(2 * width * 49, 1))

    def forward(self, x):
        return self.net(x).squeeze(1)


def langevin(model, x, steps=60, step=10.0, noise=0.005):
    was = [p.requires_grad for p in model.parameters()]
    for p in model.parameters():
        p.requires_grad_(False)
    x = x.clone().detach()
    for _ in range(steps):
        x = x + noise * torch.randn_like(x)
        x.requires_grad_(True)
        grad = torch.autograd.grad(model(x).sum(), x)[0]
        x = (x - step * grad.clamp(-0.03, 0.03)).clamp(0, 1).detach()
    for p, flag in zip(model.parameters(), was):
        p.requires_grad_(flag)
    return x


def main(epochs=20, device="cuda"):
    data = datasets.MNIST("data", transform=transforms.ToTensor(), download=True)
    loader = torch.utils.data.DataLoader(data, 128, shuffle=True, num_workers=4, drop_last=True)
    model = Energy().to(device)
    opt = torch.optim.Adam(model.parameters(), 1e-4)
    buffer = torch.rand(8192, 1, 28, 28)
    for epoch in range(epochs):
        for x, _ in loader:
            x = x.to(device)
            pick = torch.randint(len(buffer), (128,))
            start = buffer[pick].to(device)
            fake = langevin(model, start)
            buffer[pick] = fake.cpu()
            pos, neg = model(x), model(fake)
            loss = pos.mean() - neg.mean() + 0.1 * (pos ** 2 + neg ** 2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
