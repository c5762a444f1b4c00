"""Numbers of trial registers, preprints and books that no source here can be asked for, and the page behind each."""

import re

REGISTERED = (
    r"(?P<arxiv>\barXiv\s?[:：]?\s?\d{4}\.\d{4,5}(?:v\d{1,2})?(?!\w|[.,]\d))"
    r"|(?P<registry>(?:\bEudraCT(?:\s(?:number|no\.?))?[\s:：]{0,3}\d{4}-\d{6}-\d{2}"
    r"|\bACTRN\s?\d{14}p?|\bChiCTR(?:-[A-Z]{2,4}-?|\s?)\d{8,10}|\bCTRI/\d{4}/\d{2,3}/\d{6}"
    r"|\bjRCTs?\s?\d{9,10})\b(?![.,'’]\d))"
    r"|(?P<isrctn>\bISRCTN\s?:?\s?(?=\d))|(?P<drks>\bDRKS\s?(?=\d))|(?P<umin>\bUMIN\s?(?=\d))|(?P<nbk>\bNBK\s?(?=\d))"
    r"|(?P<cut>\b(?:PMIDs?[\s:：#]{1,3}[OoIlSBZ|]{1,2}(?=\d{4})|NCT[OoIl]{1,2}(?=\d{5})|PMC[OoIl](?=\d{4})|arXiv\s?[:：]?\s?(?=\d)|EudraCT(?:\s(?:number|no\.?))?[\s:：]{0,3}(?=\d{4})|ACTRN\s?(?=\d{4})"
    r"|ChiCTR-?[A-Z]{0,4}-?\s?(?=\d{4})|CTRI/(?=\d{4})|jRCTs?\s?(?=\d{4}))[\w./,'’+-]*(?<![.,'’+-]))"
)
"""A number as answers write it; the group is its scheme, `cut` for one that is not whole."""
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
