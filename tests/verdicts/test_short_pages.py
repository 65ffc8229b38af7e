"""Short pages with content whose headings, words or names are those of walls, too."""

from __future__ import annotations

import pytest

from scrapy_web2text import extract

MENU = "<nav><a href='/'>Home</a> <a href='/news'>News</a> <a href='/contact'>Contact</a></nav>"
FOOTER = "<footer><p>© 2026 A site. <a href='/p'>Privacy policy</a> <a href='/c'>Cookie settings</a></p></footer>"
SEARCH = "<form><input type='search' name='q'><input name='where'><button>Search</button></form>"

# Heading, which is also the title, and text.
UNDER_HEADINGS = {
    "bicycles": ("Maintenance", "Wipe the chain after every wet ride and oil it once a week. Have the brakes checked."),
    "boilers": ("Onderhoud", "Wij onderhouden uw ketel elk jaar voor een vast bedrag. De monteur meet de uitstoot."),
    "elevators": ("Wartung", "Wir warten Aufzüge aller Hersteller. Zweimal im Jahr prüft ein Techniker die Bremsen."),
    "hinges": ("Vedligeholdelse", "Smør hængslerne en gang om året, og mal vinduerne hvert femte år."),
    "alimony": ("Underhåll", "Föräldern som inte bor med barnet betalar underhåll. Beloppet beror på inkomsten."),
    "statistics": ("Error", "The difference between a measured value and its true one. It is not a mistake."),
    "story in Russian": ("Ошибка", "Он вышел на станции раньше, чем следовало, и понял это, когда поезд скрылся."),
    "story in Polish": ("Błąd", "Opowiadanie o zegarmistrzu, który nastawiał ratuszowy zegar o kwadrans za późno."),
    "story in Hebrew": ("שגיאה", "סיפור קצר על ילד שטעה בדרך ומצא גינה שאיש לא הכיר. הוא חזר אליה בכל יום."),
    "wine": ("Errore", "Un errore di stampa ha dato al nostro vino il nome sbagliato. Lo abbiamo tenuto."),
    "jam": ("500", "Five hundred jars of plum jam left the kitchen this week, a record for the village."),
    "room": ("404", "The room at the end of the corridor has been a cloakroom, a darkroom and a studio."),
    "poem": (
        "One moment, please",
        "One moment, please,<br>said the tide to the stone,<br>I have only come<br>to take you home<br>grain by grain.",
    ),
    "poem in French": (
        "Un instant",
        "Un instant la mer<br>retient son souffle,<br>puis rend au sable ce qu'elle a pris.",
    ),
    "ice": ("Blocked", "The river is blocked<br>by its own ice,<br>the word by its own breath."),
    "definition": ("CAPTCHA", "A test that tells humans from programs. The word was coined in 2003 at a university."),
    "airport": ("Security check", "Liquids go in a clear bag of one liter. Take laptops out and empty your pockets."),
    "exhibition": (
        "Are you human?",
        "The show asks what is left to us when machines write and paint. Daily 10-18.",
    ),
}
TEXTS = {
    "workshop": f"<h1>Registration</h1><p>The workshop on bookbinding takes place on 4 October in the old tannery. It "
    f"costs 60 euros with material.</p>{SEARCH}",
    "choir": "<h1>Inscription</h1><p>Les inscriptions à la chorale ont lieu le 6 septembre à la salle des fêtes. "
    f"Apportez une photo et le règlement.</p>{SEARCH}",
    "policy": "<h1>Cookies</h1><p>This site sets one cookie, which remembers your language. It holds no personal data. "
    "We do not work with partners and have no tracking, so we ask for no consent.</p>",
    "policy in French": "<h1>Cookies</h1><p>Nous utilisons un seul cookie pour garder votre panier. Vous pouvez le "
    "refuser dans votre navigateur. La confidentialité de vos achats nous importe.</p>",
    "policy under a search": f"<header>{SEARCH}</header><h1>Privacy</h1><p>We keep your address to send the order. We "
    "do not share data with partners. Write to us if you wish to withdraw your consent.</p>",
    "recipe": "<div class='recipe cookie'><h1>Ginger cookies</h1><p>Melt butter with syrup, stir in flour and ginger, "
    "and let the dough rest for an hour. Roll balls and bake them until the edges set.</p></div>",
    "product": "<h1>Kettle K2</h1><p>This product is no longer available. Its successor is the K3. Spare parts for the "
    "K2, such as lids and filters, are sold until 2030.</p>",
    "thread": "<h1>Stuck on 'Checking your browser'</h1><p>Since Monday visitors see 'Verify you are human' on every "
    "page, even on phones. How do I switch it off for the shop only?</p><p>Make a rule that skips the challenge "
    "for /shop, and lower the security level. That solved it for me.</p>",
}


def read(title: str, body: str) -> str:
    """Return the text of a page with a menu and a footer."""
    head = f"<html><head><title>{title}</title></head>"
    answer = extract(f"{head}<body>{MENU}<main>{body}</main>{FOOTER}</body></html>")
    assert answer.page_kind == "content"
    return answer.text


@pytest.mark.parametrize(("heading", "text"), UNDER_HEADINGS.values(), ids=list(UNDER_HEADINGS))
def test_a_heading_alone_does_not_make_a_wall_of_a_text_about_something_else(heading, text):
    assert text.rpartition("<br>")[2] in read(heading, f"<h1>{heading}</h1><p>{text}</p>")


@pytest.mark.parametrize("body", TEXTS.values(), ids=list(TEXTS))
def test_a_short_text_about_accounts_cookies_or_checks_is_content(body):
    assert len(read("A site", body)) > 80


def test_such_a_heading_and_a_sentence_of_error_pages_make_an_error():
    said = "<h1>Maintenance</h1><p>We will be back online at noon. Please try again later, and have a nice day.</p>"
    assert extract(f"<html><body>{said}</body></html>").page_kind == "error"
