from .runtime import execute, load


class Reader:
    def __init__(self):
        self.graph = load()

    def line(self, image):
        return execute(self.graph, "ocr/text:0", {"ocr/image:0": image})

    def page(self, images):
        return b"\n".join(self.line(image) for image in images)
