"""Train a leaf disease classifier on all GPUs of a node."""
import argparse
import os

import torch
import torch.distributed as dist
import torchvision
from torch import nn
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from torchvision import datasets
from torchvision.transforms import v2

TRAIN_TF = v2.Compose(
    [
        v2.PILToTensor(),
        v2.RandomResizedCrop(224, antialias=True),
        v2.RandomHorizontalFlip(),
        v2.ToDtype(torch.float32, scale=True),
        v2.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]),
    ]
)


def build(num_classes, device):
    net = torchvision.models.resnet50(weights="IMAGENET1K_V2")
    net.fc = nn.Linear(net.fc.in_features, num_classes)
    net = net.to(device, memory_format=torch.channels_last)
    if dist.is_initialized():
        net = nn.parallel.DistributedDataParallel(net, device_ids=[device.index])
    return net


def train_epoch(net, loader, optimizer, device, log_every=50):
    net.train()
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    for step, (x, y) in enumerate(loader):
        x = x.to(device, non_blocking=True, memory_format=torch.channels_last)
        y = y.to(device, non_blocking=True)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            loss = criterion(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % log_every == 0:
            print(f"step {step} loss {loss.item():.4f}")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("root")
    p.add_argument("--epochs", type=int, default=30)
    p.add_argument("--batch-size", type=int, default=256)
    args = p.parse_args()

    dist.init_process_group("nccl")
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    ds = datasets.ImageFolder(os.path.join(args.root, "train"), TRAIN_TF)
    sampler = DistributedSampler(ds, shuffle=True, drop_last=True)
    loader = DataLoader(
        ds, args.batch_size // dist.get_world_size(), sampler=sampler, num_workers=8,
        pin_memory=True, persistent_workers=True, drop_last=True,
    )
    net = build(len(ds.classes), device)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        train_epoch(net, loader, optimizer, device)
        scheduler.step()
    if dist.get_rank() == 0:
        torch.save(net.module.state_dict(), "leaf_resnet50.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
