"""What the guard finds in a dozen languages, in made-up notes, and what it lets be."""

import pytest

from medassay.models.phi.guard import find_phi


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("name", "Mrs. Gladys Okonkwo asks about her tablets."),
        ("name", "Patient: Øystein Å. Ødegård, 54 J."),
        ("name", "Name des Patienten: Çağla Yıldız"),
        ("name", "Пациент: Иванов Сергей Петрович"),
        ("name", "私の名前は田中花子です。"),
        ("name", "Regards, Siobhan O'Rourke"),
        ("name", "Signed: Dr. Hélène D'Amico"),
        ("name", "I'm Priya Raghunathan, 34, with acne."),
        ("name", "Pan Łukasz Żak ma gorączkę."),
        ("name", "Sr. Íñigo Martínez tiene tos."),
        ("name", "Frau Müller-Lüdenscheidt hat Husten."),
        ("name", "This is Dr Nguyễn Văn An speaking."),
        ("date", "born on 03.12.1961"),
        ("date", "DOB: 12/03/61"),
        ("date", "am 12. März 1961 geboren"),
        ("date", "1961年3月12日生まれ"),
        ("date", "2024/03/12 admission"),
        ("date", "seen on 1961-03-12"),
        ("phone", "call 0171 2345678"),
        ("phone", "06 12 34 56 78"),
        ("phone", "+49 (0)30 1234567"),
        ("phone", "(555) 010-2345"),
        ("phone", "tel. 020 7946 0958"),
        ("phone", "+33 6 12 34 56 78"),
        ("phone", "Telefon: 0301234567"),
        ("phone", "phone 555-0123"),
        ("email", "write to a.müller@praxis-süd.de"),
        ("email", "gladys_o@example.co.uk"),
        ("record number", "MRN 00482913"),
        ("record number", "Patienten-Nr. 4829137"),
        ("record number", "hospital number: H-48291"),
        ("record number", "Fallnummer 20240012"),
        ("record number", "dossier n° 482913"),
        ("record number", "historia clínica 482913"),
        ("insurance number", "Versichertennummer A123456780"),
        ("insurance number", "NHS number 943 476 5919"),
        ("insurance number", "SSN 123-45-6789"),
        ("insurance number", "numéro de sécu 1 85 05 78 006 084 36"),
        ("insurance number", "codice fiscale RSSMRA85M01H501U"),
        ("insurance number", "policy no. AB-4471-9920"),
        ("insurance number", "IBAN DE89 3704 0044 0532 0130 00"),
        ("address", "12 rue de la Paix, 75002 Paris"),
        ("address", "Via Roma 12, Milano"),
        ("address", "Calle Mayor 3, Madrid"),
        ("address", "Hauptstr. 5, 10115 Berlin"),
        ("address", "Hauptstraße 5"),
        ("address", "221B Baker Street"),
        ("address", "ul. Długa 7"),
        ("address", "PO Box 1234"),
        ("address", "1600 Elm Avenue, Springfield"),
        ("name", "Sehr geehrte Frau Dr. Şahin,"),
        ("name", "Patientin: Öykü Aydın, 41 Jahre"),
        ("name", "Cordialement, François Lévêque"),
        ("name", "Bonjour, je suis Maëlle Kerbrat, enceinte de 5 mois."),
        ("name", "Mevrouw Van der Berg vraagt om advies."),
        ("name", "患者氏名: 佐藤健一"),
        ("name", "Mit freundlichen Grüßen\nHans-Jörg Weiß"),
        ("name", "Mr. O. B. Ogunleye has gout."),
        ("date", "geb. 7.9.1984"),
        ("date", "Entré le 14/02/2023"),
        ("date", "admitted 2023.11.05"),
        ("phone", "Handy: 0176/12345678"),
        ("phone", "Tél. : 01.42.68.53.00"),
        ("phone", "+44 20 7946 0018"),
        ("phone", "ring 07700 900123"),
        ("phone", "móvil 612 345 678"),
        ("email", "jöran_ö@klinik.example"),
        ("record number", "Akten-Nr.: 77-20931"),
        ("record number", "Patient ID: PX20931"),
        ("record number", "medical record no 20931-7"),
        ("insurance number", "KVNR: M987654321"),
        ("insurance number", "Medicare number 1EG4-TE5-MK73"),
        ("insurance number", "PESEL 44051401359"),
        ("insurance number", "DNI 12345678Z"),
        ("address", "14 avenue des Champs-Élysées"),
        ("address", "Goethestr. 17a, 60313 Frankfurt"),
        ("address", "7 Privet Drive, Little Whinging"),
        ("address", "Plaza de la Constitución 4"),
        ("address", "Postfach 4711"),
    ],
)
def test_it_is_found_however_it_is_written(kind: str, text: str) -> None:
    assert kind in [one.kind for one in find_phi(text)]


@pytest.mark.parametrize(
    "text",
    [
        "MS is treated with interferon.",
        "doi:10.1056/NEJMoa2034577 PMID: 33301246",
        "NCT04368728, see Lancet 2020;396:467-478",
        "This is Type 2 diabetes. I'm not sure.",
        "Name: Metformin. Nom: Paracétamol",
        "phone a doctor within 24 hours 7 days",
        "Best wishes for a Speedy Recovery.",
    ],
)
def test_what_looks_like_it_is_let_be(text: str) -> None:
    assert find_phi(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Keizersgracht 123, Amsterdam",
        "admitted last 12/05",
        "Saraswathi, 54",
    ],
)
def test_what_is_not_written_in_a_usual_way_is_missed(text: str) -> None:
    """The rules' limit, as the documentation tells it."""
    assert find_phi(text) == []
