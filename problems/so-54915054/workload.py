"""The training steps, again and again in one session that stays open."""

STATE = {}


def setup():
    sites = Sites()  # noqa: F821
    loss = forecast_loss(sites)  # noqa: F821
    step = tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(loss)  # noqa: F821
    STATE["initialize"] = tf.compat.v1.global_variables_initializer()  # noqa: F821
    STATE["training"] = (tf.compat.v1.Session(), sites, step, loss)  # noqa: F821


def work():
    STATE["training"][0].run(STATE["initialize"])
    return train(*STATE["training"])  # noqa: F821
