# requires: torch==2.0.*
"""A small mel vocoder with a multi-resolution STFT loss (PyTorch Lightning)."""
import argparse

import pytorch_lightning as pl
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchaudio
from torch.utils.data import DataLoader, Dataset


def stft_mag(x, n_fft, hop, win):
    window = torch.hann_window(win, device=x.device)
    spec = torch.stft(x, n_fft, hop, win, window=window, return_complex=True)
    return spec.abs().clamp(min=1e-7)


def mel_basis(n_fft, n_mels, sr):
    return torchaudio.functional.melscale_fbanks(
        n_fft // 2 + 1, f_min=0.0, f_max=sr / 2, n_mels=n_mels, sample_rate=sr
    )


class Clips(Dataset):
    def __init__(self, list_file, seconds, sr):
        self.paths = open(list_file).read().split()
        self.length = int(seconds * sr)

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        wav, _ = torchaudio.load(self.paths[i])
        wav = wav[0]
        if len(wav) < self.length:
            wav = F.pad(wav, (0, self.length - len(wav)))
        start = torch.randint(0, len(wav) - self.length + 1, (1,)).item()
        return wav[start : start + self.length]


class ResBlock(nn.Module):
    def __init__(self, ch, dilations=(1, 3, 9)):
        super().__init__()
        self.convs = nn.ModuleList(
            [nn.Conv1d(ch, ch, 3, dilation=d, padding=d) for d in dilations]
        )

    def forward(self, x):
        for conv in self.convs:
            x = x + conv(F.leaky_relu(x, 0.1))
        return x


class Vocoder(pl.LightningModule):
    def __init__(self, hp):
        super().__init__()
        self.save_hyperparameters(hp)
        self.hp = hp
        ch = 256
        self.pre = nn.Conv1d(hp.n_mels, ch, 7, padding=3)
        ups = []
        for rate in (8, 8, 4):
            ups += [
                nn.ConvTranspose1d(ch, ch // 2, rate * 2, rate, rate // 2),
                ResBlock(ch // 2),
            ]
            ch //= 2
        self.ups = nn.Sequential(*ups)
        self.post = nn.Conv1d(ch, 1, 7, padding=3)

    def forward(self, mel):
        return torch.tanh(self.post(self.ups(self.pre(mel)))).squeeze(1)

    def to_mel(self, wav):
        mag = stft_mag(wav, self.hp.n_fft, self.hp.hop, self.hp.n_fft)
        basis = mel_basis(self.hp.n_fft, self.hp.n_mels, self.hp.sr).to(wav)
        return torch.log(basis.t() @ mag)

    def spectral_loss(self, fake, real):
        loss = 0.0
        for n_fft, hop, win in ((512, 50, 240), (1024, 120, 600), (2048, 240, 1200)):
            a = stft_mag(fake, n_fft, hop, win)
            b = stft_mag(real, n_fft, hop, win)
            loss = loss + F.l1_loss(a.log(), b.log())
        return loss

    def training_step(self, wav, batch_idx):
        with torch.no_grad():
            mel = self.to_mel(wav)[..., :-1]
        fake = self(mel)[..., : wav.shape[-1]]
        loss = self.spectral_loss(fake, wav[..., : fake.shape[-1]])
        self.log("train/stft", loss)
        return loss

    def validation_step(self, wav, batch_idx):
        mel = self.to_mel(wav)[..., :-1]
        fake = self(mel)[..., : wav.shape[-1]]
        self.log("val/stft", self.spectral_loss(fake, wav[..., : fake.shape[-1]]))

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=self.hp.lr, betas=(0.8, 0.99))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--train-list", default="train.txt")
    p.add_argument("--val-list", default="val.txt")
    p.add_argument("--n-fft", type=int, default=1024)
    p.add_argument("--hop", type=int, default=256)
    p.add_argument("--n-mels", type=int, default=80)
    p.add_argument("--sr", type=int, default=22050)
    p.add_argument("--lr", type=float, default=2e-4)
    p.add_argument("--seconds", type=float, default=1.0)
    hp = p.parse_args()
    train = DataLoader(Clips(hp.train_list, hp.seconds, hp.sr), 16, shuffle=True, num_workers=4)
    val = DataLoader(Clips(hp.val_list, hp.seconds, hp.sr), 16, num_workers=4)
    trainer = pl.Trainer(max_steps=400_000, accelerator="gpu", devices=1, precision=16)
    trainer.fit(Vocoder(hp), train, val)


if __name__ == "__main__":
    main()
