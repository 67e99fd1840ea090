import math

import torch
from torch import nn
from torch.utils.data import DataLoader


def sinusoid(length, width):
    position = torch.arange(length).unsqueeze(1)
    rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
    table = torch.zeros(length, width)
    table[:, 0::2] = torch.sin(position * rates)
    table[:, 1::2] = torch.cos(position * rates)
    return table


def train(model, dataset, length=512, width=256, epochs=10):
    loader = DataLoader(dataset, batch_size=32, shuffle=True)
    optimizer = torch.optim.Adam(model.parameters())
    criterion = nn.CrossEntropyLoss()
    for epoch in range(epochs):
        for embedded, target in loader:
            positions = sinusoid(length, width)
            optimizer.zero_grad()
            loss = criterion(model(embedded + positions), target)
            loss.backward()
            optimizer.step()
