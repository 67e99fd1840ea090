import json
import pickle
from functools import lru_cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import tornado.ioloop
import tornado.web


def forward(params, x, activation):
    for weights, bias in params[:-1]:
        x = activation(x @ weights + bias)
    weights, bias = params[-1]
    return x @ weights + bias


@lru_cache(maxsize=8)
def compiled(name):
    return jax.jit(partial(forward, activation=getattr(jax.nn, name)))


class Base(tornado.web.RequestHandler):
    def initialize(self, params):
        self.params = params

    def rows(self):
        return np.asarray(json.loads(self.request.body)["rows"], np.float32)


class Scores(Base):
    def post(self):
        run = jax.jit(partial(forward, activation=jax.nn.relu))  # finding: compiled-per-call
        self.write({"scores": np.asarray(run(self.params, self.rows())).tolist()})


class Cached(Base):
    def post(self, name):
        run = compiled(name)
        self.write({"scores": np.asarray(run(self.params, self.rows())).tolist()})


class Explain(Base):
    async def post(self):
        rows = self.rows()
        self.write({"slopes": np.asarray(self.slopes(rows)).tolist()})

    def slopes(self, rows):
        def best(x):
            return jnp.max(forward(self.params, x, jax.nn.relu))

        return jax.jit(jax.vmap(jax.grad(best)))(rows)  # finding: compiled-per-call


class Curvature(Base):
    def post(self):
        self.write({"hessian": np.asarray(hessian(self.params, self.rows()[0])).tolist()})


@jax.jit
def hessian(params, row):
    return jax.hessian(lambda x: forward(params, x, jnp.tanh).sum())(row)


def application(params):
    extra = {"params": params}
    return tornado.web.Application([
        (r"/scores", Scores, extra),
        (r"/scores/(\w+)", Cached, extra),
        (r"/explain", Explain, extra),
        (r"/curvature", Curvature, extra),
    ])


if __name__ == "__main__":
    with open("params.pickle", "rb") as file:
        application(pickle.load(file)).listen(8888)
    tornado.ioloop.IOLoop.current().start()
