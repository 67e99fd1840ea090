from dataclasses import dataclass


@dataclass(frozen=True)
class AudioConfig:
    sample_rate: int = 22050
    n_fft: int = 1024
    hop: int = 256
    n_mels: int = 80
    segment: int = 8192
