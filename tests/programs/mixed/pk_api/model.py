"""Two compartment PK model with log-normal between subject variability."""
import jax
import jax.numpy as jnp

OMEGA = jnp.array([0.3, 0.25, 0.4, 0.35])
TYPICAL = jnp.log(jnp.array([4.5, 30.0, 6.0, 40.0]))


def scale(theta, weight, crcl):
    w = weight / 70.0
    return jnp.exp(theta) * jnp.array([w**0.75 * (crcl / 90.0), w, w**0.75, w])


def simulate(theta, weight, crcl, dose_t, dose_mg, times, dt=0.05):
    cl, v1, q, v2 = scale(theta, weight, crcl)

    def body(state, t):
        a1, a2 = state
        bolus = jnp.sum(jnp.where(jnp.abs(dose_t - t) < dt / 2, dose_mg, 0.0))
        d1 = -(cl + q) / v1 * a1 + q / v2 * a2
        a1, a2 = a1 + bolus + dt * d1, a2 + dt * (q / v1 * a1 - q / v2 * a2)
        return (a1, a2), a1 / v1

    grid = jnp.arange(0.0, 240.0, dt)
    _, conc = jax.lax.scan(body, (0.0, 0.0), grid)
    return jnp.interp(times, grid, conc)


def neg_log_post(theta, weight, crcl, dose_t, dose_mg, times, levels):
    pred = simulate(theta, weight, crcl, dose_t, dose_mg, times)
    resid = (jnp.log(levels + 1e-3) - jnp.log(pred + 1e-3)) / 0.2
    return 0.5 * jnp.sum(resid**2) + 0.5 * jnp.sum(((theta - TYPICAL) / OMEGA) ** 2)


curve = jax.jit(simulate)
