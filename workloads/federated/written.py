"""Simulates federated learning on one machine: FedAvg beside SCAFFOLD, many clients at once.

An algorithm is written as its centralized parts only, `local_step` on the gradients of a client
and `aggregate` on what clients send. The console and a page on localhost show the rounds.
"""

import argparse
import copy
import json
import multiprocessing
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

CLASSES, PIXELS = 10, 12


class FedAvg:
    """McMahan et al.: the mean of the clients' models, weighted by their samples."""

    name = "FedAvg"

    def start(self, model, clients):
        return {}

    def for_client(self, state, client):
        return {}

    def local_step(self, model, sent):
        pass

    def update(self, sent, before, model, steps, lr):
        return {}

    def aggregate(self, state, global_state, replies):
        total = sum(reply["samples"] for reply in replies)
        return {
            key: sum(reply["model"][key] * (reply["samples"] / total) for reply in replies)
            for key in global_state
        }


class Scaffold(FedAvg):
    """Karimireddy et al.: control variates take the drift of each client out of its gradients."""

    name = "SCAFFOLD"

    def start(self, model, clients):
        zeros = {key: torch.zeros_like(p) for key, p in model.named_parameters()}
        return {"server": zeros, "clients": [copy.deepcopy(zeros) for _ in range(clients)]}

    def for_client(self, state, client):
        return {"server": state["server"], "client": state["clients"][client]}

    def local_step(self, model, sent):
        for key, p in model.named_parameters():
            p.grad += sent["server"][key] - sent["client"][key]

    def update(self, sent, before, model, steps, lr):
        return {
            key: sent["client"][key] - sent["server"][key] + (before[key] - p.detach()) / (steps * lr)
            for key, p in model.named_parameters()
        }

    def aggregate(self, state, global_state, replies):
        for reply in replies:
            old = state["clients"][reply["client"]]
            for key, new in reply["update"].items():
                state["server"][key] += (new - old[key]) / len(state["clients"])
            state["clients"][reply["client"]] = reply["update"]
        return super().aggregate(state, global_state, replies)


def build_model():
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(8 * (PIXELS // 2) ** 2, 32),
        nn.ReLU(),
        nn.Linear(32, CLASSES),
    )


def generate_clients(clients, samples):
    """Images of each client; a client has mostly two classes, as in non-IID federations."""
    rng = np.random.default_rng(0)
    prototypes = rng.normal(size=(CLASSES, 1, PIXELS, PIXELS)).astype(np.float32)

    def images(labels):
        noise = rng.normal(scale=2.0, size=(len(labels), 1, PIXELS, PIXELS))
        return torch.tensor(prototypes[labels] + noise, dtype=torch.float32), torch.tensor(labels)

    data = []
    for client in range(clients):
        share = np.full(CLASSES, 0.2 / (CLASSES - 2))
        share[[client % CLASSES, (client + 1) % CLASSES]] = 0.4
        data.append(images(rng.choice(CLASSES, samples, p=share)))
    return data, images(rng.choice(CLASSES, 600))


def train_client(algorithm, client, global_state, sent, images, labels, options, round_number):
    torch.set_num_threads(1)
    model = build_model()
    model.load_state_dict(global_state)
    optimizer = torch.optim.SGD(model.parameters(), lr=options.lr)
    generator = torch.Generator().manual_seed(1000 * round_number + client)
    dataset = TensorDataset(images, labels)
    loader = DataLoader(dataset, options.batch_size, shuffle=True, generator=generator)
    steps = 0
    for _ in range(options.local_epochs):
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            algorithm.local_step(model, sent)
            optimizer.step()
            steps += 1
    return {
        "client": client,
        "samples": len(labels),
        "model": {key: value.detach() for key, value in model.state_dict().items()},
        "update": algorithm.update(sent, global_state, model, steps, options.lr),
    }


def evaluate(model, images, labels):
    model.eval()
    correct, loss = 0, 0.0
    for x, y in DataLoader(TensorDataset(images, labels), batch_size=1):
        logits = model(x)
        loss += nn.functional.cross_entropy(logits, y).item()
        correct += (logits.argmax(dim=1) == y).sum().item()
    model.train()
    return correct / len(labels), loss / len(labels)


def start_page(history):
    """Serves the rounds so far; returns the server, whose port the system chose."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            rows = "".join(
                f"<tr><td>{name}<td>{number}<td>{accuracy:.3f}<td>{loss:.3f}"
                for name, number, accuracy, loss in history
            )
            head = "<tr><th>algorithm<th>round<th>accuracy<th>loss"
            body = f"<meta http-equiv=refresh content=2><table>{head}{rows}</table>".encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def simulate(algorithm, data, test, options, history):
    torch.manual_seed(0)
    model = build_model()
    state = algorithm.start(model, len(data))
    rng = np.random.default_rng(1)
    context = multiprocessing.get_context("spawn")
    for round_number in range(1, options.rounds + 1):
        chosen = sorted(rng.choice(len(data), options.clients_per_round, replace=False).tolist())
        global_state = model.state_dict()
        tasks = [
            (algorithm, client, global_state, algorithm.for_client(state, client))
            + (*data[client], options, round_number)
            for client in chosen
        ]
        with context.Pool(options.processes) as pool:
            replies = pool.starmap(train_client, tasks)
        model.load_state_dict(algorithm.aggregate(state, global_state, replies))
        accuracy, loss = evaluate(model, *test)
        history.append((algorithm.name, round_number, accuracy, loss))
        print(f"{algorithm.name} round {round_number}: accuracy {accuracy:.3f} loss {loss:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--clients-per-round", type=int, default=6)
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--local-epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=20)
    parser.add_argument("--lr", type=float, default=0.05)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    data, test = generate_clients(options.clients, options.samples)
    history = []
    server = start_page(history)
    url = f"http://127.0.0.1:{server.server_port}/"
    print(f"rounds are shown at {url}")
    for algorithm in (FedAvg(), Scaffold()):
        simulate(algorithm, data, test, options, history)
    with urllib.request.urlopen(url) as page:
        shown = page.read().decode().count("<tr><td>")
    server.shutdown()
    results = {f"{name} {number}": round(loss, 4) for name, number, _, loss in history}
    print(json.dumps(results | {"rounds on the page": shown}))


if __name__ == "__main__":
    main()
