"""What is asked in every turn costs nothing: shapes, views, scalars."""
import math

import torch


def chunks(sequence, width):
    outputs = []
    for start in range(0, sequence.shape[0], width):
        batch, features = sequence.size(1), sequence.size(2)
        flat = sequence.view(-1, batch * features)
        scale = 1.0 / math.sqrt(features)
        outputs.append(flat[start : start + width] * scale)
    return torch.cat(outputs)


def describe(tensors, reference):
    for name, tensor in tensors.items():
        device = torch.device("cpu")
        same = tensor.dtype == reference.dtype and tensor.dim() == reference.dim()
        print(name, tuple(tensor.shape), device, same, len(reference))
