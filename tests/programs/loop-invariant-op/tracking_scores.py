"""A Kalman filter and smoother over long tracks."""

import numpy as np


def transition(dim, dt):
    f = np.eye(2 * dim)
    f[:dim, dim:] = dt * np.eye(dim)
    return f


class Filter:
    def __init__(self, dim, dt, noise):
        self.F = transition(dim, dt)
        self.H = np.hstack([np.eye(dim), np.zeros((dim, dim))])
        self.Q = noise * np.eye(2 * dim)
        self.R = np.eye(dim)
        self.P = np.eye(2 * dim)
        self.x = np.zeros(2 * dim)

    def predict(self):
        self.x = self.F @ self.x
        self.P = self.F @ self.P @ self.F.T + self.Q

    def update(self, z):
        s = self.H @ self.P @ self.H.T + self.R
        gain = self.P @ self.H.T @ np.linalg.inv(s)
        self.x = self.x + gain @ (z - self.H @ self.x)
        self.P = (np.eye(len(self.x)) - gain @ self.H) @ self.P


def run(track, dim=300, dt=0.1):
    filt = Filter(dim, dt, 0.01)
    out = []
    for z in track:
        filt.predict()
        filt.update(z)
        out.append(filt.x.copy())
    return np.stack(out)


def mahalanobis(samples, mean, cov):
    scores = np.empty(len(samples))
    for i, x in enumerate(samples):
        d = x - mean
        scores[i] = d @ np.linalg.inv(cov) @ d  # note: loop-invariant-op
    return scores


def log_likelihood(samples, mean, cov):
    total = 0.0
    for x in samples:
        sign, logdet = np.linalg.slogdet(cov)  # note: loop-invariant-op
        d = x - mean
        total += -0.5 * (logdet + d @ np.linalg.solve(cov, d))
    return total


def modes(stiffness, loads):
    shapes = []
    for load in loads:
        values, vectors = np.linalg.eigh(stiffness)  # note: loop-invariant-op
        shapes.append(vectors @ ((vectors.T @ load) / values))
    return np.array(shapes)


def sweep(stiffness, shifts):
    shapes = []
    for shift in shifts:
        values, _ = np.linalg.eigh(stiffness + shift * np.eye(len(stiffness)))
        shapes.append(values)
    return np.array(shapes)


def power(matrix, turns=200):
    v = np.ones(len(matrix))
    for _ in range(turns):
        v = matrix @ v
        v /= np.linalg.norm(v)
    return v
