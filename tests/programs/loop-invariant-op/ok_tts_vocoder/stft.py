import librosa
import torch
from torch import nn


class LogMel(nn.Module):
    """The filters and the window are buffers: made once, moved with the module."""

    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        bank = librosa.filters.mel(sr=cfg.sample_rate, n_fft=cfg.n_fft, n_mels=cfg.n_mels)
        self.register_buffer("bank", torch.from_numpy(bank))
        self.register_buffer("window", torch.hann_window(cfg.n_fft))

    def forward(self, wave):
        spec = torch.stft(wave, self.cfg.n_fft, self.cfg.hop, window=self.window, return_complex=True).abs()
        return torch.log(torch.clamp(self.bank @ spec, min=1e-5))


_windows = {}


def window_for(n, device):
    key = (n, device)
    if key not in _windows:
        _windows[key] = torch.hann_window(n, device=device)
    return _windows[key]


def multi_resolution_loss(fake, real, sizes=(512, 1024, 2048)):
    total = fake.new_zeros(())
    for n in sizes:
        w = window_for(n, fake.device)
        a = torch.stft(fake, n, n // 4, window=w, return_complex=True).abs()
        b = torch.stft(real, n, n // 4, window=w, return_complex=True).abs()
        total = total + (a - b).abs().mean() + ((a + 1e-5).log() - (b + 1e-5).log()).abs().mean()
    return total / len(sizes)
