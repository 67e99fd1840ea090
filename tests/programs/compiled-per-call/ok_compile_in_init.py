# requires: torch==2.3.*
"""Speech denoiser; compiled once per process, also in the workers."""
import argparse
import multiprocessing as mp
from pathlib import Path

import torch
import torch.nn as nn
import torchaudio


class Denoiser(nn.Module):
    def __init__(self, bins=257, hidden=400):
        super().__init__()
        self.rnn = nn.GRU(bins, hidden, 2, batch_first=True)
        self.mask = nn.Linear(hidden, bins)

    def forward(self, mag):
        h, _ = self.rnn(mag)
        return torch.sigmoid(self.mask(h)) * mag


class Pipeline:
    def __init__(self, weights, device):
        self.device = device
        net = Denoiser().to(device).eval()
        net.load_state_dict(torch.load(weights, map_location=device, weights_only=True))
        self.net = torch.compile(net, dynamic=True)
        self.window = torch.hann_window(512, device=device)

    @torch.inference_mode()
    def __call__(self, wave):
        spec = torch.stft(wave.to(self.device), 512, 128, window=self.window, return_complex=True)
        mag, phase = spec.abs(), spec.angle()
        clean = self.net(mag.transpose(1, 2)).transpose(1, 2)
        out = torch.istft(torch.polar(clean, phase), 512, 128, window=self.window, length=wave.shape[-1])
        return out.cpu()


_pipeline = None


def start(weights):
    global _pipeline
    torch.set_num_threads(1)
    _pipeline = Pipeline(weights, "cpu")


def work(job):
    source, target = job
    wave, rate = torchaudio.load(source)
    torchaudio.save(target, _pipeline(wave), rate)
    return source


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--weights", default="denoiser.pt")
    parser.add_argument("--workers", type=int, default=0)
    args = parser.parse_args()
    args.out.mkdir(exist_ok=True)
    jobs = [(str(p), str(args.out / p.name)) for p in sorted(args.folder.glob("*.wav"))]
    if args.workers:
        with mp.get_context("spawn").Pool(args.workers, initializer=start, initargs=(args.weights,)) as pool:
            for name in pool.imap_unordered(work, jobs):
                print(name)
    else:
        pipeline = Pipeline(args.weights, "cuda")
        for source, target in jobs:
            wave, rate = torchaudio.load(source)
            torchaudio.save(target, pipeline(wave), rate)
            print(source)


if __name__ == "__main__":
    main()
