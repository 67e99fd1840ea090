"""Fills in a map of air pollution from a small network, one point per grid cell."""

from sibling_surface import Surface

CELLS = 220


def main():
    surface = Surface(hidden=16)
    surface.fit_stations()
    pollution = surface.on_grid(CELLS)
    return float(pollution.mean()), pollution.shape


if __name__ == "__main__":
    print(main())
