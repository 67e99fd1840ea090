from collections import Counter
from pathlib import Path

from tests.scan.builders import hit

from deepperf.scan.sample import draw, excerpt

MANY = [hit(package="trees", line=line) for line in range(1, 101)]
FEW = [hit(package="ferns", line=line) for line in range(1, 4)]


def test_each_package_gives_equally_many_as_far_as_it_goes() -> None:
    drawn = draw(MANY + FEW, "serial-map", 10, seed=0)

    assert Counter(one.package for one in drawn) == {"trees": 7, "ferns": 3}


def test_the_same_seed_draws_the_same_whatever_the_order_of_the_hits() -> None:
    assert draw(MANY + FEW, "serial-map", 9, seed=1) == draw(
        FEW + MANY[::-1], "serial-map", 9, seed=1
    )


def test_another_seed_draws_others() -> None:
    assert draw(MANY, "serial-map", 5, seed=0) != draw(MANY, "serial-map", 5, seed=1)


def test_no_hit_is_drawn_twice_and_all_where_there_are_fewer() -> None:
    assert draw(FEW, "serial-map", 30, seed=0) == tuple(FEW)


def test_hits_of_other_rules_are_not_drawn() -> None:
    assert draw(FEW, "graph-growth", 30, seed=0) == ()


def test_an_excerpt_shows_the_numbered_lines_around_the_hit(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("".join(f"line {n}\n" for n in range(1, 200)))

    shown = excerpt(hit(line=100), tmp_path)

    assert (100, "line 100") in shown
    assert shown[0][0] < 100 < shown[-1][0]
    assert len(shown) < 60


def test_an_excerpt_of_a_file_that_is_gone_is_empty(tmp_path: Path) -> None:
    assert excerpt(hit(path="gone.py"), tmp_path) == ()
