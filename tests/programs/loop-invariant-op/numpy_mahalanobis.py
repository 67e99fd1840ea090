"""Outliers of a table by Mahalanobis distance."""
import sys

import numpy as np


def distances(rows, covariance, center):
    found = []
    for row in rows:
        inverse = np.linalg.inv(covariance)  # note: loop-invariant-op
        offset = row - center
        found.append(float(np.sqrt(offset @ inverse @ offset)))
    return found


def main(path):
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    covariance = np.cov(table, rowvar=False)
    center = table.mean(axis=0)
    for index, distance in enumerate(distances(table, covariance, center)):
        if distance > 4:
            print(index, round(distance, 2))


if __name__ == "__main__":
    main(sys.argv[1])
