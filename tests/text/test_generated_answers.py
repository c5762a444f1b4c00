"""Answers made at random from a style of markers, of lists and of layout: every sentence keeps the sources it was given."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest

from medassay.models.records import Answer
from medassay.models.text.claims.decomposition import decompose

SENTENCES = (
    "Aspirin lowers the risk of stroke",
    "Statins lower LDL cholesterol by 30%",
    "Warfarin interacts with many antibiotics",
    "Vitamin D did not prevent fractures in women",
    "HbA1c fell by 1.2 percentage points",
    "Mortality was lower in the treated group (HR 0.78, 95% CI 0.65-0.93)",
    "Smoking cessation halves the risk within 5 years",
    "Zinc shortened colds by 1-2 days",
    "The drug should be avoided when eGFR is below 30 mL/min",
    "Children under 12 need half of the dose",
    "Screening detects most cancers at stage 1",
    "Pregnant women should not take ibuprofen after week 20",
    "Ketamine acts within hours",
    "Tranexamic acid works best within 3 h",
    "Probiotics do not prevent relapse",
    "Beta-blockers reduce mortality in HFrEF",
)
NAMES = "Smith Jones Lee García Müller Chen Patel Kim Novak Rossi Dubois Okafor".split()
JOURNALS = ("N Engl J Med", "Lancet", "BMJ", "JAMA", "Ann Intern Med", "Eur Heart J")
TITLES = ("Aspirin in stroke", "A trial of statins", "Renal effects of lithium", "Vitamin D and bone")
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Source:
    """One of the works that may be cited."""

    at: int

    @property
    def pmid(self) -> int:
        return 20_000_000 + 1111 * self.at

    @property
    def doi(self) -> str:
        return f"10.1000/x{self.at}.{self.year}"

    @property
    def name(self) -> str:
        return NAMES[self.at]

    @property
    def year(self) -> int:
        return 2005 + self.at

    @property
    def journal(self) -> str:
        return JOURNALS[self.at % len(JOURNALS)]

    @property
    def title(self) -> str:
        return TITLES[self.at % len(TITLES)]


Numbered = Sequence[tuple[int, Source]]
ENTRIES: dict[str, Callable[[Source], str]] = {
    "vancouver": lambda s: (
        f"{s.name} AB, Brown C, et al. {s.title}. {s.journal}. {s.year};30"
        f"({s.at + 1}):{100 + s.at}-110. PMID: {s.pmid}"
    ),
    "doi": lambda s: f"{s.name} AB, Brown C. {s.title}. {s.journal} {s.year};30:{100 + s.at}. doi:{s.doi}",
    "apa": lambda s: (
        f"{s.name}, A. B., & Brown, C. ({s.year}). {s.title}. {s.journal}, 30(2), 100–110. https://doi.org/{s.doi}"
    ),
    "short": lambda s: f"{s.name} et al., {s.journal} {s.year}. PMID {s.pmid}",
    "link": lambda s: (
        f"[{s.title}](https://pubmed.ncbi.nlm.nih.gov/{s.pmid}/) – {s.name} et al., {s.journal} {s.year}"
    ),
    "pmid": lambda s: f"PMID: {s.pmid}",
    "address": lambda s: f"{s.title}. {s.journal}, {s.year}. https://pubmed.ncbi.nlm.nih.gov/{s.pmid}/",
}
MARKERS: dict[str, Callable[[Numbered], str]] = {
    "bracket": lambda cited: f" [{', '.join(str(n) for n, _ in cited)}]",
    "brackets": lambda cited: " " + "".join(f"[{n}]" for n, _ in cited),
    "pasted": lambda cited: f"[{','.join(str(n) for n, _ in cited)}]",
    "escaped": lambda cited: f" \\[{', '.join(str(n) for n, _ in cited)}\\]",
    "parentheses": lambda cited: f" ({', '.join(str(n) for n, _ in cited)})",
    "raised": lambda cited: ",".join(str(n).translate(RAISED) for n, _ in cited),
    "caret": lambda cited: f"^{','.join(str(n) for n, _ in cited)}^",
    "html": lambda cited: f"<sup>{','.join(str(n) for n, _ in cited)}</sup>",
    "footnote": lambda cited: "".join(f"[^{n}]" for n, _ in cited),
    "ref": lambda cited: f" [Ref {', '.join(str(n) for n, _ in cited)}]",
    "source": lambda cited: f" [{'; '.join(f'Source {n}' for n, _ in cited)}]",
    "lenticular": lambda cited: "".join(f"【{n}】" for n, _ in cited),
    "author-year": lambda cited: f" ({'; '.join(f'{s.name} et al., {s.year}' for _, s in cited)})",
    "surname-year": lambda cited: f" [{'; '.join(f'{s.name} {s.year}' for _, s in cited)}]",
}
LABELS = {
    "footnote": ("[^{}]: ",),
    "ref": ("{}. ", "[{}] ", "Ref {}: "),
    "source": ("{}. ", "[{}] ", "Source {}: "),
    "author-year": ("", "{}. ", "- "),
    "surname-year": ("", "{}. ", "- "),
}
NUMBERS = ("{}. ", "[{}] ", "({}) ", "{}) ", "- [{}] ", "**{}.** ", "[{}]: ")
HEADINGS = (
    "References",
    "**References**",
    "## References",
    "References:",
    "### Sources:",
    "**Works cited**",
    "BIBLIOGRAPHY",
)
LAYOUTS: dict[str, Callable[[Sequence[str]], str]] = {
    "paragraph": " ".join,
    "bullets": lambda said: "\n".join(f"- {each}" for each in said),
    "numbers": lambda said: "\n".join(f"{n}. {each}" for n, each in enumerate(said, start=1)),
    "table": lambda said: (
        "| Point | Finding |\n|---|---|\n"
        + "\n".join(f"| P{n} | {each} |" for n, each in enumerate(said, start=1))
    ),
    "both": lambda said: " ".join(said[:2]) + "\n\n" + "\n".join(f"* {each}" for each in said[2:]),
}
AROUND: dict[str, Callable[[str], str]] = {
    "as it is": lambda text: text,
    "quoted": lambda text: "\n".join(f"> {line}".rstrip() for line in text.split("\n")),
    "carriage returns": lambda text: text.replace("\n", "\r\n"),
    "trailing spaces": lambda text: text.replace("\n", "  \n"),
    "between phrases": lambda text: (
        f"Sure! Here's a summary:\n\n{text}\n\nLet me know if you have any questions!"
    ),
    "fenced": lambda text: f"```markdown\n{text}\n```",
}


def made(marker: str, seed: int) -> tuple[str, dict[str, set[str]]]:
    """Make an answer: its text, and the sources of each sentence."""
    chance = random.Random(f"{marker} {seed}")
    style = chance.choice([s for s in ENTRIES if "year" not in marker or s not in ("pmid", "address")])
    listed = list(enumerate(map(Source, chance.sample(range(len(NAMES)), chance.randint(2, 6))), start=1))
    place = chance.choice(("before the stop", "behind the stop", "apart"))
    wanted: dict[str, set[str]] = {}
    said = []
    for sentence in chance.sample(SENTENCES, chance.randint(3, 6)):
        cited = sorted(
            chance.sample(listed, min(len(listed), chance.choice((0, 1, 1, 1, 2, 3)))) if said else listed[:1]
        )
        written = MARKERS[marker](cited) if cited else ""
        if place == "before the stop":
            said.append(f"{sentence}{written}.")
        else:
            said.append(f"{sentence}.{' ' if place == 'apart' and written else ''}{written.lstrip()}")
        by_doi = style in ("doi", "apa")
        wanted[sentence] = {f"doi:{s.doi}" if by_doi else f"pmid:{s.pmid}" for _, s in cited}
    label = chance.choice(LABELS.get(marker, NUMBERS))
    entries = [label.format(n) + ENTRIES[style](source) for n, source in listed]
    parts = (LAYOUTS[chance.choice(list(LAYOUTS))](said), chance.choice(HEADINGS))
    text = "\n\n".join(parts) + chance.choice(("\n", "\n\n")) + chance.choice(("\n", "\n\n")).join(entries)
    return AROUND[chance.choice(list(AROUND))](text), wanted


@pytest.mark.parametrize("marker", MARKERS)
def test_every_sentence_keeps_the_sources_it_was_given(marker: str) -> None:
    for seed in range(60):
        text, wanted = made(marker, seed)
        claims = decompose(Answer("q", "s", text), "").claims
        for sentence, ids in wanted.items():
            own = [claim for claim in claims if sentence[:18] in claim.text]
            found = {cited.source_id for claim in own for cited in claim.citations}
            assert own, f"seed {seed}: {sentence!r} is no claim of\n{text}"
            assert found == ids, f"seed {seed}: {sentence!r} cites {found}, not {ids}, in\n{text}"
