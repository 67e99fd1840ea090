import argparse
import copy
from pathlib import Path

import albumentations as A
import cv2
import segmentation_models_pytorch as smp
import torch
from albumentations.pytorch import ToTensorV2
from torch.utils.data import DataLoader, Dataset

LOADER = {"num_workers": 12, "pin_memory": True, "persistent_workers": True}
EPOCHS = 400


class Nuclei(Dataset):
    """About 600 microscopy crops with masks."""

    def __init__(self, root, names, training):
        self.root, self.names = Path(root), names
        tail = [A.Normalize(), ToTensorV2()]
        spatial = [A.RandomCrop(256, 256), A.D4()] if training else [A.CenterCrop(256, 256)]
        self.tf = A.Compose(spatial + tail)

    def __len__(self):
        return len(self.names)

    def __getitem__(self, i):
        img = cv2.cvtColor(cv2.imread(str(self.root / "img" / self.names[i])), cv2.COLOR_BGR2RGB)
        mask = cv2.imread(str(self.root / "mask" / self.names[i]), cv2.IMREAD_GRAYSCALE)
        out = self.tf(image=img, mask=(mask > 0).astype("float32"))
        return out["image"], out["mask"][None]


class Fit:
    def __init__(self, net, lr):
        self.net = net.cuda()
        self.loss = smp.losses.DiceLoss("binary")
        self.opt = torch.optim.AdamW(net.parameters(), lr=lr)
        self.best, self.state = 0.0, None

    def train(self, data):
        self.net.train()
        for x, y in data:
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = self.loss(self.net(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()

    @torch.inference_mode()
    def score(self, data):
        self.net.eval()
        inter, union = torch.zeros((), device="cuda"), torch.zeros((), device="cuda")
        for x, y in data:
            p = self.net(x.cuda(non_blocking=True)) > 0
            y = y.cuda(non_blocking=True) > 0
            inter += (p & y).sum()
            union += (p | y).sum()
        return (inter / union).item()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("root")
    ap.add_argument("--batch", type=int, default=32)
    args = ap.parse_args()
    names = sorted(p.name for p in (Path(args.root) / "img").glob("*.png"))
    cut = int(0.85 * len(names))
    train = DataLoader(Nuclei(args.root, names[:cut], True), args.batch, shuffle=True, **LOADER)
    val = DataLoader(Nuclei(args.root, names[cut:], False), args.batch, **LOADER)
    fit = Fit(smp.Unet("resnet34", classes=1), 1e-3)
    for epoch in range(EPOCHS):
        fit.train(train)
        iou = fit.score(val)
        if iou > fit.best:
            fit.best, fit.state = iou, copy.deepcopy(fit.net.state_dict())
            print(epoch, f"{iou:.4f}")
    torch.save(fit.state, "nuclei.pt")


if __name__ == "__main__":
    main()
