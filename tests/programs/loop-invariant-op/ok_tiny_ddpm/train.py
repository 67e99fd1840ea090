import argparse

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from torchvision import datasets, transforms

from schedule import Schedule
from unet import UNet


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=50)
    p.add_argument("--batch-size", type=int, default=128)
    p.add_argument("--lr", type=float, default=2e-4)
    args = p.parse_args()

    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    tf = transforms.Compose([transforms.ToTensor(), transforms.Normalize((0.5,) * 3, (0.5,) * 3)])
    data = datasets.CIFAR10("data", train=True, download=True, transform=tf)
    loader = DataLoader(data, args.batch_size, shuffle=True, num_workers=4, drop_last=True)

    schedule = Schedule()
    alphas_bar = schedule.alphas_bar(device)
    net = UNet().to(device)
    opt = torch.optim.Adam(net.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        for x, _ in loader:
            x = x.to(device)
            t = torch.randint(0, schedule.steps, (len(x),), device=device)
            a_bar = alphas_bar[t][:, None, None, None]
            noise = torch.randn_like(x)
            noisy = a_bar.sqrt() * x + (1 - a_bar).sqrt() * noise
            loss = F.mse_loss(net(noisy, t), noise)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item())
        torch.save(net.state_dict(), "ddpm.pt")


if __name__ == "__main__":
    main()
