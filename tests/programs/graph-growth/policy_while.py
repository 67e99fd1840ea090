# requires: tensorflow==1.10.0
import gym
import tensorflow as tf

env = gym.make("CartPole-v0")
observation = tf.placeholder(tf.float32, [1, 4])
hidden = tf.layers.dense(observation, 16, tf.nn.relu)
logits = tf.layers.dense(hidden, env.action_space.n)

sess = tf.InteractiveSession()
tf.global_variables_initializer().run()

episode = 0
while episode < 1000:
    state = env.reset()
    done = False
    total = 0.0
    while not done:
        sampled = tf.multinomial(logits, 1)  # finding: graph-growth
        action = sess.run(sampled, {observation: state[None]})[0, 0]
        state, reward, done, _ = env.step(action)
        total += reward
    episode += 1
    if episode % 10 == 0:
        print(episode, total)
