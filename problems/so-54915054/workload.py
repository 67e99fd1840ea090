"""The training steps, again and again in one session that stays open."""

STATE = {}


def setup():
    sites = Sites()
    loss = forecast_loss(sites)
    step = tf.compat.v1.train.GradientDescentOptimizer(0.1).minimize(loss)
    STATE["initialize"] = tf.compat.v1.global_variables_initializer()
    STATE["training"] = (tf.compat.v1.Session(), sites, step, loss)


def work():
    STATE["training"][0].run(STATE["initialize"])
    return train(*STATE["training"])
