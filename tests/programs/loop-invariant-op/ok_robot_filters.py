"""Extended Kalman filter of a rover; the Jacobians follow the state, constants are made once."""
import csv
import sys

import numpy as np

Q = np.diag([0.02, 0.02, 0.005]) ** 2
R = np.diag([0.3, 0.02]) ** 2
EYE = np.eye(3)


def motion(x, v, w, dt):
    x = x.copy()
    x[0] += v * dt * np.cos(x[2])
    x[1] += v * dt * np.sin(x[2])
    x[2] += w * dt
    return x


def jacobian(x, v, dt):
    f = EYE.copy()
    f[0, 2] = -v * dt * np.sin(x[2])
    f[1, 2] = v * dt * np.cos(x[2])
    return f


def observe(x, mark):
    dx, dy = mark[0] - x[0], mark[1] - x[1]
    q = dx * dx + dy * dy
    r = np.sqrt(q)
    z = np.array([r, np.arctan2(dy, dx) - x[2]])
    h = np.array([[-dx / r, -dy / r, 0.0], [dy / q, -dx / q, -1.0]])
    return z, h


def run(rows, marks):
    x, p = np.zeros(3), EYE.copy()
    track = []
    for row in rows:
        dt, v, w, which, r, b = map(float, row)
        f = jacobian(x, v, dt)
        x = motion(x, v, w, dt)
        p = f @ p @ f.T + Q
        z, h = observe(x, marks[int(which)])
        s = h @ p @ h.T + R
        k = np.linalg.solve(s, h @ p).T
        y = np.array([r, b]) - z
        y[1] = (y[1] + np.pi) % (2 * np.pi) - np.pi
        x = x + k @ y
        p = (EYE - k @ h) @ p
        track.append(x)
    return np.array(track)


if __name__ == "__main__":
    with open(sys.argv[1]) as f:
        np.savetxt("track.txt", run(csv.reader(f), np.loadtxt(sys.argv[2])))
