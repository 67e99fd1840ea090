"""Compressed-sensing MRI: SENSE reconstruction with a wavelet-free TV prior, by FISTA.

Reads one slice as .npz: `kspace` (coils, y, x) complex64, `maps` (coils, y, x) complex64,
`mask` (y, x) bool. Writes the complex image and the data term's history.
"""
import argparse
import logging

import jax
import jax.numpy as jnp
import numpy as np

log = logging.getLogger("sense")


def to_kspace(image, maps):
    coils = jnp.fft.fftshift(maps * image, axes=(-2, -1))
    return jnp.fft.fft2(coils, norm="ortho")


def from_kspace(kspace, maps):
    coils = jnp.fft.ifftshift(jnp.fft.ifft2(kspace, norm="ortho"), axes=(-2, -1))
    return (maps.conj() * coils).sum(axis=0)


def gradient(image):
    return jnp.stack([jnp.roll(image, -1, axis=0) - image, jnp.roll(image, -1, axis=1) - image])


def divergence(field):
    dy, dx = field
    return dy - jnp.roll(dy, 1, axis=0) + dx - jnp.roll(dx, 1, axis=1)


def tv_prox(image, weight, rounds=20):
    """Chambolle's dual iteration for the total-variation step."""

    def body(_, dual):
        dual = dual + 0.125 / weight * gradient(image + weight * divergence(dual))
        return dual / jnp.maximum(1.0, jnp.sqrt((jnp.abs(dual) ** 2).sum(axis=0)))

    dual = jax.lax.fori_loop(0, rounds, body, jnp.zeros((2, *image.shape), image.dtype))
    return image + weight * divergence(dual)


@jax.jit
def fista_step(image, ahead, t, kspace, maps, mask, weight):
    residual = mask * (to_kspace(ahead, maps) - kspace)
    moved = tv_prox(ahead - from_kspace(residual, maps), weight)
    t_next = (1.0 + jnp.sqrt(1.0 + 4.0 * t**2)) / 2.0
    ahead = moved + (t - 1.0) / t_next * (moved - image)
    return moved, ahead, t_next, jnp.vdot(residual, residual).real


def load_slice(path):
    with np.load(path) as data:
        kspace, maps, mask = data["kspace"], data["maps"], data["mask"]
    norm = np.sqrt((np.abs(maps) ** 2).sum(axis=0)).max()
    scale = np.abs(kspace).max()
    return kspace / scale, maps / norm, mask.astype(np.float32), scale


def reconstruct(kspace, maps, mask, weight, iterations):
    image = jnp.zeros(mask.shape, jnp.complex64)
    ahead, t = image, jnp.float32(1.0)
    history = []
    measured = jax.device_put(kspace)
    coil_maps = jax.device_put(maps)
    sampled = jax.device_put(mask)
    for i in range(iterations):
        image, ahead, t, misfit = fista_step(
            image, ahead, t, measured, coil_maps, sampled, weight
        )
        history.append(misfit)
        if i % 50 == 0:
            log.info("iteration %d, misfit %.4g", i, float(misfit))
    return image, jnp.stack(history)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("slice")
    parser.add_argument("image")
    parser.add_argument("--weight", type=float, default=2e-3)
    parser.add_argument("--iterations", type=int, default=300)
    args = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")

    kspace, maps, mask, scale = load_slice(args.slice)
    log.info("%d coils, %.1f%% of k-space sampled", len(maps), 100 * mask.mean())
    image, history = reconstruct(kspace, maps, mask, args.weight, args.iterations)
    np.savez(args.image, image=np.asarray(image) * scale, misfit=np.asarray(history))


if __name__ == "__main__":
    main()
