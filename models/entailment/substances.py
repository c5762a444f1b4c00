"""Drugs that a claim and a passage name, known by the stems of their international non-proprietary names.

What a passage says of one drug says nothing of another, however alike the sentences are. Stems: World Health
Organization, The use of stems in the selection of International Nonproprietary Names for pharmaceutical substances.
"""

import re

_STEMS = (
    "mab|(?<!int)ercept|atacept|kinra|tinib|anib|enib|lisib|parib|ciclib|zomib|degib|limus|platin|taxel|rubicin|tecan|mustine"
    "|trexate|trexed|citabine|vastatin|pril|sartan|olol|azosin|dipine|semide|thiazide|grel|parin|xaban|gatran|gliptin"
    "|gliflozin|glutide|natide|glitazone|glinide|formin|prazole|(?<!his)(?<!cy)tidine|setron|cillin|penem|bactam|mycin|oxacin"
    "|cycline|conazole|nidazole|fungin|vir|quine|triptan|oxetine|traline|talopram|triptyline|pramine|giline|peridone|apine|azepam"
    "|zolam|barbital|profen|coxib|fenac|fentanil|fentanyl|caine|curonium|asone|isone|solone|onide|meterol|moterol"
    "|buterol|tropium|lukast|enafil|alafil|sentan|xostat|listat|dronate|relin|imibe"
)
_NAME = re.compile(rf"\b[a-z]{{3,}}(?:{_STEMS})\b")
_SPELLINGS = (("ph", "f"), ("th", "t"), ("oe", "e"), ("y", "i"), ("frus", "furos"), ("ligno", "lido"))
"""British and American spellings of one name: acyclovir, frusemide, lignocaine, cyclosporine."""


def names_other_drugs_only(passage: str, claim: str) -> bool:
    """Say whether both name drugs, and the passage none of the claim's.

    A name within another (omeprazole, esomeprazole) is not told apart from it.
    """
    claimed = _drugs(claim)
    text = _spelt(passage)
    if not claimed or any(name in text for name in claimed):
        return False
    named = _drugs(passage)
    return bool(named) and not any(other in name for name in claimed for other in named)


def _drugs(text: str) -> frozenset[str]:
    return frozenset(_spelt(name) for name in _NAME.findall(text.lower()))


def _spelt(text: str) -> str:
    text = text.lower()
    for written, common in _SPELLINGS:
        text = text.replace(written, common)
    return text
