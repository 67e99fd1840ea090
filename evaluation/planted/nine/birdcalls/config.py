from dataclasses import dataclass


@dataclass(frozen=True)
class AudioConfig:
    sample_rate: int = 16_000
    clip_seconds: float = 1.5
    n_fft: int = 512
    hop: int = 160
    n_mels: int = 48
    fmin: float = 150.0
    fmax: float = 7_600.0

    @property
    def clip_len(self):
        return int(self.sample_rate * self.clip_seconds)

    @property
    def n_frames(self):
        return 1 + (self.clip_len - self.n_fft) // self.hop


@dataclass(frozen=True)
class TrainConfig:
    species: tuple = ("wren", "robin", "chaffinch", "blackbird", "dunnock", "goldcrest")
    n_train: int = 288
    n_val: int = 168
    background_seconds: int = 120
    epochs: int = 4
    batch_size: int = 16
    lr: float = 2e-3
    seed: int = 11
    hidden: int = 64
    channels: int = 16
    noise_prob: float = 0.7
    checkpoint_every: int = 1
