"""Simulates a swarm: positions are moved in Python and scored by a graph."""

import numpy as np
from sibling_swarm import Swarm

ROUNDS = 60


def main():
    rng = np.random.default_rng(15)
    swarm = Swarm(groups=("red", "green", "blue", "white"), members=12)
    positions = {name: rng.normal(size=(12, 2)) for name in swarm.groups}
    spread = 0.0
    for _ in range(ROUNDS):
        positions = {name: place * 0.9 for name, place in positions.items()}
        swarm.place(positions)
        spread = swarm.spread()
    swarm.session.close()
    return float(spread)


if __name__ == "__main__":
    print(main())
