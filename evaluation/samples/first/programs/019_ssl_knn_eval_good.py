"""k-NN evaluation of a self-supervised backbone."""
import argparse
import os

import torch
import torch.nn.functional as F
import torchvision
from torch.utils.data import DataLoader
from torchvision import datasets, transforms as T

PREP = T.Compose(
    [T.Resize(256), T.CenterCrop(224), T.ToTensor(), T.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])]
)


def backbone(checkpoint, device):
    net = torchvision.models.resnet50()
    net.fc = torch.nn.Identity()
    state = torch.load(checkpoint, map_location="cpu", weights_only=True)
    state = {k.removeprefix("encoder."): v for k, v in state.items() if k.startswith("encoder.")}
    net.load_state_dict(state, strict=False)
    return net.to(device, memory_format=torch.channels_last).eval()


@torch.inference_mode()
def extract(net, loader, device):
    bank, target = [], []
    for x, y in loader:
        x = x.to(device, non_blocking=True, memory_format=torch.channels_last)
        with torch.autocast("cuda", dtype=torch.float16):
            f = net(x)
        bank.append(F.normalize(f.float(), dim=1))
        target.append(y.to(device, non_blocking=True))
    return torch.cat(bank), torch.cat(target)


@torch.inference_mode()
def knn(train, train_y, test, test_y, k, temperature, classes, chunk=1024):
    correct = torch.zeros((), device=test.device)
    for queries, labels in zip(test.split(chunk), test_y.split(chunk)):
        sim, idx = (queries @ train.t()).topk(k, dim=1)
        votes = torch.zeros(len(queries), classes, device=test.device)
        votes.scatter_add_(1, train_y[idx], (sim / temperature).exp())
        correct += (votes.argmax(1) == labels).sum()
    return correct.item() / len(test)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("root")
    p.add_argument("checkpoint")
    p.add_argument("-k", type=int, default=20)
    p.add_argument("--temperature", type=float, default=0.07)
    p.add_argument("--batch-size", type=int, default=256)
    args = p.parse_args()

    device = torch.device("cuda")
    net = backbone(args.checkpoint, device)
    parts = {}
    for split in ("train", "val"):
        ds = datasets.ImageFolder(os.path.join(args.root, split), PREP)
        loader = DataLoader(ds, args.batch_size, num_workers=12, pin_memory=True)
        parts[split] = extract(net, loader, device)
    acc = knn(*parts["train"], *parts["val"], args.k, args.temperature, len(ds.classes))
    print(f"{args.k}-NN top-1: {100 * acc:.2f}")


if __name__ == "__main__":
    main()
