import math

import torch


def sinusoid_table(length, width):
    position = torch.arange(length).unsqueeze(1).float()
    rate = torch.exp(torch.arange(0, width, 2).float() * (-math.log(10000.0) / width))
    table = torch.zeros(length, width)
    table[:, 0::2] = torch.sin(position * rate)
    table[:, 1::2] = torch.cos(position * rate)
    return table


def causal(size):
    return torch.triu(torch.full((size, size), float("-inf")), diagonal=1)


def padding(tokens, pad):
    return tokens == pad
