# requires: jax==0.4.26
"""gRPC server for robot policies trained with brax."""
import argparse
import pickle
from concurrent import futures

import flax.linen as nn
import grpc
import jax
import jax.numpy as jnp
import numpy as np

import policy_pb2
import policy_pb2_grpc


class Policy(nn.Module):
    hidden: tuple
    actions: int

    @nn.compact
    def __call__(self, obs):
        for width in self.hidden:
            obs = nn.swish(nn.Dense(width)(obs))
        mean, log_std = jnp.split(nn.Dense(2 * self.actions)(obs), 2, axis=-1)
        return mean, jnp.exp(log_std)


class PolicyServicer(policy_pb2_grpc.PolicyServicer):
    def __init__(self, folder, seed=0):
        with open(f"{folder}/policy.pkl", "rb") as f:
            saved = pickle.load(f)
        self.net = Policy(saved["hidden"], saved["actions"])
        self.params = jax.device_put(saved["params"])
        self.key = jax.random.PRNGKey(seed)
        self.value = jax.jit(lambda p, o: self.net.apply(p, o)[0].mean())

    def Act(self, request, context):
        obs = jnp.asarray(np.frombuffer(request.observation, np.float32))
        self.key, key = jax.random.split(self.key)

        def sample(params, obs, key):
            mean, std = self.net.apply(params, obs)
            return jnp.tanh(mean + std * jax.random.normal(key, mean.shape))

        act = jax.jit(sample)  # finding: compiled-per-call
        action = act(self.params, obs, key)
        return policy_pb2.Action(action=np.asarray(action).tobytes())

    def Value(self, request, context):
        obs = jnp.asarray(np.frombuffer(request.observation, np.float32))
        return policy_pb2.Value(value=float(self.value(self.params, obs)))


def serve(folder, port, workers):
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=workers))
    policy_pb2_grpc.add_PolicyServicer_to_server(PolicyServicer(folder), server)
    server.add_insecure_port(f"[::]:{port}")
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--port", type=int, default=50051)
    parser.add_argument("--workers", type=int, default=4)
    args = parser.parse_args()
    serve(args.folder, args.port, args.workers)
