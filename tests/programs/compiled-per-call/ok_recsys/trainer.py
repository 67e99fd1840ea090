import tensorflow as tf

from .steps import make_eval_step, make_train_step


class Trainer:
    def __init__(self, model, config):
        self.model = model
        self.config = config
        self.optimizer = tf.keras.optimizers.Adam(config["lr"])
        self.loss_fn = tf.keras.losses.BinaryCrossentropy(from_logits=True)
        self.auc = tf.keras.metrics.AUC(from_logits=True)
        self.eval_step = make_eval_step(model, [self.auc])
        self._train_step = None
        self._rankers = {}

    def train_epoch(self, dataset):
        if self._train_step is None:
            self._train_step = make_train_step(
                self.model, self.optimizer, self.loss_fn, self.config.get("clip", 5.0)
            )
        total = tf.keras.metrics.Mean()
        for features, labels in dataset:
            loss, _ = self._train_step(features, labels)
            total.update_state(loss)
        return float(total.result())

    def evaluate(self, dataset):
        self.auc.reset_states()
        for features, labels in dataset:
            self.eval_step(features, labels)
        return float(self.auc.result())

    def rank(self, candidates, k):
        """The k best of some candidates; one compiled function for each k."""
        if k not in self._rankers:
            self._rankers[k] = tf.function(
                lambda ids: tf.math.top_k(self.model(ids)[:, 0], k=k),
                input_signature=[tf.TensorSpec([None, None], tf.int64)],
            )
        return self._rankers[k](candidates)

    def fit(self, train, valid, epochs):
        best = 0.0
        for epoch in range(epochs):
            loss = self.train_epoch(train)
            auc = self.evaluate(valid)
            print(f"epoch {epoch}: loss {loss:.4f} auc {auc:.4f}")
            if auc > best:
                best = auc
                self.model.save_weights(self.config["checkpoint"])
        return best
