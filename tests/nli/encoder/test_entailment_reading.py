from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from medassay.models.nli.encoder.tokenisation import Encoded, Reader
from medassay.models.records import Span

TEXT = "Aspirin lowered the risk of stroke. Blood was stored at night."


def test_the_special_tokens_of_a_pair_are_learnt_from_the_tokenizer(
    base_folder: Path, checkpoint_folder: Path
) -> None:
    mpnet, bert = Reader.from_folder(base_folder), Reader.from_folder(checkpoint_folder)
    assert mpnet.pair((7, 8), (9,)) == Encoded((0, 7, 8, 2, 2, 9, 2), (1, 3), (5, 6), (0, 0, 0, 0, 0, 1, 1))
    assert bert.pair((7, 8), (9,)) == Encoded((0, 7, 8, 2, 9, 2), (1, 3), (4, 5), (0, 0, 0, 0, 1, 1))
    assert (mpnet.n_special, bert.n_special) == (4, 3)


def test_pieces_are_sentences_with_their_place_and_nothing_is_cut_off(base_folder: Path) -> None:
    pieces = Reader.from_folder(base_folder).pieces(TEXT, 20)
    assert [TEXT[p.span.start : p.span.end] for p in pieces] == [
        "Aspirin lowered the risk of stroke.",
        "Blood was stored at night.",
    ]
    assert [len(p.ids) for p in pieces] == [7, 6]


def test_tokens_that_hold_the_space_before_them_belong_to_their_own_sentence() -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    words = {"▁" + word.strip(".") for word in f"{TEXT} blood heart".split()}
    tokenizer = Tokenizer(
        models.Unigram([("<unk>", 0.0), *((word, -1.0) for word in sorted(words | {"."}))], unk_id=0)
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(single="$A", pair="$A $B:1")
    pieces = Reader(tokenizer).pieces(TEXT, 20)
    assert [TEXT[p.span.start : p.span.end] for p in pieces] == [
        "Aspirin lowered the risk of stroke.",
        "Blood was stored at night.",
    ]
    assert tokenizer.id_to_token(pieces[1].ids[0]) == "▁Blood"


def test_a_long_sentence_becomes_overlapping_parts(base_folder: Path) -> None:
    pieces = Reader.from_folder(base_folder).pieces(TEXT, 4)
    assert [TEXT[p.span.start : p.span.end] for p in pieces] == [
        "Aspirin lowered the risk",
        "risk of stroke.",
        "Blood was stored at",
        "at night.",
    ]


class Asked:
    """An encoding that counts how often it lays out the whole passage, as the real one does each time it is asked."""

    def __init__(self, encoding: Any) -> None:
        self.encoding, self.times = encoding, 0

    def __getattr__(self, name: str) -> Any:
        self.times += 1
        return getattr(self.encoding, name)


def test_a_long_passage_is_laid_out_once_however_many_pieces_it_has(
    base_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = Reader.from_folder(base_folder)
    told = []
    for text in (TEXT, " ".join([TEXT] * 40)):
        asked = Asked(reader.tokenizer.encode(text, add_special_tokens=False))
        monkeypatch.setattr(reader, "tokenizer", SimpleNamespace(encode=lambda *_, asked=asked, **__: asked))
        pieces = reader.pieces(text, 4)
        monkeypatch.undo()
        told.append((len(pieces), asked.times))
    (few, times), (many, again) = told
    assert many == 40 * few
    assert times == again


def test_text_without_a_full_stop_and_empty_text(base_folder: Path) -> None:
    reader = Reader.from_folder(base_folder)
    assert [p.span for p in reader.pieces("aspirin", 10)] == [Span(0, 7)]
    assert reader.pieces("", 10) == []
    assert reader.pieces("  \n ", 10) == []
