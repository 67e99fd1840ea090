import librosa
import numpy as np
from scipy import signal

SR = 32000
N_FFT = 2048
HOP = 512
N_MELS = 128
FMIN, FMAX = 50, 14000


def load_clip(path, offset, duration):
    y, _ = librosa.load(path, sr=SR, offset=offset, duration=duration)
    want = int(duration * SR)
    if len(y) < want:
        y = np.pad(y, (0, want - len(y)))
    return y


def highpass(y, cutoff=150.0):
    sos = signal.butter(10, cutoff, btype="highpass", fs=SR, output="sos")
    return signal.sosfilt(sos, y)


def log_mel(y):
    spec = np.abs(librosa.stft(y, n_fft=N_FFT, hop_length=HOP)) ** 2
    fb = librosa.filters.mel(sr=SR, n_fft=N_FFT, n_mels=N_MELS, fmin=FMIN, fmax=FMAX)
    return librosa.power_to_db(fb @ spec, ref=np.max)
