"""Search for the nearest stored state while an episode lasts."""
import numpy as np


class Memory:
    def __init__(self, states, actions):
        self.states = np.asarray(states, dtype=np.float32)
        self.actions = list(actions)


def play(env, memory):
    state = env.reset()
    done = False
    total = 0.0
    states = memory.states
    while not done:
        lengths = np.linalg.norm(states, axis=1)
        similarity = states @ state / (lengths * np.linalg.norm(state) + 1e-8)
        action = memory.actions[int(similarity.argmax())]
        state, reward, done, _ = env.step(action)
        total += reward
    return total
