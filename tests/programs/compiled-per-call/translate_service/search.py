import torch


@torch.inference_mode()
def greedy(encoder, decoder, ids, bos, eos, limit):
    fast = torch.compile(decoder, dynamic=True)
    memory = encoder(ids)
    out = torch.full((ids.size(0), 1), bos, device=ids.device)
    for _ in range(limit):
        word = fast(out, memory).argmax(-1, keepdim=True)
        out = torch.cat([out, word], dim=1)
        if bool((word == eos).all()):
            break
    return out[:, 1:]


@torch.inference_mode()
def sample(encoder, decoder, ids, bos, eos, limit, temperature=0.8):
    memory = encoder(ids)
    out = torch.full((ids.size(0), 1), bos, device=ids.device)
    for _ in range(limit):
        probs = (decoder(out, memory) / temperature).softmax(-1)
        out = torch.cat([out, torch.multinomial(probs, 1)], dim=1)
    return out[:, 1:]


def score(encoder, decoder, ids, reference):
    """Log-probability of a reference, for the /score route."""
    traced = torch.jit.trace(encoder, ids)  # finding: compiled-per-call
    memory = traced(ids)
    total = 0.0
    for t in range(1, reference.size(1)):
        logp = decoder(reference[:, :t], memory).log_softmax(-1)
        total += logp.gather(1, reference[:, t : t + 1]).sum().item()
    return total


METHODS = {"greedy": greedy, "sample": sample}
