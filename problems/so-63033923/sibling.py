"""Tags incoming support tickets until the queue is empty."""

import queue
import tempfile
from pathlib import Path

import torch
from sibling_tagger import Tagger, best_tag

TICKETS = 12


def drain(tickets, weights):
    tags = []
    while not tickets.empty():
        ticket = tickets.get()
        tags.append(best_tag(weights, ticket))
    return tags


def main():
    torch.manual_seed(2)
    with tempfile.TemporaryDirectory() as folder:
        weights = Path(folder) / "tagger.pt"
        torch.save(Tagger().state_dict(), weights)
        tickets = queue.Queue()
        for ticket in torch.randn(TICKETS, 40):
            tickets.put(ticket)
        return drain(tickets, weights)


if __name__ == "__main__":
    print(main())
