"""What the address of a page gives away of a patient: a mailbox, a record in its path, fields named in its query.

Most addresses are of publications, and a number or a word in those is nobody's. So only what says of itself that it is
a person's counts here: `?mrn=…`, `/patients/00412345`, `jane.doe%40mail.example`.
"""

import re
from collections.abc import Iterator

from medassay.models.judges.phi.contacts import is_everybodys_mailbox
from medassay.models.judges.phi.grammar import Kind
from medassay.models.judges.phi.networks import PROFILE

_MAILBOX = re.compile(
    r"[\w.+-]{1,64}(?:@|%40)[\w-]{1,63}(?:\.[\w-]{1,63}){0,5}\.[a-z]{2,12}(?![\w.-]*\d)", re.IGNORECASE
)
_IN_THE_PATH = re.compile(
    r"/(?:patients?|patienten|mrn)[/:=](?P<value>[\w.~%-]*\d{4}[\w.~%-]*)", re.IGNORECASE
)
_FIELD = re.compile(r"(?<=[?&#;])(?P<name>[\w.-]{1,40})=(?P<value>[^&#;\s]+)")
_WORDS: dict[Kind, str] = {
    "name": "patientname firstname lastname fullname surname familyname givenname forename vorname nachname",
    "record number": "mrn patientid patientno patientnumber patient pid medicalrecord medicalrecordnumber chartno "
    "nhsno nhsnumber",
    "insurance number": "ssn insuranceno insurancenumber insuranceid policyno policynumber memberid",
    "date": "dob birthdate dateofbirth geburtsdatum",
    "phone": "phone phoneno phonenumber telephone mobile cellphone",
    "address": "street streetaddress homeaddress postaladdress",
}
_FIELDS = {word: kind for kind, words in _WORDS.items() for word in words.split()}
_ONLY_BESIDE_THOSE: dict[str, Kind] = {"name": "name", "address": "address", "tel": "phone"}
"""Fields that may as well be of a drug or a clinic, where nothing else in the address is a patient's."""


def found_in_link(link: str) -> Iterator[tuple[Kind, int, int]]:
    """Yield what names a person in an address: kind, start and end, half open, in order of certainty."""
    for match in _MAILBOX.finditer(link):
        if not is_everybodys_mailbox(re.split("@|%40", match.group())[0]):
            yield "email", *match.span()
    for match in _IN_THE_PATH.finditer(link):
        yield "record number", *match.span("value")
    if (profile := PROFILE.search(link)) is not None:
        yield "name", *profile.span(profile.lastgroup or 0)
    fields = [
        (re.sub(r"[\W_]", "", field["name"]).casefold(), field.span("value"))
        for field in _FIELD.finditer(link)
    ]
    patients = [(_FIELDS[name], span) for name, span in fields if name in _FIELDS]
    if patients:
        patients += [(_ONLY_BESIDE_THOSE[name], span) for name, span in fields if name in _ONLY_BESIDE_THOSE]
    for kind, span in patients:
        yield kind, *span
