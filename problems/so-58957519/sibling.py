"""Trains on cropped street scenes; the crops come from worker processes."""

from multiprocessing.pool import Pool

from sibling_scenes import SceneSequence, SceneTrainer


def main():
    with Pool(2) as pool:
        scenes = SceneSequence(pool, count=32, size=8)
        trainer = SceneTrainer(workers=4)
        return trainer.train(scenes)


if __name__ == "__main__":
    print(main())
