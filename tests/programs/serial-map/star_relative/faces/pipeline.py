from .io_ops import *


def triplet_batches(filenames, identities, people, per_person):
    faces = face_dataset(filenames, identities)
    faces = faces.map(read_face)  # finding: serial-map
    faces = faces.batch(people * per_person)
    return faces.make_one_shot_iterator().get_next()
