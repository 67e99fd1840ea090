import os
from dataclasses import dataclass

import torch
import torch.nn.functional as F
import torchvision.transforms.v2 as T
from torch.nn.parallel import DataParallel as Replicated
from torch.utils.data import DataLoader
from torchvision.datasets import ImageFolder
from torchvision.models import convnext_tiny


@dataclass
class Settings:
    root: str = "/data/defects/train"
    out: str = "runs/defects"
    classes: int = 14
    epochs: int = 30
    batch: int = 256
    lr: float = 4e-4
    workers: int = 8


def loader(cfg):
    tf = T.Compose([T.ToImage(), T.RandomResizedCrop(224), T.RandomHorizontalFlip(), T.ToDtype(torch.float32, scale=True)])
    ds = ImageFolder(cfg.root, transform=tf)
    return DataLoader(
        ds, cfg.batch, shuffle=True, num_workers=cfg.workers,
        pin_memory=True, persistent_workers=True, drop_last=True,
    )


def build(cfg, device):
    net = convnext_tiny(weights="DEFAULT")
    net.classifier[2] = torch.nn.Linear(net.classifier[2].in_features, cfg.classes)
    net = net.to(device, memory_format=torch.channels_last)
    if torch.cuda.device_count() > 1:
        net = Replicated(net)
    return net


def main(cfg=Settings()):
    device = torch.device("cuda")
    net, data = build(cfg, device), loader(cfg)
    opt = torch.optim.AdamW(net.parameters(), lr=cfg.lr, weight_decay=0.05)
    sched = torch.optim.lr_scheduler.OneCycleLR(opt, cfg.lr, total_steps=cfg.epochs * len(data))
    for epoch in range(cfg.epochs):
        total = torch.zeros((), device=device)
        for x, y in data:
            x = x.to(device, non_blocking=True, memory_format=torch.channels_last)
            y = y.to(device, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = F.cross_entropy(net(x), y, label_smoothing=0.1)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            sched.step()
            total += loss.detach()
        print(f"epoch {epoch} loss {total.item() / len(data):.4f}")
    os.makedirs(cfg.out, exist_ok=True)
    torch.save(getattr(net, "module", net).state_dict(), f"{cfg.out}/last.pt")


if __name__ == "__main__":
    main()
