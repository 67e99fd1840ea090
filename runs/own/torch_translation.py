"""Turns words around with an encoder and a decoder, after PyTorch's tutorial on translation."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader, RandomSampler, TensorDataset

START, END = 0, 1
LENGTH = 10
LETTERS = 28


class Encoder(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.embedding = nn.Embedding(LETTERS, hidden)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.dropout = nn.Dropout(0.1)

    def forward(self, words):
        return self.gru(self.dropout(self.embedding(words)))


class Attention(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.of_query = nn.Linear(hidden, hidden)
        self.of_keys = nn.Linear(hidden, hidden)
        self.score = nn.Linear(hidden, 1)

    def forward(self, query, keys):
        scores = self.score(torch.tanh(self.of_query(query) + self.of_keys(keys)))
        weights = functional.softmax(scores.squeeze(2).unsqueeze(1), dim=-1)
        return torch.bmm(weights, keys), weights


class Decoder(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.embedding = nn.Embedding(LETTERS, hidden)
        self.attention = Attention(hidden)
        self.gru = nn.GRU(2 * hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, LETTERS)
        self.dropout = nn.Dropout(0.1)

    def forward(self, encoded, hidden, target=None):
        words = torch.empty(encoded.size(0), 1, dtype=torch.long).fill_(START)
        outputs = []
        for step in range(LENGTH):
            output, hidden = self.step(words, hidden, encoded)
            outputs.append(output)
            if target is not None:
                words = target[:, step].unsqueeze(1)
            else:
                words = output.topk(1)[1].squeeze(-1).detach()
        return functional.log_softmax(torch.cat(outputs, dim=1), dim=-1), hidden

    def step(self, words, hidden, encoded):
        embedded = self.dropout(self.embedding(words))
        context, _ = self.attention(hidden.permute(1, 0, 2), encoded)
        output, hidden = self.gru(torch.cat((embedded, context), dim=2), hidden)
        return self.out(output), hidden


def main():
    torch.manual_seed(0)
    generator = np.random.default_rng(0)
    words = generator.integers(2, LETTERS, (3200, LENGTH - 1))
    ends = np.full((len(words), 1), END)
    given = torch.from_numpy(np.hstack([words, ends]))
    wanted = torch.from_numpy(np.hstack([words[:, ::-1], ends]))
    data = TensorDataset(given, wanted)
    loader = DataLoader(data, sampler=RandomSampler(data), batch_size=32)
    encoder, decoder = Encoder(128), Decoder(128)
    encoder_optimizer = torch.optim.Adam(encoder.parameters(), lr=0.001)
    decoder_optimizer = torch.optim.Adam(decoder.parameters(), lr=0.001)
    criterion = nn.NLLLoss()
    for epoch in range(5):
        total = 0.0
        for one, other in loader:
            encoder_optimizer.zero_grad()
            decoder_optimizer.zero_grad()
            encoded, hidden = encoder(one)
            outputs, _ = decoder(encoded, hidden, other)
            loss = criterion(outputs.view(-1, LETTERS), other.view(-1))
            loss.backward()
            encoder_optimizer.step()
            decoder_optimizer.step()
            total += loss.item()
        print(f"epoch {epoch}: loss {total / len(loader):.4f}")
    encoder.eval()
    decoder.eval()
    with torch.no_grad():
        for row in range(10):
            outputs, _ = decoder(*encoder(given[row : row + 1]))
            print(given[row].tolist(), outputs.argmax(-1)[0].tolist())


if __name__ == "__main__":
    main()
