# requires: torch==1.12.*
"""Extracts I3D-like features of video clips for action detection (THUMOS layout)."""
import argparse
import os

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __init__(self, folder, length):
        self.paths = [os.path.join(folder, n) for n in sorted(os.listdir(folder)) if n.endswith('.npy')]
        self.length = length

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        frames = torch.from_numpy(np.load(self.paths[index], mmap_mode='r')[: self.length * 16].copy())
        return self.paths[index], frames.permute(3, 0, 1, 2).float().div(255)


class Unit(nn.Module):
    def __init__(self, cin, cout, kernel, stride=1):
        super().__init__()
        self.conv = nn.Conv3d(cin, cout, kernel, stride, padding=[k // 2 for k in kernel], bias=False)
        self.bn = nn.BatchNorm3d(cout)

    def forward(self, x):
        return torch.relu(self.bn(self.conv(x)))


class Backbone(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.stem = Unit(3, width, (7, 7, 7), 2)
        self.body = nn.Sequential(*[Unit(width * 2**i, width * 2**(i + 1), (3, 3, 3), 2) for i in range(3)])

    def forward(self, x):
        return self.body(self.stem(x)).mean((3, 4))


class Extractor:
    def __init__(self, model, device, half=False):
        self.model = model.to(device).eval()
        self.device = device
        self.half = half

    def prepare(self, example):
        traced = torch.jit.trace(self.model, example)  # finding: compiled-per-call
        return torch.jit.freeze(traced)

    @torch.no_grad()
    def __call__(self, clip):
        clip = clip.to(self.device, non_blocking=True)
        if self.half:
            clip = clip.half()
        net = self.prepare(clip)
        return net(clip).float().cpu().numpy()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('clips')
    parser.add_argument('out')
    parser.add_argument('--weights', required=True)
    parser.add_argument('--length', type=int, default=8)
    parser.add_argument('--device', default='cuda')
    args = parser.parse_args()
    model = Backbone()
    model.load_state_dict(torch.load(args.weights, map_location='cpu'))
    extract = Extractor(model, args.device)
    os.makedirs(args.out, exist_ok=True)
    loader = DataLoader(Clips(args.clips, args.length), batch_size=1, num_workers=4, pin_memory=True)
    for (path,), clip in loader:
        features = extract(clip)
        np.save(os.path.join(args.out, os.path.basename(path)), features[0].T)


if __name__ == '__main__':
    main()
