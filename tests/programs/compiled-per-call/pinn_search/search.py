"""Random search over the PINN's settings."""
import argparse
import json
import random

from training import train

SPACE = {
    "widths": lambda r: [r.choice([32, 64, 128])] * r.randint(2, 5),
    "lr": lambda r: 10 ** r.uniform(-4, -2),
    "weight": lambda r: 10 ** r.uniform(0, 3),
}


def draw(r, steps):
    config = {k: f(r) for k, f in SPACE.items()}
    config["steps"] = steps
    return config


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--out", default="trials.jsonl")
    args = parser.parse_args()
    r = random.Random(0)
    best = (float("inf"), None)
    with open(args.out, "a") as out:
        for t in range(args.trials):
            config = draw(r, args.steps)
            value = train(config, seed=t)
            out.write(json.dumps({"loss": value, **config}) + "\n")
            out.flush()
            best = min(best, (value, t))
    print("best trial", best)


if __name__ == "__main__":
    main()
