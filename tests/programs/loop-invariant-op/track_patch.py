"""Follows a patch through a film by inverse compositional alignment (Baker & Matthews 2004).

    python track_patch.py film.mp4 --box 120 80 96 64
"""

import argparse
from dataclasses import dataclass, field

import cv2
import numpy as np


@dataclass
class Patch:
    template: np.ndarray
    position: np.ndarray
    history: list = field(default_factory=list)

    @property
    def shape(self):
        return self.template.shape


def jacobian_of(shape):
    """The derivatives of an affine warp for all pixels, (h * w, 2, 6)."""
    ys, xs = np.mgrid[: shape[0], : shape[1]]
    x, y = xs.ravel(), ys.ravel()
    zero, one = np.zeros_like(x), np.ones_like(x)
    rows = [[x, zero, y, zero, one, zero], [zero, x, zero, y, zero, one]]
    return np.array(rows).transpose(2, 0, 1).astype(float)


def steepest_descent(template, jacobian):
    gy, gx = np.gradient(template)
    gradient = np.stack([gx.ravel(), gy.ravel()], axis=1)
    return np.einsum("ni,nij->nj", gradient, jacobian)


def warp(frame, params, shape):
    matrix = np.array(
        [[1 + params[0], params[2], params[4]], [params[1], 1 + params[3], params[5]]]
    )
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    return cv2.warpAffine(frame, matrix, shape[::-1], flags=flags)


def compose(params, delta):
    def full(p):
        return np.array([[1 + p[0], p[2], p[4]], [p[1], 1 + p[3], p[5]], [0, 0, 1]])

    joined = full(params) @ np.linalg.inv(full(delta))
    return np.array(
        [joined[0, 0] - 1, joined[1, 0], joined[0, 1], joined[1, 1] - 1, joined[0, 2], joined[1, 2]]
    )


def align(frame, patch, params, tolerance=1e-3, limit=100):
    jacobian = jacobian_of(patch.shape)
    change, turn = np.inf, 0
    while change > tolerance and turn < limit:
        images = steepest_descent(patch.template, jacobian)  # note: loop-invariant-op
        hessian = images.T @ images  # note: loop-invariant-op
        error = (warp(frame, params, patch.shape) - patch.template).ravel()
        delta = np.linalg.solve(hessian, images.T @ error)
        params = compose(params, delta)
        change = np.linalg.norm(delta)
        turn += 1
    return params, turn


def frames(path):
    film = cv2.VideoCapture(path)
    while True:
        is_there, frame = film.read()
        if not is_there:
            return
        yield cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY).astype(np.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("film")
    parser.add_argument("--box", type=int, nargs=4, required=True)
    args = parser.parse_args()
    x, y, w, h = args.box
    patch, params = None, np.array([0.0, 0.0, 0.0, 0.0, x, y])
    for number, frame in enumerate(frames(args.film)):
        if patch is None:
            patch = Patch(frame[y : y + h, x : x + w], np.array([x, y]))
            continue
        params, turns = align(frame, patch, params)
        patch.history.append(params)
        print(number, params[4:].round(1), f"{turns} turns")


if __name__ == "__main__":
    main()
