"""What a source does that is the subject of its clause: "whereas [2] found no effect", "Kim (2019) reported …"."""

import re

REPORTS = re.compile(
    r"\s(?:also\s|only\s|later\s|further\s|then\s|instead\s)?(?:(?:found|finds?|shows?|showed|reports?|reported"
    r"|observed?|observes|concluded?|concludes"
    r"|suggests?|suggested|states?|stated|says|said|argues?|argued|notes?|noted|describes?|described|demonstrates?"
    r"|demonstrated|did|does|do|recommends?|recommended|confirms?|confirmed|indicates?|indicated|saw|claims?|claimed"
    r"|estimates?|estimated|included?|includes|compared|enrolled|supports?|supported|failed|disagrees?|disagreed"
    r"|prefers?|advises?|favou?rs?|warns?|mentions?|considers?)\b"
    r"(?!\s(?:by|in|as|with|from|to)\b(?!\s(?:that|no)\b)))"
)
