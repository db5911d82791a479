"""Known numbers, written in any dialect, come back exactly, or a sentence comes: never other numbers."""

from dialects import Dialect, columns, come_back_or_are_refused, dialects
from hypothesis import given, settings


@given(columns(), columns(), dialects())
@settings(max_examples=300, deadline=None)
def test_numbers_in_any_dialect_come_back_or_a_sentence_comes(tmp_path_factory, a, b, dialect: Dialect) -> None:
    come_back_or_are_refused(tmp_path_factory.getbasetemp(), a, b, dialect)
