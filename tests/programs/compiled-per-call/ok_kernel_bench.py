"""Compile and run times of attention variants over a grid of shapes, for the table in our report."""
import csv
import itertools
import sys
import time

import jax
import jax.numpy as jnp
from jax import lax


def plain(q, k, v):
    s = jnp.einsum("bqhd,bkhd->bhqk", q, k) / jnp.sqrt(q.shape[-1])
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(s), v)


def chunked(q, k, v, size=128):
    n = q.shape[1] // size
    qs = q.reshape(q.shape[0], n, size, *q.shape[2:]).swapaxes(0, 1)
    _, out = lax.scan(lambda c, qi: (c, plain(qi, k, v)), None, qs)
    return out.swapaxes(0, 1).reshape(q.shape)


def local(q, k, v):
    n = q.shape[1]
    near = jnp.abs(jnp.arange(n)[:, None] - jnp.arange(n)[None]) < 64
    s = jnp.einsum("bqhd,bkhd->bhqk", q, k) / jnp.sqrt(q.shape[-1])
    return jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(jnp.where(near, s, -1e9)), v)


VARIANTS = {"plain": plain, "chunked": chunked, "local": local}


def make_inputs(batch, length, heads, dim, dtype):
    keys = jax.random.split(jax.random.PRNGKey(0), 3)
    return [jax.random.normal(k, (batch, length, heads, dim), dtype) for k in keys]


def measure(name, args, repeats=20):
    fn = VARIANTS[name]
    started = time.perf_counter()
    compiled = jax.jit(fn).lower(*args).compile()
    compile_s = time.perf_counter() - started
    compiled(*args).block_until_ready()
    started = time.perf_counter()
    for _ in range(repeats):
        out = compiled(*args)
    out.block_until_ready()
    return compile_s, (time.perf_counter() - started) / repeats


def check():
    args = make_inputs(2, 256, 4, 32, jnp.float32)
    want = plain(*args)
    for fn in (plain, chunked):
        got = jax.jit(fn)(*args)
        assert jnp.allclose(got, want, atol=1e-4)


def main():
    check()
    out = csv.writer(sys.stdout)
    out.writerow(["variant", "batch", "length", "dtype", "compile_s", "run_s"])
    for name, batch, length, dtype in itertools.product(VARIANTS, (1, 8), (512, 1024, 2048), ("float32", "bfloat16")):
        args = make_inputs(batch, length, 8, 64, dtype)
        compile_s, run_s = measure(name, args)
        out.writerow([name, batch, length, dtype, f"{compile_s:.3f}", f"{run_s:.6f}"])


if __name__ == "__main__":
    main()
