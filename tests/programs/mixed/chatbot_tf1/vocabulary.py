WORDS = open("words.txt").read().split()
INDEX = {word: i for i, word in enumerate(WORDS)}


def ids_of(sentence):
    return [INDEX.get(word, 0) for word in sentence.split()]


def words_of(ids):
    return " ".join(WORDS[i] for i in ids)
