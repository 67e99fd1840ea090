"""Loss of a sensor forecaster that leaves out the readings that never arrived."""

import torch
from sibling_gaps import present

STATIONS = 12
HOURS = 24


class Forecaster(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = torch.nn.Linear(HOURS, 32)
        self.out = torch.nn.Linear(32, HOURS)

    def forward(self, readings):
        return self.out(torch.relu(self.hidden(readings)))


def main():
    torch.manual_seed(5)
    readings = torch.rand(STATIONS, HOURS)
    readings[torch.rand(STATIONS, HOURS) < 0.2] = -999.0
    model = Forecaster()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    weight = present(readings, -999.0)
    history = torch.clamp(readings, min=0.0)
    loss = torch.tensor(0.0)
    for _ in range(10):
        optimizer.zero_grad()
        loss = ((model(history) - history).square() * weight).sum() / weight.sum()
        loss.backward()
        optimizer.step()
    return loss.item()


if __name__ == "__main__":
    print(main())
