import argparse

import jax
import jax.numpy as jnp
import numpy as np
from evaluate import Evaluator, flat_policy
from strategies import OpenES


def curriculum(generation):
    """Walks get longer: three lengths in all."""
    return 100 if generation < 300 else 200 if generation < 600 else 400


def centred(candidates, fitness):
    """How the generation spread, for the log."""

    def spread(rows, weights):
        weights = jax.nn.softmax(weights)
        mean = weights @ rows
        return jnp.sqrt(weights @ jnp.sum((rows - mean) ** 2, axis=1))

    return float(jax.jit(spread)(candidates, fitness))  # finding: compiled-per-call


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--generations", type=int, default=1000)
    parser.add_argument("--population", type=int, default=256)
    parser.add_argument("--islands", action="store_true")
    args = parser.parse_args()
    key = jax.random.PRNGKey(0)
    size, policy = flat_policy(key, 6, 3)
    strategy = OpenES(size, args.population)
    evaluator = Evaluator(policy, jnp.zeros(6), curriculum(0))
    ask, tell = jax.jit(strategy.ask), jax.jit(strategy.tell)
    state = strategy.init(key)
    for generation in range(args.generations):
        key, sub = jax.random.split(key)
        evaluator.steps = curriculum(generation)
        candidates = ask(state, sub)
        scores = evaluator.generation(candidates)
        state = tell(state, candidates, scores)
        if generation % 10 == 0:
            print(generation, float(scores.max()), centred(candidates, scores))
    if args.islands:
        devices = jax.local_device_count()
        gather = jax.pmap(lambda m: jax.lax.pmean(m, "i"), axis_name="i")
        print(gather(jnp.broadcast_to(state.mean, (devices, size)))[0])
    np.save("walk.npy", np.asarray(evaluator.show(state.mean)))


if __name__ == "__main__":
    main()
