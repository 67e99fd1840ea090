import torch
import torch.nn.functional as F


def cosine(query, gallery):
    query = F.normalize(query, dim=-1)
    gallery = F.normalize(gallery, dim=-1)
    return query @ gallery.t()


def ranks(query, gallery):
    return cosine(query, gallery).argsort(dim=-1, descending=True)


def causal(length, device):
    return torch.triu(torch.ones(length, length, device=device), diagonal=1).bool()


def recall_at(order, wanted, k):
    return (order[:, :k] == wanted[:, None]).any(dim=-1).float().mean()
