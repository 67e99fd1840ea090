# requires: tensorflow==1.15
import argparse
import logging
import time
from concurrent import futures

import cv2
import grpc
import numpy as np

import plates_pb2
import plates_pb2_grpc
from stages import PlateDetector, PlateReader

log = logging.getLogger("plates")


class Plates(plates_pb2_grpc.PlatesServicer):
    def __init__(self, detector, reader):
        self.detector, self.reader = detector, reader

    def _crops(self, frame, boxes):
        h, w = frame.shape[:2]
        for y0, x0, y1, x1 in boxes:
            crop = frame[int(y0 * h) : int(y1 * h), int(x0 * w) : int(x1 * w)]
            yield cv2.resize(crop, (160, 48)).astype(np.float32) / 255.0

    def Recognize(self, request, context):
        t0 = time.time()
        frame = cv2.imdecode(np.frombuffer(request.jpeg, np.uint8), cv2.IMREAD_COLOR)
        if frame is None:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "not a jpeg")
        crops = list(self._crops(frame, self.detector(frame)))
        texts = self.reader(crops) if crops else []
        log.info("%d plates %.0f ms", len(texts), 1e3 * (time.time() - t0))
        return plates_pb2.Reply(text=texts)

    def RecognizeStream(self, request_iterator, context):
        for request in request_iterator:
            yield self.Recognize(request, context)


def serve():
    ap = argparse.ArgumentParser()
    ap.add_argument("--detector", required=True)
    ap.add_argument("--ocr", required=True)
    ap.add_argument("--port", type=int, default=7000)
    a = ap.parse_args()
    detector = PlateDetector(a.detector)
    detector(np.zeros((720, 1280, 3), np.uint8))
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4))
    plates_pb2_grpc.add_PlatesServicer_to_server(Plates(detector, PlateReader(a.ocr)), server)
    server.add_insecure_port("[::]:%d" % a.port)
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO)
    serve()
