"""Writes a little field-recording archive: clips, a long background track and a metadata table."""
import wave
from pathlib import Path

import numpy as np
import pandas as pd


def write_wav(path, signal, rate):
    pcm = np.clip(signal * 32767, -32768, 32767).astype("<i2")
    with wave.open(str(path), "wb") as w:
        w.setnchannels(1)
        w.setsampwidth(2)
        w.setframerate(rate)
        w.writeframes(pcm.tobytes())


def chirp(rng, kind, n, rate):
    t = np.arange(n, dtype=np.float32) / rate
    base = 900 + 950 * kind + rng.normal(0, 60)
    sweep = (-1) ** kind * (300 + 150 * kind)
    trill = 4 + 2.5 * kind
    phase = 2 * np.pi * (base * t + 0.5 * sweep * t * t)
    env = 0.5 * (1 + np.sin(2 * np.pi * trill * t + rng.uniform(0, 6.28)))
    return 0.3 * env * np.sin(phase)


def build_archive(root: Path, audio, cfg):
    rng = np.random.default_rng(cfg.seed)
    clips = root / "clips"
    clips.mkdir(parents=True)
    rows = []
    total = cfg.n_train + cfg.n_val
    length = audio.clip_len + audio.sample_rate // 2
    for i in range(total):
        label = i % len(cfg.species)
        sig = chirp(rng, label, length, audio.sample_rate)
        sig += 0.12 * rng.standard_normal(length, dtype=np.float32)
        name = f"XC{100000 + 7 * i}"
        write_wav(clips / f"{name}.wav", sig, audio.sample_rate)
        rows.append(
            dict(
                clip_id=name,
                species=cfg.species[label],
                label=label,
                split="train" if i < cfg.n_train else "val",
                recorder=f"rec{rng.integers(1, 9)}",
                gain_db=float(rng.uniform(-3, 3)),
                quality=rng.choice(list("ABC")),
            )
        )
    n_bg = cfg.background_seconds * audio.sample_rate
    write_wav(root / "background.wav", 0.08 * rng.standard_normal(n_bg, dtype=np.float32), audio.sample_rate)
    pd.DataFrame(rows).to_csv(root / "metadata.csv", index=False)
