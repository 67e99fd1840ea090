import torch
import torchaudio
from torch.utils.data import DataLoader, Dataset


class Clips(Dataset):
    def __init__(self, paths, rate):
        self.paths, self.rate = paths, rate

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        wave, rate = torchaudio.load(self.paths[index])
        resample = torchaudio.transforms.Resample(rate, self.rate)
        return resample(wave)[0, : self.rate]


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = torch.nn.GRU(80, 128, batch_first=True)
        self.mel = torchaudio.transforms.MelSpectrogram(n_mels=80)

    def forward(self, waves):
        return self.rnn(self.mel(waves).transpose(1, 2))[1][-1]


def embed_each(encoder: Encoder, waves: torch.Tensor):
    rows = []
    with torch.no_grad():
        for wave in waves:
            rows.append(encoder(wave.unsqueeze(0)))  # finding: predict-per-item
    return torch.cat(rows)


def embed(encoder, loader):
    with torch.no_grad():
        return torch.cat([encoder(waves) for waves in loader])


def positions(length, size):
    where = torch.arange(length).unsqueeze(1)
    rate = torch.exp(torch.arange(0, size, 2) * (-9.2 / size))
    table = torch.zeros(length, size)
    table[:, 0::2], table[:, 1::2] = torch.sin(where * rate), torch.cos(where * rate)
    return table


def train(encoder, head, loader, optimizer, epochs, length):
    for epoch in range(epochs):
        for waves in loader:
            table = positions(length, 128)
            loss = (head(encoder(waves)) * table.sum(0)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()


def pooled(batch: torch.Tensor, mask: torch.Tensor):
    means = []
    for i in range(batch.size(0)):
        means.append(torch.softmax(batch[i], dim=-1))  # finding: per-slice-op
    return torch.stack(means) * mask


def trimmed(batch: torch.Tensor, lengths):
    return [torch.softmax(row[:n], -1) for row, n in zip(batch, lengths)]


def serve(paths):
    for path in paths:
        encoder = torch.load("encoder.pt", weights_only=False)  # finding: model-per-turn
        encoder.eval()
        torch.save(encoder(torchaudio.load(path)[0]), path + ".pt")


if __name__ == "__main__":
    clips = Clips(open("list.txt").read().split(), 16000)
    train(Encoder(), torch.nn.Linear(128, 128), DataLoader(clips, 8), None, 10, 500)
