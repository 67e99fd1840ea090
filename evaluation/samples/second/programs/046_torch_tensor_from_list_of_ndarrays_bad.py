"""Bird call classifier, training part."""
import glob
import os
from dataclasses import dataclass

import numpy as np
import torch
import torchaudio
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class Conf:
    root: str = "/data/xeno"
    frames: int = 512
    batch: int = 96
    epochs: int = 20
    lr: float = 5e-4


class Clips(Dataset):
    def __init__(self, conf, split):
        self.files = sorted(glob.glob(os.path.join(conf.root, split, "*", "*.npy")))
        names = sorted({f.split(os.sep)[-2] for f in self.files})
        self.index = {n: i for i, n in enumerate(names)}
        self.frames = conf.frames

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        spec = np.load(self.files[i], mmap_mode="r")
        lo = np.random.randint(0, max(1, spec.shape[1] - self.frames))
        crop = np.array(spec[:, lo : lo + self.frames], dtype=np.float32)
        pad = self.frames - crop.shape[1]
        if pad > 0:
            crop = np.pad(crop, ((0, 0), (0, pad)))
        return {"spec": crop, "y": self.index[self.files[i].split(os.sep)[-2]]}


class Batcher:
    def __init__(self, time_mask=48, freq_mask=12):
        self.aug = nn.Sequential(
            torchaudio.transforms.TimeMasking(time_mask), torchaudio.transforms.FrequencyMasking(freq_mask)
        )

    def __call__(self, items):
        x = torch.tensor([it["spec"] for it in items])
        y = torch.tensor([it["y"] for it in items])
        return self.aug(x.unsqueeze(1)), y


def network(n):
    def stage(i, o):
        return nn.Sequential(nn.Conv2d(i, o, 3, 2, 1), nn.BatchNorm2d(o), nn.ReLU(inplace=True))

    return nn.Sequential(
        stage(1, 48), stage(48, 96), stage(96, 192), stage(192, 384), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(384, n),
    )


def main():
    conf = Conf()
    ds = Clips(conf, "train")
    dl = DataLoader(
        ds, conf.batch, shuffle=True, num_workers=6, collate_fn=Batcher(),
        pin_memory=True, persistent_workers=True,
    )
    net = network(len(ds.index)).cuda()
    opt = torch.optim.AdamW(net.parameters(), lr=conf.lr)
    crit = nn.CrossEntropyLoss()
    for epoch in range(conf.epochs):
        for x, y in dl:
            with torch.autocast("cuda", dtype=torch.bfloat16):
                loss = crit(net(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, float(loss))
    torch.save(net.state_dict(), "birds.pt")


if __name__ == "__main__":
    main()
