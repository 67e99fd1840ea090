"""Accent classifier with an on-GPU MFCC front end."""
import argparse

import librosa
import numpy as np
import scipy.fft
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __init__(self, prefix):
        self.wave = np.load(f"{prefix}_wave.npy", mmap_mode="r")
        self.accent = np.load(f"{prefix}_accent.npy")

    def __len__(self):
        return len(self.accent)

    def __getitem__(self, i):
        return torch.from_numpy(np.array(self.wave[i], np.float32)), int(self.accent[i])


class FrontEnd(nn.Module):
    def __init__(self, rate=16000, n_fft=512, n_mels=80, n_mfcc=40):
        super().__init__()
        self.n_fft = n_fft
        self.register_buffer("window", torch.hann_window(n_fft))
        mel = librosa.filters.mel(sr=rate, n_fft=n_fft, n_mels=n_mels)
        dct = scipy.fft.dct(np.eye(n_mels), norm="ortho")[:, :n_mfcc]
        self.register_buffer("mel", torch.from_numpy(mel.astype(np.float32)))
        self.register_buffer("dct", torch.from_numpy(dct.astype(np.float32)))

    def forward(self, wave):
        spec = torch.stft(wave, self.n_fft, 160, window=self.window, return_complex=True)
        power = spec.abs().square()
        logmel = torch.log(torch.einsum("mf,bft->btm", self.mel, power) + 1e-6)
        return logmel @ self.dct


class AccentNet(nn.Module):
    def __init__(self, classes, width=256):
        super().__init__()
        self.front = FrontEnd()
        self.norm = nn.LayerNorm(40)
        self.rnn = nn.LSTM(40, width, num_layers=2, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(2 * width, classes)

    def forward(self, wave):
        out, _ = self.rnn(self.norm(self.front(wave)))
        return self.fc(out.mean(1))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--data", default="clips/train")
    p.add_argument("--classes", type=int, default=16)
    p.add_argument("--epochs", type=int, default=25)
    args = p.parse_args()
    torch.set_float32_matmul_precision("high")
    device = torch.device("cuda")
    loader = DataLoader(Clips(args.data), batch_size=96, shuffle=True, num_workers=6,
                        pin_memory=True, persistent_workers=True, drop_last=True)
    net = AccentNet(args.classes).to(device)
    opt = torch.optim.AdamW(net.parameters(), lr=5e-4, fused=True)
    for epoch in range(args.epochs):
        total = torch.zeros((), device=device)
        for wave, accent in loader:
            wave = wave.to(device, non_blocking=True)
            accent = accent.to(device, non_blocking=True)
            loss = nn.functional.cross_entropy(net(wave), accent)
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.detach()
        print(epoch, total.item() / len(loader))
    torch.save(net.state_dict(), "accent.pt")


if __name__ == "__main__":
    main()
