import jax
import jax.numpy as jnp


class Minimizer:
    def __init__(self, objective, tolerance=1e-5):
        self.objective = objective
        self.tolerance = tolerance

    def run(self, start, rate=1e-2):
        point = start
        change = jnp.inf
        while change > self.tolerance:
            value, slope = jax.jit(jax.value_and_grad(self.objective))(point)  # finding: compiled-per-call
            point = point - rate * slope
            change = jnp.linalg.norm(slope)
        return point, value


def rosenbrock(p):
    return jnp.sum(100.0 * (p[1:] - p[:-1] ** 2) ** 2 + (1 - p[:-1]) ** 2)


print(Minimizer(rosenbrock).run(jnp.zeros(10)))
