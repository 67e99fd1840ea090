"""The map of a game: tiles numbered row by row."""

COLUMNS = 48


def place(number):
    row, column = number // COLUMNS, number % COLUMNS
    shift = (row % 2) * 0.5
    return row * 0.866, column + shift
