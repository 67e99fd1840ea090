"""Where a station has sent something."""

import torch


def present(readings, missing):
    weight = torch.zeros(readings.shape)
    for station in range(readings.shape[0]):  # finding
        for hour in range(readings.shape[1]):
            if readings[station, hour] != missing:
                weight[station, hour] = 1.0
    return weight
