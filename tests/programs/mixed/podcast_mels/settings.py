from typing import NamedTuple


class Mel(NamedTuple):
    rate: int = 22050
    n_fft: int = 2048
    hop: int = 256
    bands: int = 128
    fmin: float = 20.0
    fmax: float = 11000.0
    top_db: float = 80.0

    @property
    def bins(self):
        return self.n_fft // 2 + 1
