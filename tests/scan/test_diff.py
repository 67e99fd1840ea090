from tests.scan.builders import hit, run

from deepperf.scan.diff import difference


def test_an_alarm_that_moved_to_another_line_is_neither_gained_nor_lost() -> None:
    change = difference(run(hit(line=3)), run(hit(line=30)))

    assert change.gained == change.lost == ()


def test_alarms_on_new_text_are_gained_and_on_vanished_text_lost() -> None:
    old, new = hit(text="a.map(f)"), hit(text="b.map(f)")

    change = difference(run(old), run(new))

    assert change.gained == (new,)
    assert change.lost == (old,)


def test_of_two_alarms_on_equal_lines_one_can_be_lost() -> None:
    first, second = hit(line=3, occurrence=1), hit(line=9, occurrence=2)

    assert difference(run(first, second), run(first)).lost == (second,)


def test_the_same_line_under_another_rule_is_another_alarm() -> None:
    change = difference(run(hit(rule="serial-map")), run(hit(rule="graph-growth")))

    assert [one.rule for one in change.gained] == ["graph-growth"]
    assert [one.rule for one in change.lost] == ["serial-map"]


def test_a_package_is_compared_with_its_next_version() -> None:
    change = difference(run(hit(version="1.0")), run(hit(version="1.1")))

    assert change.gained == change.lost == ()
    assert change.apart == ()


def test_two_versions_of_a_package_in_one_run_are_kept_apart() -> None:
    old = run(hit(version="1.0"), hit(version="2.0"))
    new = run(hit(version="1.0"), hit(version="2.0", text="other"))

    change = difference(old, new)

    assert [one.version for one in change.gained + change.lost] == ["2.0", "2.0"]


def test_a_package_that_one_run_did_not_look_at_is_named_and_not_compared() -> None:
    change = difference(run(hit()), run(hit(), hit(package="trees")))

    assert change.gained == ()
    assert change.apart == ("trees",)
