import torch
import torch.nn.functional as F


@torch.no_grad()
def retrieve(queries, bank, encoder, k=10):
    """Nearest entries of `bank`, shape (n, d), for each query text."""
    encoder.eval()
    hits = {}
    for query in queries:
        vector = encoder(query)
        unit_bank = F.normalize(bank, dim=1)
        scores = unit_bank @ F.normalize(vector, dim=-1)
        hits[query] = scores.topk(k).indices.tolist()
    return hits


def recall(hits, truth):
    found = [truth[query] in indices for query, indices in hits.items()]
    return sum(found) / len(found)
