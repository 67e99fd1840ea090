# requires: tensorflow==2.3.0
import json
from http.server import BaseHTTPRequestHandler, HTTPServer

import tensorflow as tf

tf1 = tf.compat.v1
tf1.disable_eager_execution()

prices = tf1.placeholder(tf.float32, [None])
moving = tf.nn.softmax(prices)


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        length = int(self.headers["Content-Length"])
        values = json.loads(self.rfile.read(length))
        with tf1.Session() as sess:  # finding: session-per-step
            answer = sess.run(moving, feed_dict={prices: values}).tolist()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())


def main():
    HTTPServer(("", 8000), Handler).serve_forever()


if __name__ == "__main__":
    main()
