"""A tune is rendered, where each note is played by an instrument from a list."""

import jax.numpy as jnp
import numpy as np
from sibling_instruments import INSTRUMENTS, play


class Tune:
    def __init__(self, length, seed):
        rng = np.random.default_rng(seed)
        self.tones = rng.uniform(0.1, 1.0, length)
        self.players = rng.integers(0, len(INSTRUMENTS), length)

    def render(self):
        notes = []
        for tone, player in zip(self.tones, self.players):
            notes.append(play(tone, instrument=int(player)))  # finding
        return jnp.concatenate(notes)


def main():
    sound = Tune(length=40, seed=7).render()
    return float(jnp.abs(sound).mean())


if __name__ == "__main__":
    print(main())
