import gym
import numpy as np
import tensorflow as tf
from agent import DuelAgent

flags = tf.app.flags
flags.DEFINE_string("env", "CartPole-v1", "environment")
flags.DEFINE_integer("episodes", 1000, "episodes")
flags.DEFINE_integer("batch_size", 64, "batch size")
FLAGS = flags.FLAGS


def play(env, agent, episodes, batch_size):
    scores = []
    for episode in range(episodes):
        state, score, done = env.reset(), 0, False
        while not done:
            action = agent.act(state)
            following, reward, done, _ = env.step(action)
            agent.memory.append((state, action, reward, following, float(done)))
            state, score = following, score + reward
            if len(agent.memory) >= 10 * batch_size:
                agent.learn(batch_size)
                agent.soft_update()
        agent.epsilon = max(0.02, agent.epsilon * 0.995)
        if episode % 50 == 0:
            agent.hard_update()
            print(episode, np.mean(scores[-50:]) if scores else score)
        scores.append(score)
    return scores


def main(_):
    env = gym.make(FLAGS.env)
    with tf.Session() as sess:
        agent = DuelAgent(sess, env.observation_space.shape[0], env.action_space.n)
        sess.run(tf.global_variables_initializer())
        agent.hard_update()
        play(env, agent, FLAGS.episodes, FLAGS.batch_size)
        print(agent.norms())
        tf.train.Saver().save(sess, "models/duel")


if __name__ == "__main__":
    tf.app.run()
