"""Numbers of trial registers, preprints and books that no source here can be asked for, and the page behind each."""

import re

REGISTERED = (
    r"(?P<arxiv>\barXiv\s?[:：]?\s?\d{4}\.\d{4,5}(?:v\d{1,2})?(?!\w))"
    r"|(?P<registry>\bISRCTN\s?\d{8}\b|\bEudraCT(?:\s(?:number|no\.?))?[\s:：]{0,3}\d{4}-\d{6}-\d{2}\b"
    r"|\bACTRN\s?\d{14}p?\b|\bDRKS\s?\d{8}\b|\bChiCTR(?:-[A-Z]{2,4}-?|\s?)\d{8,10}\b|\bCTRI/\d{4}/\d{2,3}/\d{6}\b"
    r"|\bUMIN\s?\d{9}\b|\bjRCTs?\s?\d{9,10}\b|\bNBK\s?\d{4,7}\b)"
)
"""A number as answers write it; the group is its scheme."""
_PAGES = {
    "ARXIV": "https://arxiv.org/abs/{}",
    "ISRCTN": "https://www.isrctn.com/ISRCTN{}",
    "EUDRACT": "https://www.clinicaltrialsregister.eu/ctr-search/search?query={}",
    "ACTRN": "https://anzctr.org.au/ACTRN{}.aspx",
    "DRKS": "https://drks.de/search/en/trial/DRKS{}",
    "CHICTR": "https://www.chictr.org.cn/searchprojEN.html?regno=ChiCTR{}",
    "CTRI": "https://ctri.nic.in/Clinicaltrials/advancesearchmain.php?number=CTRI/{}",
    "UMIN": "https://center6.umin.ac.jp/cgi-open-bin/ctr_e/ctr_view.cgi?number=UMIN{}",
    "NBK": "https://www.ncbi.nlm.nih.gov/books/NBK{}",
    "JRCT": "https://jrct.mhlw.go.jp/en-latest-detail/jRCT{}",
}


def registered_page(written: str) -> str:
    """Return the page behind a number as it was written, such as `ISRCTN 12345678` or `arXiv:2303.13375v2`."""
    name = next(name for name in _PAGES if written.upper().startswith(name))
    number = re.sub(r"^[\s:：/]*(?:(?:number|no\.?)[\s:：]*)?", "", written[len(name) :], flags=re.IGNORECASE)
    return _PAGES[name].format(re.sub(r"v\d+$", "", number))
