import argparse

from captcha.feed import feed


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("pattern")
    options = parser.parse_args()
    for images, texts in feed(options.pattern, 16):
        print(images.shape, texts[0])


if __name__ == "__main__":
    main()
