"""Compressed files are read within bounds, and names of any length are shown in a line."""

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from medassay.models.intake import BadRow, IntakeError, read_data
from medassay.models.usage import UsageError

UNCHECKED = 1 << 20


@pytest.fixture(autouse=True)
def few_bytes_are_unchecked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look at the ratio after one megabyte: what is refused after 32 takes seconds to write."""
    monkeypatch.setattr("medassay.models.unpacking.UNCHECKED_BYTES", UNCHECKED)


@pytest.fixture(scope="module")
def blanks() -> bytes:
    """Return 4 MiB of blanks, gzipped; a gigabyte is no other."""
    packer = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | 16)
    part = b" " * (1 << 20)
    return b"".join([*(packer.compress(part) for _ in range(4)), packer.flush()])


@pytest.mark.parametrize("name", ["data.json.gz", "data.jsonl.gz", "data.csv.gz", "data.parquet.gz"])
def test_a_file_that_unpacks_to_blanks_without_end_is_refused(
    tmp_path: Path, blanks: bytes, name: str
) -> None:
    (tmp_path / name).write_bytes(blanks)
    with pytest.raises(IntakeError) as error:
        list(read_data(tmp_path / name).rows)
    assert str(error.value) == (
        f"{tmp_path / name}: it unpacks to more than 250 times its size; give it unpacked if it is sound"
    )


def test_exported_sources_that_unpack_without_end_are_refused(tmp_path: Path, blanks: bytes) -> None:
    from medassay.models.sources.transfer import read_sources

    (tmp_path / "s.jsonl.gz").write_bytes(blanks)
    with pytest.raises(UsageError, match="it unpacks to more than 250 times its size"):
        list(read_sources(tmp_path / "s.jsonl.gz"))


def test_a_large_file_of_ordinary_texts_is_read(tmp_path: Path) -> None:
    def lines() -> Iterator[str]:
        for n in range(600):
            text = (
                f"Sentence {n} says that {n * 7919 % 10007} of {n * 304729 % 99991} patients got better. "
                * 30
            )
            yield json.dumps({"question_id": str(n), "question": text}) + "\n"

    with gzip.open(tmp_path / "questions.jsonl.gz", "wt", compresslevel=1) as file:
        size = sum(map(file.write, lines()))
    assert size > UNCHECKED
    assert sum(1 for _ in read_data(tmp_path).rows) == 600


def test_a_name_of_a_megabyte_is_shown_in_a_line(tmp_path: Path) -> None:
    long = "x" * 1_000_000
    rows = {
        "a.csv": f"{long},y\n1,2\n",
        "b.jsonl": json.dumps({"question_id": "1", "question": "Q?", long: 1}),
        "c.jsonl": json.dumps({"question_id": "1", "question": "Q?", long: "half \ud83d"}),
        "questions.csv": f"question_id,{long}\n1,2\n",
        "d.json": json.dumps({"results": [{"question_id": "1", "question": "Q?"}], long: [1]}),
    }
    for name, text in rows.items():
        path = tmp_path / name
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        try:
            data = read_data(path)
            found = list(data.rows)
        except IntakeError as error:
            said = [str(error)]
        else:
            said = [*data.warnings, *(row.observed for row in found if isinstance(row, BadRow))]
        assert said and all(len(line) < 1000 for line in said), name
