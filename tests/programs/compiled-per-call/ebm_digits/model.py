import flax.linen as nn
import jax


class Energy(nn.Module):
    width: int = 32

    @nn.compact
    def __call__(self, x):
        x = nn.Conv(self.width, (5, 5), strides=2)(x)
        x = nn.swish(x)
        x = nn.Conv(self.width * 2, (3, 3), strides=2)(x)
        x = nn.swish(x)
        x = nn.Conv(self.width * 2, (3, 3), strides=2)(x)
        x = nn.swish(x)
        x = x.reshape((x.shape[0], -1))
        x = nn.swish(nn.Dense(128)(x))
        return nn.Dense(1)(x)[:, 0]


def init(key, shape=(1, 28, 28, 1)):
    net = Energy()
    return net, net.init(key, jax.numpy.zeros(shape))
