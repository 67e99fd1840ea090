"""Names are classified letter by letter, after PyTorch's tutorial on character-level networks."""

import random
import string

import torch
from torch import nn

ALL_LETTERS = string.ascii_lowercase
CATEGORIES = ["north", "south", "east"]
ENDINGS = {"north": "sson", "south": "ini", "east": "ovic"}


def letter_to_index(letter):
    return ALL_LETTERS.find(letter)


def line_to_tensor(line):
    tensor = torch.zeros(len(line), 1, len(ALL_LETTERS))
    for place, letter in enumerate(line):
        tensor[place][0][letter_to_index(letter)] = 1
    return tensor


class RNN(nn.Module):
    def __init__(self, input_size, hidden_size, output_size):
        super().__init__()
        self.hidden_size = hidden_size
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.i2o = nn.Linear(hidden_size, output_size)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, letter, hidden):
        hidden = torch.tanh(self.i2h(torch.cat((letter, hidden), 1)))
        return self.softmax(self.i2o(hidden)), hidden

    def init_hidden(self):
        return torch.zeros(1, self.hidden_size)


def random_example():
    category = random.choice(CATEGORIES)
    name = "".join(random.choices(ALL_LETTERS, k=random.randint(2, 6))) + ENDINGS[category]
    target = torch.tensor([CATEGORIES.index(category)], dtype=torch.long)
    return category, name, target, line_to_tensor(name)


def train(rnn, criterion, optimizer, target, line_tensor):
    hidden = rnn.init_hidden()
    optimizer.zero_grad()
    for place in range(line_tensor.size(0)):
        output, hidden = rnn(line_tensor[place], hidden)
    loss = criterion(output, target)
    loss.backward()
    optimizer.step()
    return output, loss.item()


def evaluate(rnn, line_tensor):
    hidden = rnn.init_hidden()
    for place in range(line_tensor.size(0)):
        output, hidden = rnn(line_tensor[place], hidden)
    return output


def main():
    torch.manual_seed(0)
    random.seed(0)
    rnn = RNN(len(ALL_LETTERS), 64, len(CATEGORIES))
    criterion = nn.NLLLoss()
    optimizer = torch.optim.SGD(rnn.parameters(), lr=0.01)
    current_loss = 0.0
    for step in range(1, 501):
        _, _, target, line_tensor = random_example()
        _, loss = train(rnn, criterion, optimizer, target, line_tensor)
        current_loss += loss
        if step % 100 == 0:
            print(f"{step} loss {current_loss / 100:.4f}")
            current_loss = 0.0
    right = 0
    for _ in range(1000):
        _, _, target, line_tensor = random_example()
        right += int(evaluate(rnn, line_tensor).argmax(1).item() == target.item())
    print(f"right {right} of 1000")


if __name__ == "__main__":
    main()
