"""Workbooks as tables, and the documents that people keep: bibliographies, PDFs, plain texts."""

import zipfile
from pathlib import Path
from typing import Any

import pytest

from medassay.models.intake import BadRow, Intake, IntakeError, read_data, to_document
from tests.rows import write_pdf

NBIB = """PMID- 31000001
TI  - Metformin and
      vitamin B12
LID - 10.5555/a.1 [doi]
AB  - Metformin lowered
      vitamin B12.

PMID- 31000002
TI  - No abstract
"""
RIS = """TY  - JOUR
TI  - Statins
DO  - 10.5555/b.2
AB  - Statins lowered LDL.
ER  -
"""
BIB = """@comment{x}
@article{lee2020,
  title = {Heparin},
  doi = {10.5555/c.3},
  abstract = {Heparin does not cross the {Placenta}.}
}
"""


def workbook(path: Path, **sheets: list[list[Any]]) -> None:
    """Write a workbook with the parts that every reader needs, texts inline."""

    def cell(value: Any) -> str:
        if isinstance(value, int | float):
            return f"<c><v>{value}</v></c>"
        return f'<c t="inlineStr"><is><t>{value}</t></is></c>'

    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    names = list(sheets)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "[Content_Types].xml",
            f'<Types xmlns="{package}/content-types"><Default Extension="rels" ContentType="application/vnd.'
            'openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/></Types>',
        )
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{package}/relationships"><Relationship Id="r" Type="{office}/officeDocument"'
            ' Target="xl/workbook.xml"/></Relationships>',
        )
        listed = "".join(f'<sheet name="{n}" sheetId="{i}" r:id="s{i}"/>' for i, n in enumerate(names, 1))
        archive.writestr(
            "xl/workbook.xml",
            f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>{listed}</sheets></workbook>',
        )
        related = "".join(
            f'<Relationship Id="s{i}" Type="{office}/worksheet" Target="worksheets/s{i}.xml"/>'
            for i, _ in enumerate(names, 1)
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{package}/relationships">{related}</Relationships>',
        )
        for i, name in enumerate(names, 1):
            rows = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in sheets[name])
            archive.writestr(
                f"xl/worksheets/s{i}.xml",
                f'<worksheet xmlns="{main}"><sheetData>{rows}</sheetData></worksheet>',
            )


def test_a_workbook_is_a_table(tmp_path: Path) -> None:
    sheet = [["Question", "Gold answer", "m1"], ["Is it?", "It is.", "Yes."], ["How many?", 3, 4.5]]
    workbook(tmp_path / "data.xlsx", Answers=sheet, Other=[["x", "y"], ["1", "2"]])
    data = read_data(tmp_path / "data.xlsx")
    rows = list(data.rows)
    found = [row.value for row in rows if isinstance(row, Intake)]
    assert [row["reference_answer"] for row in found if "reference_answer" in row] == ["It is.", "3"]
    assert [(row["system"], row["answer"]) for row in found if "system" in row] == [
        ("m1", "Yes."),
        ("m1", "4.5"),
    ]
    assert [row.observed for row in rows if isinstance(row, BadRow)] == ["sheet 'Other', beside 'Answers'"]


def test_a_damaged_or_swollen_workbook_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(b"PK\x03\x04 nothing")
    with pytest.raises(IntakeError, match="the workbook cannot be read"):
        read_data(tmp_path / "a.xlsx")
    workbook(tmp_path / "c.xlsx", Answers=[["Question", "m1"], ["Is it?", "Yes."]])
    sound = (tmp_path / "c.xlsx").read_bytes()
    (tmp_path / "c.xlsx").write_bytes(sound.replace(b"PK\x01\x02", b"PK\x01\x03"))
    with pytest.raises(IntakeError, match="the workbook cannot be read"):
        read_data(tmp_path / "c.xlsx")
    version = b"PK\x01\x02\x14\x03\x14"
    assert version in sound
    (tmp_path / "c.xlsx").write_bytes(sound.replace(version, version[:-1] + b"\xff"))
    assert len(list(read_data(tmp_path / "c.xlsx").rows)) == 2
    with zipfile.ZipFile(tmp_path / "b.xlsx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", b" " * (40 << 20))
    with pytest.raises(IntakeError, match="it unpacks to more than 250 times its size"):
        read_data(tmp_path / "b.xlsx")


def test_documents_of_every_form_are_read(tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_text('{"question_id": "1", "question": "Q?"}\n')
    (tmp_path / "answers.jsonl").write_text('{"question_id": "1", "system": "m", "answer": "A [a.txt]."}\n')
    (tmp_path / "library.nbib").write_text(NBIB)
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "more.ris").write_text(RIS)
    (folder / "own.bib").write_text(BIB)
    (folder / "a.txt").write_text("Aspirin thins the blood.")
    write_pdf(folder / "b.pdf", "Lithium harms.")
    write_pdf(folder / "scan.pdf", "")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (folder / "c.docx").write_bytes(b"PK")
    data = read_data(tmp_path)
    rows = list(data.rows)
    found = {row.value["id"]: row.value for row in rows if isinstance(row, Intake) and row.kind == "document"}
    assert sorted(found) == ["a.txt", "b.pdf", "doi:10.5555/b.2", "lee2020", "pmid:31000001", "pmid:31000002"]
    assert found["pmid:31000001"] | {} == {
        "id": "pmid:31000001", "pmid": "31000001", "doi": "10.5555/a.1",
        "title": "Metformin and vitamin B12", "text": "Metformin lowered vitamin B12.",
    }  # fmt: skip
    assert found["lee2020"]["text"] == "Heparin does not cross the Placenta."
    assert [section.text.strip() for section in to_document(found["b.pdf"]).sections] == ["Lithium harms."]
    assert {Path(row.file).name: row.rule for row in rows if isinstance(row, BadRow)} == {
        "scan.pdf": "none of the 1 pages of the PDF holds text",
        "broken.pdf": "the PDF cannot be read (Failed to load document (PDFium: Data format error))",
    }
    assert any("c.docx" in line for line in data.warnings)
