# requires: torch==2.0 torchaudio==2.0 timm==0.9
import math
import random
from types import SimpleNamespace

import numpy as np
import pandas as pd
import soundfile as sf
import timm
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchaudio.functional as AF
from torch.utils.data import DataLoader, Dataset

CFG = SimpleNamespace(sr=32000, secs=5, n_fft=16384, hop=1024, n_mels=128, n_bins=108, bpo=12, fmin=27.5, fmax=16000,
                      bs=48, epochs=25, lr=1e-3, n_cls=264, dev="cuda", front="cqt")


def cqt_bank():
    q = 1.0 / (2 ** (1.0 / CFG.bpo) - 1)
    rows = []
    for k in range(CFG.n_bins):
        f = CFG.fmin * 2 ** (k / CFG.bpo)
        n = min(CFG.n_fft, int(math.ceil(q * CFG.sr / f)))
        t = np.arange(n) - n / 2
        atom = np.hanning(n) / n * np.exp(2j * np.pi * f / CFG.sr * t)
        buf = np.zeros(CFG.n_fft, np.complex64)
        lo = (CFG.n_fft - n) // 2
        buf[lo:lo + n] = atom
        rows.append(np.fft.fft(buf)[:CFG.n_fft // 2 + 1])
    return torch.from_numpy(np.stack(rows).astype(np.complex64))


def mel_bank():
    return AF.melscale_fbanks(CFG.n_fft // 2 + 1, CFG.fmin, CFG.fmax, CFG.n_mels, CFG.sr).T.to(torch.complex64)


BANKS = {"cqt": cqt_bank, "mel": mel_bank}


def spectrogram(wave, kind):
    win = torch.hann_window(CFG.n_fft)
    frames = torch.fft.rfft(wave.unfold(0, CFG.n_fft, CFG.hop) * win)
    return (BANKS[kind]() @ frames.T).abs().pow(2)


class Clips(Dataset):
    def __init__(self, df, train):
        self.paths = df["path"].tolist()
        self.y = df["label_id"].to_numpy()
        self.train = train

    def __len__(self):
        return len(self.paths)

    def crop(self, n_frames):
        need = CFG.sr * CFG.secs
        lo = random.randint(0, max(0, n_frames - need)) if self.train else 0
        return lo, need

    def __getitem__(self, i):
        info = sf.info(self.paths[i])
        lo, need = self.crop(info.frames)
        x, _ = sf.read(self.paths[i], start=lo, frames=need, dtype="float32")
        x = np.pad(x, (0, need - len(x)))
        s = AF.amplitude_to_DB(spectrogram(torch.from_numpy(x), CFG.front)[None], 10.0, 1e-10, 0.0, 80.0)
        s = (s - s.mean()) / (s.std() + 1e-5)
        return s.repeat(3, 1, 1), int(self.y[i])


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = timm.create_model("tf_efficientnet_b0_ns", pretrained=True, num_classes=0)
        self.fc = nn.Linear(self.enc.num_features, CFG.n_cls)

    def forward(self, x):
        return self.fc(self.enc(x))


def cosine(step, total, warm=500):
    if step < warm:
        return step / warm
    return 0.5 * (1 + math.cos(math.pi * (step - warm) / (total - warm)))


def run(df):
    fold = np.random.RandomState(0).rand(len(df)) < 0.1
    tr = DataLoader(Clips(df[~fold], True), CFG.bs, shuffle=True, num_workers=2, drop_last=True)
    va = DataLoader(Clips(df[fold], False), CFG.bs, num_workers=2)
    net = Net().to(CFG.dev)
    opt = torch.optim.AdamW(net.parameters(), CFG.lr)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: cosine(s, CFG.epochs * len(tr)))
    for ep in range(CFG.epochs):
        net.train()
        for x, y in tr:
            loss = F.cross_entropy(net(x.to(CFG.dev)), y.to(CFG.dev), label_smoothing=0.05)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
            sched.step()
        net.eval()
        with torch.no_grad():
            ok = sum((net(x.to(CFG.dev)).argmax(1).cpu() == y).sum().item() for x, y in va)
        print(ep, ok / max(1, len(va.dataset)))
        torch.save(net.state_dict(), f"ep{ep}.pt")


if __name__ == "__main__":
    run(pd.read_csv("train_meta.csv"))
