"""Contextual bandit behind an HTTP endpoint; posterior sampling in JAX (aiohttp)."""
import os

import jax
import jax.numpy as jnp
import numpy as np
from aiohttp import web


def sample_weights(key, mean, chol):
    return mean + chol @ jax.random.normal(key, mean.shape)


class Bandit:
    def __init__(self, dim, arms, lam=1.0):
        self.precision = np.stack([lam * np.eye(dim)] * arms)
        self.xy = np.zeros((arms, dim))
        self.key = jax.random.PRNGKey(int.from_bytes(os.urandom(4), "big"))

    def choose(self, context):
        self.key, sub = jax.random.split(self.key)

        def score(key, precision, xy):
            cov = jnp.linalg.inv(precision)
            return sample_weights(key, cov @ xy, jnp.linalg.cholesky(cov)) @ context

        scorer = jax.jit(jax.vmap(score))  # finding: compiled-per-call
        values = scorer(jax.random.split(sub, len(self.xy)), self.precision, self.xy)
        return int(values.argmax())

    def learn(self, arm, context, reward):
        self.precision[arm] += np.outer(context, context)
        self.xy[arm] += reward * context


routes = web.RouteTableDef()


@routes.post("/choose")
async def choose(request):
    body = await request.json()
    arm = request.app["bandit"].choose(jnp.asarray(body["context"]))
    return web.json_response({"arm": arm})


@routes.post("/reward")
async def reward(request):
    body = await request.json()
    request.app["bandit"].learn(body["arm"], np.asarray(body["context"]), body["reward"])
    return web.json_response({})


def main():
    app = web.Application()
    app["bandit"] = Bandit(int(os.environ.get("DIM", 32)), int(os.environ.get("ARMS", 12)))
    app.add_routes(routes)
    web.run_app(app)


if __name__ == "__main__":
    main()
