# %% [markdown]
# Heat equation with a physics-informed network
# %%
import numpy as np
import tensorflow as tf

tf.random.set_seed(1)
net = tf.keras.Sequential([tf.keras.layers.Dense(32, "tanh") for _ in range(4)] + [tf.keras.layers.Dense(1)])
opt = tf.keras.optimizers.Adam(1e-3)


def residual(t, x):
    with tf.GradientTape(persistent=True) as outer:
        outer.watch([t, x])
        with tf.GradientTape() as inner:
            inner.watch(x)
            u = net(tf.concat([t, x], 1))
        u_x = inner.gradient(u, x)
    u_t, u_xx = outer.gradient(u, t), outer.gradient(u_x, x)
    return u_t - 0.1 * u_xx


# %%
history = []
for step in range(20000):  # finding: eager-loop
    t = tf.random.uniform((256, 1))
    x = tf.random.uniform((256, 1), -1, 1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(residual(t, x)))
    grads = tape.gradient(loss, net.trainable_variables)
    opt.apply_gradients(zip(grads, net.trainable_variables))
    if step % 100 == 0:
        history.append(loss.numpy())

# %%
grid = np.stack(np.meshgrid(np.linspace(0, 1, 50), np.linspace(-1, 1, 50)), -1).reshape(-1, 2)
values = []
for point in grid:
    values.append(net.predict(point[None], verbose=0)[0, 0])  # finding: predict-per-item
values = np.array(values)
