"""Tags the photos that were uploaded before the service existed."""
import argparse
import json
import pathlib

from tqdm import tqdm

from settings import Settings
from tagger import AmenityTagger


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--out", default="tags.jsonl")
    args = parser.parse_args()

    tagger = AmenityTagger(Settings())
    with open(args.out, "w") as out:
        for path in tqdm(sorted(args.folder.rglob("*.jpg"))):
            tags = tagger.tag(path.read_bytes())
            out.write(json.dumps({"photo": path.name, "tags": tags}) + "\n")


if __name__ == "__main__":
    main()
