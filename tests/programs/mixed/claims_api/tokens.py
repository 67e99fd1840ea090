import zlib


def encode(text, buckets=20_000, length=200):
    codes = [zlib.crc32(word.encode()) % buckets for word in text.lower().split()]
    return (codes + [0] * length)[:length]
