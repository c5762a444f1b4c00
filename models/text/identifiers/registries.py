"""Registers of trials, preprints and books beside those that can be asked: their numbers, and the page behind each."""

import re

REGISTERED = (
    r"(?P<arxiv>\barXiv\s?[:：]?\s?\d{4}\.\d{4,5}(?:v\d{1,2})?(?!\w))"
    r"|(?P<preprint>\b(?:med|bio)Rxiv\b[\s,:：.]{0,3}(?:preprint\b[\s,:：.]{0,3})?"
    r"\d{4}\.\d\d\.\d\d\.\d{6,8}(?:v\d{1,2})?(?!\w))"
    r"|(?P<registry>\bISRCTN\s?\d{8}\b|\bEudraCT(?:\s(?:number|no\.?))?[\s:：]{0,3}\d{4}-\d{6}-\d{2}\b"
    r"|\bACTRN\s?\d{14}p?\b|\bDRKS\s?\d{8}\b|\bChiCTR(?:-[A-Z]{2,4}-?|\s?)\d{8,10}\b|\bCTRI/\d{4}/\d{2,3}/\d{6}\b"
    r"|\bUMIN\s?\d{9}\b|\bjRCTs?\s?\d{9,10}\b"
    r"|\bNBK\s?\d{4,7}\b)"
)
"""What an answer writes; the group says which of the two it is."""
FAQ_OBJECT = r"(?<![\w.])/search/nihai/objects/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![\w-])"
"""An entry of the curated internal FAQ, which has no host of its own."""
_ARXIV_PAGE = re.compile(r"^(?:www\.)?arxiv\.org/(?:abs|pdf|html)/(\d{4}\.\d{4,5})(?:v\d+)?(?:\.pdf)?/?$")
_BOOK_PAGE = re.compile(r"^(?:www\.)?ncbi\.nlm\.nih\.gov/(?:sites/)?books/nbk(\d{4,7})/?$")
_REGISTER_PAGE = re.compile(
    r"^(?:www\.)?(?:isrctn\.com/isrctn(?P<isrctn>\d{8})(?!\d)"
    r"|clinicaltrialsregister\.eu/ctr-search/(?:trial/|search/?\?query=(?:eudract_number(?::|%3a))?)"
    r"(?P<eu>\d{4}-\d{6}-\d{2})(?!\d))"
)
_PAGES = (
    ("ISRCTN", "https://www.isrctn.com/ISRCTN{}"),
    ("EUDRACT", "https://www.clinicaltrialsregister.eu/ctr-search/search?query={}"),
    ("ACTRN", "https://anzctr.org.au/ACTRN{}.aspx"),
    ("DRKS", "https://drks.de/search/en/trial/DRKS{}"),
    ("CHICTR", "https://www.chictr.org.cn/searchprojEN.html?regno=ChiCTR{}"),
    ("CTRI", "https://ctri.nic.in/Clinicaltrials/advancesearchmain.php?number=CTRI/{}"),
    ("UMIN", "https://center6.umin.ac.jp/cgi-open-bin/ctr_e/ctr_view.cgi?number=UMIN{}"),
    ("NBK", "https://www.ncbi.nlm.nih.gov/books/NBK{}"),
    ("JRCT", "https://jrct.mhlw.go.jp/en-latest-detail/jRCT{}"),
)


def arxiv_page(number: str) -> str:
    """Return the page of a preprint, whatever its version: they are one work."""
    return f"https://arxiv.org/abs/{number}"


def preprint_doi(written: str) -> str:
    """Return the DOI of a preprint by its number, `medRxiv 2024.02.14.24302814`; newer ones have another prefix."""
    number = re.sub(r"v\d+$", "", re.sub(r"^[^\d]*", "", written))
    return f"{'10.1101' if number[:7] < '2025.12' else '10.64898'}/{number}"


def registered_page(written: str) -> str:
    """Return the page behind a number as it was written, such as `ISRCTN 12345678` or `arXiv:2303.13375v2`."""
    if found := re.search(r"\d{4}\.\d{4,5}", written):
        return arxiv_page(found[0])
    name, page = next((name, page) for name, page in _PAGES if written.upper().startswith(name))
    number = re.sub(r"^[\s:：/]*(?:(?:number|no\.?)[\s:：]*)?", "", written[len(name) :], flags=re.IGNORECASE)
    return page.format(number)


def page_of(address: str) -> str | None:
    """Return the page by which a preprint or a trial is known, given any address of it without its scheme."""
    if found := _ARXIV_PAGE.match(address):
        return arxiv_page(found[1])
    if found := _BOOK_PAGE.match(address):
        return registered_page(f"NBK{found[1]}")
    if found := _REGISTER_PAGE.match(address):
        return registered_page(f"ISRCTN{found['isrctn']}" if found["isrctn"] else f"EudraCT {found['eu']}")
    return None
