"""Low-rank adapters for several customers from one base model."""
import contextlib
import itertools
import json
import time

import torch
import torch.nn.functional as F

from layers import Decoder, with_adapters


@contextlib.contextmanager
def timed(name):
    start = time.perf_counter()
    yield
    print(f"{name}: {time.perf_counter() - start:.1f} s")


class Customer:
    def __init__(self, record):
        self.name = record["name"]
        self.tokens = torch.tensor(record["tokens"])

    def batches(self, size, length):
        while True:
            starts = torch.randint(len(self.tokens) - length - 1, (size,))
            index = starts[:, None] + torch.arange(length + 1)
            yield self.tokens[index]


def adapt(base_state, customer, steps=400):
    model = Decoder(32_000)
    model.load_state_dict(base_state)
    model = torch.compile(with_adapters(model, 8))
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], 2e-4)
    for batch in itertools.islice(customer.batches(16, 256), steps):
        logits = model(batch[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), batch[:, 1:].flatten())
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    return model


@torch.inference_mode()
def rate(model, texts):
    totals = []
    for text in texts:
        score = torch.compile(lambda tokens: F.log_softmax(model(tokens), -1))
        scores = score(text[None, :-1])  # finding: predict-per-item
        totals.append(scores.gather(-1, text[None, 1:, None]).mean().item())
    return totals


def main():
    base_state = torch.load("base.pt", map_location="cpu")
    with open("customers.jsonl") as lines:
        customers = [Customer(json.loads(line)) for line in lines]
    for customer in customers:
        with timed(customer.name):
            model = adapt(base_state, customer)
        held_out = customer.tokens[-20 * 256 :].split(256)
        print(customer.name, sum(rate(model, held_out)) / len(held_out))
        torch.save(model.state_dict(), f"{customer.name}.pt")


if __name__ == "__main__":
    main()
