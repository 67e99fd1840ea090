"""Text VAE with KL annealing; the encoder is a bidirectional GRU."""
import argparse

import keras
import tensorflow as tf
from keras import layers

VOCAB = 16_000
MAXLEN = 48


def pipeline(path, batch_size, vectorizer):
    lines = tf.data.TextLineDataset(path)
    lines = lines.shuffle(100_000).batch(batch_size, drop_remainder=True)
    return lines.map(vectorizer, num_parallel_calls=tf.data.AUTOTUNE).prefetch(tf.data.AUTOTUNE)


class SentenceVAE(keras.Model):
    def __init__(self, latent=64, units=512):
        super().__init__()
        self.embed = layers.Embedding(VOCAB, 256)
        self.encoder = layers.Bidirectional(layers.GRU(units))
        self.mean = layers.Dense(latent)
        self.log_var = layers.Dense(latent)
        self.start = layers.Dense(units, activation="tanh")
        self.decoder = layers.GRU(units, return_sequences=True)
        self.out = layers.Dense(VOCAB)

    def call(self, tokens, training=False):
        emb = self.embed(tokens)
        h = self.encoder(emb)
        mean, log_var = self.mean(h), self.log_var(h)
        z = mean + tf.exp(0.5 * log_var) * tf.random.normal(tf.shape(mean))
        dec = self.decoder(emb[:, :-1], initial_state=self.start(z))
        return self.out(dec), mean, log_var


class Annealer:
    def __init__(self, model, total_steps, lr=5e-4):
        self.model = model
        self.total = total_steps
        self.opt = keras.optimizers.Adam(lr, global_clipnorm=5.0)
        self.rec = keras.metrics.Mean()
        self.kl = keras.metrics.Mean()

    def weight(self, step):
        return min(1.0, step / (0.3 * self.total))

    @tf.function
    def update(self, tokens, beta):
        with tf.GradientTape() as tape:
            logits, mean, log_var = self.model(tokens, training=True)
            ce = keras.losses.sparse_categorical_crossentropy(tokens[:, 1:], logits, from_logits=True)
            rec = tf.reduce_mean(tf.reduce_sum(ce, axis=-1))
            kl = -0.5 * tf.reduce_mean(tf.reduce_sum(1 + log_var - mean**2 - tf.exp(log_var), -1))
            loss = rec + beta * kl
        grads = tape.gradient(loss, self.model.trainable_variables)
        self.opt.apply_gradients(zip(grads, self.model.trainable_variables))
        self.rec.update_state(rec)
        self.kl.update_state(kl)

    def fit(self, ds, log_every=200):
        for step, tokens in enumerate(ds.repeat().take(self.total)):
            self.update(tokens, self.weight(step))
            if step % log_every == 0:
                print(step, float(self.rec.result()), float(self.kl.result()))
                self.rec.reset_state()
                self.kl.reset_state()


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("corpus")
    ap.add_argument("--steps", type=int, default=50_000)
    ap.add_argument("--batch-size", type=int, default=128)
    args = ap.parse_args()
    vec = layers.TextVectorization(VOCAB, output_sequence_length=MAXLEN)
    vec.adapt(tf.data.TextLineDataset(args.corpus).batch(4096).take(500))
    ds = pipeline(args.corpus, args.batch_size, vec)
    model = SentenceVAE()
    Annealer(model, args.steps).fit(ds)
    model.save_weights("sentence_vae.weights.h5")


if __name__ == "__main__":
    main()
