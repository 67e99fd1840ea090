"""How moves are drawn on an empty board."""

import jax.numpy as jnp


def stamp(board, cell, colour):
    return board.at[cell[0], cell[1]].set(colour)  # finding


def replay(cells, colours, side):
    board = jnp.zeros((side, side), jnp.int8)
    for cell, colour in zip(cells, colours):
        board = stamp(board, cell, colour)
    return board
