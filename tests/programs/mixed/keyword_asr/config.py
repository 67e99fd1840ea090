# requires: tensorflow==2.4
from dataclasses import dataclass, field
from typing import List, Optional


@dataclass
class AudioCfg:
    sample_rate: int = 16000
    frame_ms: int = 25
    hop_ms: int = 10
    fft: int = 512
    max_seconds: float = 8.0


@dataclass
class InputCfg:
    train_glob: str = "/corpora/kws/train/*/*.wav"
    dev_glob: str = "/corpora/kws/dev/*/*.wav"
    rescore_shards: List[str] = field(default_factory=list)
    batch_size: int = 64
    workers: Optional[int] = 12
    shuffle: int = 20000


@dataclass
class RunCfg:
    audio: AudioCfg = field(default_factory=AudioCfg)
    inputs: InputCfg = field(default_factory=InputCfg)
    labels: int = 35
    steps: int = 120_000
    lr: float = 1e-3
