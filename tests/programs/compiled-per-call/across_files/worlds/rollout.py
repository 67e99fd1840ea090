def rollout(world, latent, policy, horizon):
    trajectory = [latent]
    for _ in range(horizon):
        latent = world.imagine(latent, policy(latent))
        trajectory.append(latent)
    return trajectory
