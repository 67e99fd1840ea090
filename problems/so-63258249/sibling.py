"""A simulated drone is flown by a Keras network, whose memory grows with every tick."""

import numpy as np
import tensorflow as tf
from sibling_pilot import Pilot

SENSORS = 6
COMMANDS = 2


class Simulation:
    def __init__(self, pilot, seed):
        self.pilot = pilot
        self.rng = np.random.default_rng(seed)
        self.state = self.rng.normal(size=SENSORS).astype(np.float32)
        self.distance = 0.0

    def fly(self, ticks):
        remaining = ticks
        while remaining > 0:
            thrust = self.pilot.command(self.state)
            self.state = (0.9 * self.state).astype(np.float32)
            self.state[:COMMANDS] += thrust
            self.distance += float(np.linalg.norm(self.state))
            remaining -= 1
        return self.distance


def main():
    tf.random.set_seed(1)
    pilot = Pilot(SENSORS, COMMANDS)
    return [Simulation(pilot, seed).fly(6) for seed in range(3)]


if __name__ == "__main__":
    print(main())
