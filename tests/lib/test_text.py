"""Plain text of mails."""

from gemserver.lib.text import tidy


def test_empty_lines_are_folded_and_ends_trimmed() -> None:
    assert tidy("\n\na\n\n\n \n\nb  \n\n") == "a\n\nb\n"


def test_items_of_a_list_are_wrapped_under_their_beginning() -> None:
    _title, first, *others = tidy("News:\n  * " + "word " * 30).splitlines()
    assert first.startswith("  * word")
    assert others
    assert all(line.startswith("    word") and len(line) <= 72 for line in others)


def test_paragraphs_are_wrapped_but_drawings_and_addresses_are_not() -> None:
    prose, drawing, address = "word " * 30, "  " + "x" * 100, "See https://example.org/" + "y" * 100
    lines = tidy("\n".join([prose, drawing, address])).splitlines()
    assert all(len(line) <= 72 for line in lines[:-2])
    assert lines[-2:] == [drawing, address]


def test_no_line_is_the_mark_of_a_signature() -> None:
    for length in range(60, 80):
        lines = tidy(f"-- {'x' * (length - 10)} yyyyyy --").splitlines()
        assert not any(line.strip() == "--" for line in lines), lines
