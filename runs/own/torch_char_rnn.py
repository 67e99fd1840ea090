"""Tells the language of a name, letter by letter, as PyTorch's tutorial on character RNNs does."""

import random
import string

import torch
from torch import nn

LETTERS = string.ascii_lowercase
KINDS = ("vowels", "mixed", "consonants")


def name_of(kind):
    vowels, others = "aeiou", "bcdfghklmnprst"
    pools = {"vowels": vowels * 3 + others, "mixed": LETTERS, "consonants": others * 3 + vowels}
    return "".join(random.choice(pools[kind]) for _ in range(random.randint(4, 10)))


def tensor_of(name):
    tensor = torch.zeros(len(name), 1, len(LETTERS))
    for number, letter in enumerate(name):
        tensor[number][0][LETTERS.find(letter)] = 1
    return tensor


class Network(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.rnn = nn.RNN(len(LETTERS), hidden)
        self.out = nn.Linear(hidden, len(KINDS))

    def forward(self, name):
        _, hidden = self.rnn(name)
        return torch.log_softmax(self.out(hidden[0]), dim=1)


def main():
    random.seed(0)
    torch.manual_seed(0)
    model = Network(128)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    loss_of = nn.NLLLoss()
    names = [(kind, name_of(kind)) for kind in KINDS for _ in range(800)]
    data = [(torch.tensor([KINDS.index(kind)]), tensor_of(name)) for kind, name in names]
    for epoch in range(4):
        random.shuffle(data)
        batches = [data[begin : begin + 64] for begin in range(0, len(data), 64)]
        total = 0.0
        for batch in batches:
            loss = torch.tensor(0.0)
            for kind, name in batch:
                loss = loss + loss_of(model(name), kind)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 3)
            optimizer.step()
            total += loss.item() / len(batch)
        print(f"epoch {epoch}: loss {total / len(batches):.4f}")


if __name__ == "__main__":
    main()
