from concurrent import futures

import cv2
import grpc
import numpy as np
import tensorflow as tf

import faces_pb2
import faces_pb2_grpc
from engine import Embedder, load_graph, run_once, shared_session, whiten


class Faces(faces_pb2_grpc.FacesServicer):
    def __init__(self):
        self.graph = load_graph("mtcnn.pb")
        self.embed = Embedder()

    def Compare(self, request, context):
        left, right = (self.embed(np.stack([whiten(self.decode(p))])) for p in request.pictures)
        return faces_pb2.Distance(value=float(np.linalg.norm(left - right)))

    def Embed(self, request, context):
        crops = np.stack([whiten(self.decode(p)) for p in request.pictures])
        vectors = shared_session().run("embeddings:0", {"input:0": crops})
        return faces_pb2.Vectors(values=vectors.ravel().tolist())

    @staticmethod
    def decode(data):
        return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR)


def enroll(folder_files):
    graph = load_graph("facenet.pb")
    gallery = {}
    for name, files in folder_files.items():
        crops = np.stack([whiten(cv2.imread(f)) for f in files])
        gallery[name] = run_once(graph, crops).mean(0)
    return gallery


def enroll_fast(folder_files):
    embed = Embedder()
    return {
        name: embed(np.stack([whiten(cv2.imread(f)) for f in files])).mean(0)
        for name, files in folder_files.items()
    }


def thumbnails(files):
    small = []
    for path in files:
        with tf.Graph().as_default(), tf.Session() as sess:  # finding: session-per-step
            image = tf.image.decode_jpeg(tf.read_file(path))
            small.append(sess.run(tf.image.resize_images(image, (64, 64))))
    return small


def serve():
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4))
    faces_pb2_grpc.add_FacesServicer_to_server(Faces(), server)
    server.add_insecure_port("[::]:50051")
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    serve()
