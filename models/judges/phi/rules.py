"""All rules, the surest first: where two overlap the earlier one wins.

They see what is written in the usual ways and miss the rest: a name with nothing around it that says so, most names in
small letters, a date without a year.
"""

from models.judges.phi.addresses import ADDRESSES
from models.judges.phi.contacts import MAIL, PHONES
from models.judges.phi.dates import DATES
from models.judges.phi.names import NAMES
from models.judges.phi.numbers import INSURANCES, RECORDS

RULES = (*MAIL, *INSURANCES, *RECORDS, *DATES, *PHONES, *ADDRESSES, *NAMES)
