"""Plain text of mails."""

from gemserver.lib.text.plain import has_columns, keep_direction, tidy, unfold


def test_empty_lines_are_folded_and_ends_trimmed() -> None:
    assert tidy("\n\na\n\n\n \n\nb  \n\n") == "a\n\nb\n"


def test_items_of_a_list_are_wrapped_under_their_beginning() -> None:
    _title, first, *others = tidy("News:\n  * " + "word " * 30).splitlines()
    assert first.startswith("  * word")
    assert others
    assert all(line.startswith("    word") and len(line) <= 72 for line in others)


def test_paragraphs_are_wrapped_but_drawings_and_addresses_are_not() -> None:
    prose, drawing, address = "word " * 30, "  " + "x" * 100, "https://example.org/" + "y" * 100
    lines = tidy("\n".join([prose, drawing, f"{'See ' * 15}here: {address}"])).splitlines()
    assert all(len(line) <= 72 for line in lines if line not in {drawing, address})
    assert lines[-3:] == [drawing, "See " * 15 + "here:", address]


def test_what_is_to_be_written_is_not_broken_and_no_line_begins_with_a_colon() -> None:
    lines = tidy(f"{'mot ' * 15}écrivez :  club lake mail digest").splitlines()
    assert lines[-1] == "écrivez :  club lake mail digest"


def test_a_quoted_line_is_never_wrapped_into_one_without_its_mark() -> None:
    quoted = "| " + "word " * 30 + "resign"
    assert tidy(quoted) == f"{quoted}\n"


def test_maps_and_tables_are_told_from_prose() -> None:
    assert has_columns("  7   b   O   O * r   r * O")
    assert not has_columns("  D3  diamond, value 3, cost 3\n     in hand: 2 3 4")


def test_what_follows_a_name_in_hebrew_letters_stays_behind_it() -> None:
    assert keep_direction("ana: 1, שרה: 2", ["ana", "שרה"]) == "ana: 1, שרה\u200e: 2"


def test_no_line_is_the_mark_of_a_signature() -> None:
    for length in range(60, 80):
        lines = tidy(f"-- {'x' * (length - 10)} yyyyyy --").splitlines()
        assert not any(line.strip() == "--" for line in lines), lines


def test_a_board_in_words_is_unfolded_but_for_its_map() -> None:
    words = [
        "  A  ana: red (gem: jade), you, to move, 1 gem enclosed, 4 cards in your",
        "     hand",
        "     in front of you, which all others can see: a card that nobody took",
        "     gems: 2",
        "",
    ]
    area = ["  7   b   O   O * r   r * O", "      g   B   B   o   o   g"]
    assert unfold("\n".join([*words, *area])) == [
        (f"{words[0]} hand", False),
        *((line, False) for line in words[2:]),
        *((line, True) for line in area),
    ]
