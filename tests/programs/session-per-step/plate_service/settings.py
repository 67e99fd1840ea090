import os

MODEL_DIR = os.environ.get('MODEL_DIR', './checkpoints')
DETECTOR_PB = os.path.join(MODEL_DIR, 'plate_ssd.pb')
OCR_CKPT = os.path.join(MODEL_DIR, 'ocr')
CHARSET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-'
MIN_SCORE = 0.55
GPU_FRACTION = 0.4
