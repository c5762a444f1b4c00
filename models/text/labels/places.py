"""Words that stand with a year and are no authors: countries, cities, months, what was new, what begins a sentence."""

NOT_SURNAMES = frozenset(
    "January February March April May June July August September October November December Spring Summer Autumn "
    "Winter Table Figure Version Phase Year Updated Approved Published Revised Reviewed Accessed Retrieved Edition "
    "Volume Season Germany France Italy Spain Portugal Austria Switzerland Belgium Netherlands Denmark Sweden Norway "
    "Finland Iceland Poland Greece Turkey Russia Ukraine Hungary Romania Ireland England Scotland Wales Britain "
    "Europe Asia Africa America Canada Mexico Brazil Argentina Chile Colombia Peru Cuba Haiti China Japan Korea "
    "Taiwan India Pakistan Bangladesh Thailand Vietnam Singapore Malaysia Indonesia Philippines Australia Israel Iran "
    "Iraq Egypt Sudan Kenya Uganda Nigeria Ghana Liberia Guinea Congo Rwanda Ethiopia London Paris Berlin Vienna "
    "Geneva Rome Milan Madrid Barcelona Lisbon Amsterdam Copenhagen Stockholm Oslo Helsinki Warsaw Prague Budapest "
    "Athens Istanbul Moscow Dublin Edinburgh Boston Chicago Atlanta Philadelphia Toronto Montreal Vancouver Sydney "
    "Melbourne Tokyo Beijing Shanghai Wuhan Seoul Delhi Mumbai Omicron Delta Alpha Beta Gamma Zika Ebola Influenza "
    "Covid Brexit Olympics Another This That These Those They It One Both Study Trial Review Data Results Evidence "
    "Guideline Guidelines Report Update Authors Researchers Investigators Patients Analysis Group Part Survey "
    "Registry Cohort Law Directive Regulation".split()
)
