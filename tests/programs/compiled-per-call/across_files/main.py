import numpy as np
from worlds.model import World
from worlds.rollout import rollout


def main(horizon=500):
    rng = np.random.default_rng(0)
    world = World({"kernel": rng.normal(size=(34, 32)) * 0.1})
    states = rollout(world, np.zeros(32), lambda latent: latent[:2], horizon)
    print(len(states))


if __name__ == "__main__":
    main()
