import torch
import torchaudio


class Vocoder:
    def __init__(self, n_fft=1024, hop=256):
        self.n_fft = n_fft
        self.hop = hop

    def make_window(self):
        return torch.hann_window(self.n_fft).pow(0.5)

    def spectrogram(self, wave, window):
        return torch.stft(wave, self.n_fft, self.hop, window=window, return_complex=True).abs()

    def extract(self, paths):
        spectra = []
        for path in paths:
            wave, _ = torchaudio.load(path)
            window = self.make_window()
            spectra.append(self.spectrogram(wave, window))
        return spectra


if __name__ == "__main__":
    import glob

    print(len(Vocoder().extract(glob.glob("*.wav"))))
