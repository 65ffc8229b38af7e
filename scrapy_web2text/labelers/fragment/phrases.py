"""The texts, names and link targets of the furniture of fragments; the patterns are those of whole texts."""

from __future__ import annotations

import re
from typing import Final


def _any_of(*phrases: str) -> str:
    return "|".join(phrases)


# What follows a call: arrows, ellipses, brackets.
_END: Final = r"[\s.…:：!>»›→➔\[\]()…-]*"

# The whole text of a link from the excerpt in a feed to the page.
READ_MORE: Final = re.compile(
    r"[\s\[(…]*(?:(?:"
    + _any_of(
        r"(?:read|view|see|click here to read|click to read)(?: the| this)?"
        r"(?: rest| more| full| whole| original| entire| complete)+"
        r"(?: of)?(?: the| this)?(?: full| original)?(?: article| story| post| entry| page| here| online)?",
        r"continue reading|keep reading|read on|more",
        r"weiterlesen|mehr lesen|ganzen artikel lesen|zum artikel|mehr",
        r"lire (?:la )?(?:suite|plus)(?: de l[’']article)?|continuer la lecture",
        r"leer más|seguir leyendo|continuar leyendo|sigue leyendo",
        r"leggi (?:tutto|di più)|continua (?:a leggere|la lettura)",
        r"ler mais|leia mais|continuar? (?:a ler|lendo)",
        r"lees (?:meer|verder)|verder lezen",
        r"läs (?:mer|vidare)|les mer|læs mere|lue lisää|fortsätt läsa|fortsett å lese",
        r"czytaj (?:dalej|więcej)|číst (?:dál|více)|tovább olvasom|citește mai mult|devamını oku",
        r"читать (?:далее|дальше|полностью)|читати далі|διαβάστε περισσότερα",
        r"続きを読む|もっと読む|阅读(?:更多|全文)|閱讀(?:更多|全文)|继续阅读|繼續閱讀|더 보기|계속 읽기|자세히 보기",
        r"اقرأ المزيد|קרא עוד|המשך לקרוא",
    )
    + rf"){_END}"
    + r"|(?:continue reading|weiterlesen von|continuer la lecture de|seguir leyendo|continua a leggere)\b.{0,200})",
    re.IGNORECASE | re.DOTALL,
)
# A whole block that WordPress adds to each entry of a feed, with links to the entry and to the site.
FEED_FOOTER: Final = re.compile(
    _any_of(
        r"The post .+ appeared first on .+",
        r"(?:Der|Dieser) (?:Beitrag|Artikel) .+ erschien (?:zuerst|als erstes) (?:auf|bei) .+",
        r"L[’']article .+ est apparu en premier sur .+",
        r"(?:La entrada|El artículo) .+ (?:se publicó primero|apareció primero|aparece primero) en .+",
        r"L[’']articolo .+ (?:proviene da|sembra essere il primo su) .+",
        r"O post .+ (?:apareceu|foi publicado) primeiro em .+",
        r"(?:Het bericht|Het artikel) .+ verscheen eerst op .+",
        r"Inlägget .+ dök först upp på .+|Indlægget .+ blev først udgivet på .+|Innlegget .+ dukket først opp på .+",
        r"(?:Artykuł|Wpis) .+ pochodzi z serwisu .+",
        r"(?:Сообщение|Запись) .+ (?:появились?|впервые появилась) (?:сначала )?на .+",
        r".+ first appeared on .+",
    ),
    re.IGNORECASE | re.DOTALL,
)
# A whole block before links to share a page, or such a link without its target.
CALL_TO_SHARE: Final = re.compile(
    r"(?:(?:please )?"
    + _any_of(
        r"(?:share|tweet|print|email|follow|like|pin|save)(?: (?:this|us|me|on|via|with|it|to|friends?|by|article|"
        r"post|story|page|facebook|twitter|x|linkedin|instagram|youtube|mastodon|whatsapp|pinterest|email))*",
        r"(?:artikel |beitrag )?teilen(?: auf| mit)?|folge uns(?: auf)?|gefällt mir",
        r"partager(?: (?:sur|cet article))?|suivez-nous(?: sur)?",
        r"compart(?:ir|e)(?: (?:en|esto|por))?|síguenos(?: en)?",
        r"condividi(?: su)?|seguici(?: su)?|mi piace",
        r"compartilh(?:ar|e)(?: (?:isso|no))?|siga-nos",
        r"delen|deel (?:dit|via)|volg ons(?: op)?",
        r"udostępnij|dela|del|sdílet|поделиться|поделитесь|подписывайтесь",
        r"シェア|共有|分享(?:到)?|공유(?:하기)?",
    )
    + rf"){_END}",
    re.IGNORECASE,
)
# A whole block with links to the same site or person elsewhere.
CALL_TO_FOLLOW: Final = re.compile(
    r"(?:(?:please )?(?:"
    + _any_of(
        r"(?:follow|find|like|join)(?: (?:us|me))? on",
        r"folge(?:n sie)? uns(?: (?:auf|bei))?",
        r"suivez[- ]nous sur|retrouvez[- ]nous sur",
        r"s[ií]gu(?:enos|e-nos)(?: en)?|siga-nos(?: no)?",
        r"seguici su|volg ons op|śledź nas na|följ oss på|følg oss på|følg os på",
        r"подписывайтесь на нас в|следите за нами в",
    )
    + r")(?:[ ,|/&:]+(?:"
    + _any_of(
        r"facebook|twitter|x|instagram|linkedin|youtube|mastodon|bluesky|threads|tiktok|pinterest|telegram|whatsapp",
        r"google|news|rss|vk|xing|weibo|flipboard|and|or|und|et|y|e|en|och|og|и",
    )
    + rf")\b)+){_END}",
    re.IGNORECASE,
)
# The target of a link that a feed adds to each entry.
FEED_TARGET: Final = re.compile(
    r"(?:https?:)?//(?:feeds\.feedburner\.com/~|feedproxy\.google\.com/~|feeds\.wordpress\.com/1\.0/)", re.IGNORECASE
)
# Words of the class names and ids of elements with links for sharing and following.
SHARE_WORDS: Final = frozenset(
    "share shares sharing sharer social socials follow follows sharebar sharelinks sharebuttons socialmedia".split()
)
# Class names of links from an excerpt to the page.
LINK_NAMES: Final = frozenset("more-link read-more readmore read-more-link wp-block-read-more".split())
# Class names that plugins give to their buttons and to the elements around these.
PLUGIN_NAMES: Final = frozenset(
    """a2a_kit addthis_inline_share_toolbox addthis_toolbox addtoany_content addtoany_share_save_container fb-like
    fb-share-button feedflare heateor_sss_sharing_container jp-relatedposts sd-like shareaholic-canvas sharedaddy
    sharethis-inline-share-buttons ssba twitter-share-button wp-block-social-links""".split()
)
# Class names of text that is written for screen readers alone.
UNSEEN_NAMES: Final = frozenset("screen-reader-text sr-only visually-hidden visuallyhidden".split())
