import jax
import jax.numpy as jnp


def burgers_residual(net, params, t, x, nu):
    u = lambda t, x: net(params, jnp.stack([t, x]))
    u_t = jax.grad(u, 0)(t, x)
    u_x = jax.grad(u, 1)(t, x)
    u_xx = jax.grad(jax.grad(u, 1), 1)(t, x)
    return u_t + u(t, x) * u_x - nu * u_xx


def make_loss(net, nu, weight):
    def loss(params, points, start, start_u):
        r = jax.vmap(lambda p: burgers_residual(net, params, p[0], p[1], nu))(points)
        u0 = jax.vmap(lambda p: net(params, p))(start)
        return jnp.mean(r ** 2) + weight * jnp.mean((u0 - start_u) ** 2)

    return loss
