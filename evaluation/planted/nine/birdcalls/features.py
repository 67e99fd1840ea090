import wave

import numpy as np


def read_wav(path):
    with wave.open(str(path), "rb") as w:
        raw = w.readframes(w.getnframes())
    return np.frombuffer(raw, dtype="<i2").astype(np.float32) / 32768.0


def hz_to_mel(f):
    return 2595.0 * np.log10(1.0 + f / 700.0)


def mel_to_hz(m):
    return 700.0 * (10.0 ** (m / 2595.0) - 1.0)


def mel_filterbank(audio):
    n_bins = audio.n_fft // 2 + 1
    edges = mel_to_hz(np.linspace(hz_to_mel(audio.fmin), hz_to_mel(audio.fmax), audio.n_mels + 2))
    freqs = np.linspace(0, audio.sample_rate / 2, n_bins)
    bank = np.zeros((audio.n_mels, n_bins), dtype=np.float32)
    for m in range(audio.n_mels):
        left, centre, right = edges[m], edges[m + 1], edges[m + 2]
        for k in range(n_bins):
            up = (freqs[k] - left) / (centre - left)
            down = (right - freqs[k]) / (right - centre)
            bank[m, k] = max(0.0, min(up, down))
    return bank


def power_spectrogram(signal, audio):
    window = np.hanning(audio.n_fft)
    columns = []
    for i in range(audio.n_frames):
        frame = signal[i * audio.hop : i * audio.hop + audio.n_fft]
        spectrum = np.fft.rfft(frame * window)
        columns.append(np.abs(spectrum) ** 2)
    return np.stack(columns, axis=1)


def log_mel(signal, audio):
    bank = mel_filterbank(audio)
    mel = bank @ power_spectrogram(signal, audio)
    spec = np.log(mel + 1e-6)
    return ((spec - spec.mean()) / (spec.std() + 1e-5)).astype(np.float32)
