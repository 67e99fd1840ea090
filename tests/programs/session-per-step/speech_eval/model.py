import tensorflow as tf

ALPHABET = " 'abcdefghijklmnopqrstuvwxyz"


class Recognizer(object):
    def __init__(self, hparams, checkpoint):
        self.hparams = hparams
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.frames = tf.placeholder(tf.float32, [None, None, hparams["features"]], name="frames")
            self.lengths = tf.placeholder(tf.int32, [None], name="lengths")
            self.logits = self.build()
            self.saver = tf.train.Saver()
        self.sess = self.open_session()
        self.saver.restore(self.sess, checkpoint)

    def open_session(self):
        config = tf.ConfigProto()
        config.gpu_options.allow_growth = True
        return tf.Session(graph=self.graph, config=config)  # finding: session-per-step

    def build(self):
        cell = tf.nn.rnn_cell.GRUCell(self.hparams["units"])
        outputs, _ = tf.nn.dynamic_rnn(cell, self.frames, self.lengths, dtype=tf.float32)
        return tf.layers.dense(outputs, len(ALPHABET) + 1)

    def close(self):
        self.sess.close()


class BeamRecognizer(Recognizer):
    def __init__(self, hparams, checkpoint, width=100):
        self.width = width
        super(BeamRecognizer, self).__init__(hparams, checkpoint)

    def build(self):
        logits = super(BeamRecognizer, self).build()
        decoded, _ = tf.nn.ctc_beam_search_decoder(
            tf.transpose(logits, [1, 0, 2]), self.lengths, beam_width=self.width
        )
        self.decoded = tf.sparse_tensor_to_dense(decoded[0], default_value=-1)
        return logits

    def decode(self, frames):
        ids = self.sess.run(
            self.decoded, {self.frames: frames[None], self.lengths: [frames.shape[0]]}
        )
        return "".join(ALPHABET[i] for i in ids[0] if i >= 0)


class LanguageModel(object):
    """Scores sentences; one object scores all of them."""

    def __init__(self, checkpoint, vocab_size):
        graph = tf.Graph()
        with graph.as_default():
            self.words = tf.placeholder(tf.int32, [None, None])
            emb = tf.get_variable("emb", [vocab_size, 256])
            cell = tf.nn.rnn_cell.LSTMCell(512)
            outputs, _ = tf.nn.dynamic_rnn(
                cell, tf.nn.embedding_lookup(emb, self.words), dtype=tf.float32
            )
            logits = tf.layers.dense(outputs, vocab_size)
            self.nll = tf.reduce_sum(
                tf.nn.sparse_softmax_cross_entropy_with_logits(
                    labels=self.words[:, 1:], logits=logits[:, :-1]
                ),
                axis=1,
            )
            saver = tf.train.Saver()
        self.sess = tf.Session(graph=graph)
        saver.restore(self.sess, checkpoint)

    def score(self, words):
        return self.sess.run(self.nll, {self.words: words})
