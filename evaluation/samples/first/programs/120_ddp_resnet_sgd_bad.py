"""Distributed ResNet training, launched with torchrun."""
import argparse
import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler
from torchvision.datasets import ImageFolder
from torchvision.models import resnet50
from torchvision.transforms import v2


@dataclass
class Recipe:
    per_gpu_batch: int = 256
    lr: float = 0.1
    momentum: float = 0.9
    weight_decay: float = 5e-5
    epochs: int = 90
    workers: int = 10


def make_loader(root, recipe):
    tf = v2.Compose([v2.RGB(), v2.RandomResizedCrop(224), v2.RandomHorizontalFlip(),
                     v2.ToImage(), v2.ToDtype(torch.float32, scale=True),
                     v2.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])])
    data = ImageFolder(root, tf)
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    loader = DataLoader(data, recipe.per_gpu_batch, sampler=sampler, pin_memory=True,
                        num_workers=recipe.workers, persistent_workers=True, drop_last=True)
    return loader, sampler


def param_groups(model, decay):
    heavy = [p for p in model.parameters() if p.ndim > 1]
    light = [p for p in model.parameters() if p.ndim <= 1]
    return [{"params": heavy, "weight_decay": decay}, {"params": light, "weight_decay": 0.0}]


def make_optimizer(model, recipe, steps_per_epoch):
    world = dist.get_world_size()
    if dist.get_rank() == 0:
        print(f"global batch {recipe.per_gpu_batch * world}, {steps_per_epoch} steps")
    return torch.optim.SGD(param_groups(model, recipe.weight_decay), lr=recipe.lr,
                           momentum=recipe.momentum, nesterov=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("root")
    p.add_argument("--out", default="resnet50.pt")
    args = p.parse_args()
    recipe = Recipe()
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.set_float32_matmul_precision("high")
    torch.backends.cudnn.benchmark = True
    loader, sampler = make_loader(args.root, recipe)
    model = resnet50(num_classes=len(loader.dataset.classes))
    model = model.to(local, memory_format=torch.channels_last)
    model = DistributedDataParallel(model, device_ids=[local], gradient_as_bucket_view=True)
    opt = make_optimizer(model, recipe, len(loader))
    loss_fn = nn.CrossEntropyLoss(label_smoothing=0.1)
    for epoch in range(recipe.epochs):
        sampler.set_epoch(epoch)
        for step, (x, y) in enumerate(loader):
            x = x.to(local, non_blocking=True, memory_format=torch.channels_last)
            y = y.to(local, non_blocking=True)
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = loss_fn(model(x), y)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            if step % 100 == 0 and dist.get_rank() == 0:
                print(epoch, step, loss.item())
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), args.out)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
