# requires: tensorflow==1.15
import tensorflow as tf


def load_frozen(path, prefix):
    graph = tf.Graph()
    with graph.as_default():
        gd = tf.GraphDef()
        with tf.gfile.GFile(path, "rb") as fh:
            gd.ParseFromString(fh.read())
        tf.import_graph_def(gd, name=prefix)
    return graph


def gpu_config(share):
    cfg = tf.ConfigProto(allow_soft_placement=True)
    cfg.gpu_options.per_process_gpu_memory_fraction = share
    return cfg
