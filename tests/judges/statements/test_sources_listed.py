import pytest

from medassay.models.judges.statements.sources_listed import without_listed_sources
from medassay.models.records import Reference


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            "Statins help [1].\n\nReferences:\n1. Smith J. Statins. Lancet 2019;393:407. doi:10.1016/S0140-6736(18)31942-1\n"
            "2. https://www.example.org/statins\n",
            "Statins help [1].\n\nReferences:",
        ),
        (
            "Statins help.\n\nReferences:\nStatins raise the risk of stroke and should be stopped.",
            "Statins help.\n\nReferences:\nStatins raise the risk of stroke and should be stopped.",
        ),
        ("Statins help.\n\nSources:\n[1] On statins. leaflet-7", "Statins help.\n\nSources:"),
        ("Statins help.", "Statins help."),
    ],
)
def test_entries_that_say_where_to_look_are_left_out_and_others_stay(text: str, kept: str) -> None:
    found = without_listed_sources(text, (Reference(document="leaflet-7"),))
    assert " ".join(found.split()) == " ".join(kept.split())
