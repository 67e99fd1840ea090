"""Gradient-based inverse kinematics: make a serial arm follow a list of waypoints.

Each waypoint is solved from the solution of the one before it, so the joint path stays smooth.
"""
import argparse
import csv

import numpy as np
import tensorflow as tf

# Denavit-Hartenberg rows (a, alpha, d) of the 6-axis arm on the bench.
DH = np.array(
    [
        [0.000, np.pi / 2, 0.1625],
        [-0.425, 0.0, 0.0],
        [-0.392, 0.0, 0.0],
        [0.000, np.pi / 2, 0.1333],
        [0.000, -np.pi / 2, 0.0997],
        [0.000, 0.0, 0.0996],
    ],
    dtype=np.float32,
)
HOME = np.array([0.0, -1.2, 1.6, -1.9, -1.57, 0.0], dtype=np.float32)


def link(theta, a, alpha, d):
    ct, st = tf.cos(theta), tf.sin(theta)
    ca, sa = float(np.cos(alpha)), float(np.sin(alpha))
    return tf.reshape(
        tf.stack(
            [ct, -st * ca, st * sa, a * ct,
             st, ct * ca, -ct * sa, a * st,
             0.0, sa, ca, d,
             0.0, 0.0, 0.0, 1.0]
        ),
        (4, 4),
    )


def tool_position(q):
    pose = tf.eye(4)
    for i, (a, alpha, d) in enumerate(DH):
        pose = pose @ link(q[i], float(a), float(alpha), float(d))
    return pose[:3, 3]


def follow(waypoints, iters, rate, damping):
    q = tf.constant(HOME)
    path = []
    for point in waypoints:
        target = tf.constant(point)
        start = q

        @tf.function
        def descend(q):
            for _ in tf.range(iters):
                with tf.GradientTape() as tape:
                    tape.watch(q)
                    miss = tf.reduce_sum(tf.square(tool_position(q) - target))
                    cost = miss + damping * tf.reduce_sum(tf.square(q - start))
                q = q - rate * tape.gradient(cost, q)
            return q, tf.norm(tool_position(q) - target)

        q, error = descend(q)
        path.append((q, error))
    return path


def read_waypoints(name):
    with open(name, newline="") as f:
        return np.array([[float(r[k]) for k in "xyz"] for r in csv.DictReader(f)], np.float32)


def main():
    ap = argparse.ArgumentParser(description=__doc__)
    ap.add_argument("waypoints", help="csv with columns x, y, z in metres")
    ap.add_argument("out", help="csv of joint angles")
    ap.add_argument("--iters", type=int, default=60)
    ap.add_argument("--rate", type=float, default=0.8)
    ap.add_argument("--damping", type=float, default=1e-4)
    args = ap.parse_args()

    path = follow(read_waypoints(args.waypoints), args.iters, args.rate, args.damping)
    angles = tf.stack([q for q, _ in path]).numpy()
    errors = tf.stack([e for _, e in path]).numpy()
    np.savetxt(args.out, angles, delimiter=",", fmt="%.6f")
    print(f"{len(angles)} waypoints, worst error {1000 * errors.max():.2f} mm")


if __name__ == "__main__":
    main()
