import argparse
import string

import torch
from torch import nn

from batching import Words, load


class Crnn(nn.Module):
    def __init__(self, letters):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(64, 128, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        )
        self.rnn = nn.LSTM(128 * 8, 256, bidirectional=True)
        self.out = nn.Linear(512, letters + 1)

    def forward(self, x):
        x = self.conv(x)
        x = x.permute(3, 0, 1, 2).flatten(2)
        return self.out(self.rnn(x)[0]).log_softmax(2)


def collapse(path):
    letters, last = [], 0
    for code in path.tolist():
        if code != last and code != 0:
            letters.append(code)
        last = code
    return letters


def decode(log_probs):
    words = []
    for n in range(log_probs.shape[1]):
        words.append(log_probs[:, n].argmax(1))  # finding: per-slice-op
    return [collapse(path) for path in torch.stack(words)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("listing")
    parser.add_argument("--steps", type=int, default=50_000)
    args = parser.parse_args()
    alphabet = string.ascii_lowercase
    words = Words(*load(args.listing), alphabet)
    model = Crnn(len(alphabet)).cuda()
    ctc = nn.CTCLoss(zero_infinity=True)
    optimizer = torch.optim.Adam(model.parameters())
    for step in range(args.steps):
        images, targets, lengths = words.batch(64)
        log_probs = model(images.cuda())
        frames = torch.full((64,), log_probs.shape[0])
        loss = ctc(log_probs, targets.cuda(), frames, lengths)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 1000 == 0:
            print(step, loss.item(), decode(log_probs)[0])


if __name__ == "__main__":
    main()
