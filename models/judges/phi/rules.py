"""All rules, the surest first: where two overlap the earlier one wins.

They see what is written in the usual ways and miss the rest: a name with nothing around it that says so, most names in
small letters, a date without a year.
"""

from medassay.models.judges.phi.addresses import ADDRESSES
from medassay.models.judges.phi.contacts import MAIL, PHONES
from medassay.models.judges.phi.dates import DATES
from medassay.models.judges.phi.names import NAMES, OWN_RELATIVES
from medassay.models.judges.phi.networks import NETWORKS
from medassay.models.judges.phi.numbers import INSURANCES, OWN_NUMBERS, RECORDS

RULES = (*MAIL, *NETWORKS, *INSURANCES, *RECORDS, *DATES, *PHONES, *ADDRESSES, *NAMES)
OWN_RULES = (*OWN_NUMBERS, *OWN_RELATIVES)
"""Rules for a patient's own text, after all others."""
