"""Echo state network for chaotic series, ridge readout, online forecasting (NumPy)."""
import numpy as np


def spectral_radius(matrix):
    return np.max(np.abs(np.linalg.eigvals(matrix)))


class Reservoir:
    def __init__(self, inputs, units, radius, leak, seed=0):
        rng = np.random.RandomState(seed)
        self.w_in = rng.uniform(-0.5, 0.5, (units, inputs + 1))
        self.w = rng.normal(size=(units, units)) * (rng.rand(units, units) < 0.05)
        self.radius = radius
        self.leak = leak
        self.state = np.zeros(units)

    def step(self, u):
        scaled = self.w * (self.radius / spectral_radius(self.w))  # note: loop-invariant-op
        drive = self.w_in @ np.append(1.0, u) + scaled @ self.state
        self.state = (1 - self.leak) * self.state + self.leak * np.tanh(drive)
        return self.state


def harvest(reservoir, series, wash):
    states = []
    for t, u in enumerate(series):
        state = reservoir.step(u)
        if t >= wash:
            states.append(np.concatenate([[1.0], u, state]))
    return np.array(states)


def ridge(states, targets, alpha):
    gram = states.T @ states + alpha * np.eye(states.shape[1])
    return np.linalg.solve(gram, states.T @ targets)


def forecast(reservoir, readout, u, steps):
    out = []
    for _ in range(steps):
        u = np.concatenate([[1.0], u, reservoir.step(u)]) @ readout  # note: loop-invariant-op
        out.append(u)
    return np.array(out)


def lorenz(steps, dt=0.02):
    x = np.array([1.0, 1.0, 1.0])
    rows = []
    for _ in range(steps):
        dx = np.array([10 * (x[1] - x[0]), x[0] * (28 - x[2]) - x[1], x[0] * x[1] - 8 / 3 * x[2]])
        x = x + dt * dx
        rows.append(x)
    return np.array(rows) / 20.0


if __name__ == "__main__":
    series = lorenz(8000)
    reservoir = Reservoir(3, 500, 0.95, 0.7)
    states = harvest(reservoir, series[:6000], 200)
    readout = ridge(states, series[201:6001], 1e-6)
    made = forecast(reservoir, readout, series[6000], 500)
    print(np.sqrt(np.mean((made - series[6001:6501]) ** 2)))
