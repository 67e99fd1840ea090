"""Continues sine waves with two LSTM cells, as PyTorch's example on time sequences does."""

import numpy as np
import torch
from torch import nn, optim


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm1 = nn.LSTMCell(1, 51)
        self.lstm2 = nn.LSTMCell(51, 51)
        self.linear = nn.Linear(51, 1)

    def forward(self, waves, future=0):
        outputs = []
        hidden1 = torch.zeros(waves.size(0), 51, dtype=torch.double)
        cell1 = torch.zeros(waves.size(0), 51, dtype=torch.double)
        hidden2 = torch.zeros(waves.size(0), 51, dtype=torch.double)
        cell2 = torch.zeros(waves.size(0), 51, dtype=torch.double)
        for moment in waves.split(1, dim=1):
            hidden1, cell1 = self.lstm1(moment, (hidden1, cell1))
            hidden2, cell2 = self.lstm2(hidden1, (hidden2, cell2))
            output = self.linear(hidden2)
            outputs.append(output)
        for _ in range(future):
            hidden1, cell1 = self.lstm1(output, (hidden1, cell1))
            hidden2, cell2 = self.lstm2(hidden1, (hidden2, cell2))
            output = self.linear(hidden2)
            outputs.append(output)
        return torch.cat(outputs, dim=1)


def main():
    np.random.seed(0)
    torch.manual_seed(0)
    times = np.arange(300) + np.random.randint(-80, 80, 40).reshape(40, 1)
    waves = torch.from_numpy(np.sin(times / 20.0))
    model = Sequence().double()
    criterion = nn.MSELoss()
    optimizer = optim.LBFGS(model.parameters(), lr=0.8, max_iter=6)
    for step in range(4):

        def closure():
            optimizer.zero_grad()
            loss = criterion(model(waves[3:, :-1]), waves[3:, 1:])
            loss.backward()
            return loss

        print(f"step {step}: loss {optimizer.step(closure).item():.5f}")
        with torch.no_grad():
            future = model(waves[:3, :-1], future=200)
            print(f"  test loss {criterion(future[:, :-200], waves[:3, 1:]).item():.5f}")


if __name__ == "__main__":
    main()
