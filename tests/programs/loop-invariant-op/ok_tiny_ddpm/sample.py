import argparse

import torch
from torchvision.utils import save_image

from schedule import Schedule
from unet import UNet


@torch.no_grad()
def sample(model, schedule, n, size, device):
    model.eval()
    x = torch.randn(n, 3, size, size, device=device)
    for i in reversed(range(schedule.steps)):
        t = torch.full((n,), i, device=device, dtype=torch.long)
        eps = model(x, t)
        betas = schedule.betas(device)
        alphas_bar = schedule.alphas_bar(device)
        beta, a_bar = betas[i], alphas_bar[i]
        mean = (x - beta / (1 - a_bar).sqrt() * eps) / (1 - beta).sqrt()
        noise = torch.randn_like(x) if i > 0 else 0.0
        x = mean + beta.sqrt() * noise
    return (x.clamp(-1, 1) + 1) / 2


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("checkpoint")
    p.add_argument("-n", type=int, default=16)
    p.add_argument("--size", type=int, default=32)
    args = p.parse_args()
    device = torch.device("cuda")
    net = UNet().to(device)
    net.load_state_dict(torch.load(args.checkpoint, map_location=device))
    save_image(sample(net, Schedule(), args.n, args.size, device), "samples.png", nrow=4)
