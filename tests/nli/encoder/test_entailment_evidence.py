from medassay.models.nli.evidence import Piece, Window, about_as_near, choose_windows
from medassay.models.records import Span

RARITY = [1.0] * 40


def piece(*ids: int, at: int = 0, finding: float = 0.0) -> Piece:
    return Piece(Span(at, at + len(ids)), ids, finding)


def test_a_passage_that_fits_is_one_window() -> None:
    pieces = [piece(1, 2), piece(3, 4), piece(5)]
    assert choose_windows(pieces, (3, 4), RARITY, 10, 4) == [Window((0, 1, 2), 1)]


def test_the_first_window_covers_the_claim_and_keeps_the_order_of_the_passage() -> None:
    pieces = [piece(1, 2, 3), piece(9, 9, 9), piece(4, 5, 6), piece(8, 8, 8)]
    windows = choose_windows(pieces, (4, 5, 1), RARITY, 6, 4)
    assert windows == [Window((0, 2), 2), Window((1, 3), 3)]


def test_rare_words_outweigh_common_ones() -> None:
    rarity = [0.1] * 10 + [5.0] * 10
    pieces = [piece(1, 2, 3), piece(11, 4, 5), piece(6, 7, 8)]
    assert choose_windows(pieces, (1, 2, 3, 11), rarity, 3, 1) == [Window((1,), 1)]


def test_what_was_found_is_read_before_what_was_asked_in_the_same_words() -> None:
    aim, other = piece(1, 2, 3, 4), piece(7, 7, 7, 7)
    for finding, read in ((0.0, 0), (0.9, 2)):
        pieces = [aim, other, piece(1, 2, 8, 9, finding=finding), other, other]
        assert choose_windows(pieces, (1, 2, 3), RARITY, 4, 1) == [Window((read,), read)]


def test_windows_end_where_what_is_left_is_far_from_the_claim() -> None:
    pieces = [piece(1, 2, 3, 4), piece(1, 2, 3, 9), piece(1, 7, 8, 9), piece(5, 6, 7, 8)]
    claim = (1, 2, 3, 4)
    first, second, third = Window((0,), 0), Window((1,), 1), Window((2,), 2)
    assert choose_windows(pieces, claim, RARITY, 4, 3, nearness=0.25) == [first, second, third]
    assert choose_windows(pieces, claim, RARITY, 4, 3, nearness=0.7) == [first, second]
    assert choose_windows(pieces, claim, RARITY, 4, 3, nearness=1.1) == [first]


def test_what_is_about_as_near_may_have_decided_and_equal_words_count_once() -> None:
    pieces = [piece(7, 8), piece(1, 2, 3), piece(1, 2, 3, 9), piece(1, 2, 3), piece(1, 7)]
    window = Window((0, 1, 2, 3, 4), 1)
    assert about_as_near(pieces, window, (1, 2, 3), RARITY) == [1, 2]
    assert about_as_near(pieces, Window((0, 1, 3, 4), 1), (1, 2, 3), RARITY) == []


def test_no_more_windows_than_allowed_and_none_of_nothing() -> None:
    pieces = [piece(i, i) for i in range(10)]
    assert len(choose_windows(pieces, (3,), RARITY, 2, 4)) == 4
    assert choose_windows([], (3,), RARITY, 2, 4) == []
