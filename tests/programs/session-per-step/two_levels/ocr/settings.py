MODEL = "ocr.pb"
