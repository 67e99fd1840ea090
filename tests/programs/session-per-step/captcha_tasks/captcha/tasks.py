import base64
import os

from celery import Celery
from celery.utils.log import get_task_logger

from .solver import CaptchaSolver

logger = get_task_logger(__name__)
app = Celery("captcha", broker=os.environ.get("BROKER", "redis://localhost"), backend="rpc://")
MODEL_DIR = os.environ.get("CAPTCHA_MODEL", "/srv/captcha/1")


@app.task(bind=True, max_retries=2)
def solve_captcha(self, payload):
    png = base64.b64decode(payload["image"])
    try:
        with CaptchaSolver(MODEL_DIR) as solver:
            text = solver.solve(png)
    except OSError as error:
        raise self.retry(exc=error, countdown=5)
    logger.info("solved %s: %s", payload["id"], text)
    return {"id": payload["id"], "text": text}


@app.task
def forget(keys):
    return len(keys)
