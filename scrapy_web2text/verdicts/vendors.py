"""The marks that makers of walls and frameworks leave in pages: in ids and classes, addresses and inline scripts.

All are searched as parts of texts in lower case.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = [
    "CAPTCHA_ADDRESSES",
    "CAPTCHA_NAMES",
    "CHALLENGE_ADDRESSES",
    "CHALLENGE_CODE",
    "CHALLENGE_NAMES",
    "CONSENT_ADDRESSES",
    "CONSENT_BOX",
    "CONSENT_CODE",
    "CONSENT_HINTS",
    "CONSENT_VENDORS",
    "ERROR_BOXES",
    "ERROR_NAMES",
    "FRAMEWORK_CODE",
    "GUARDS",
    "MOUNT_NAMES",
    "PAYWALL_CODE",
    "PAYWALL_NAMES",
]

# Ids and classes: OneTrust, Cookiebot, Usercentrics, Didomi, Sourcepoint, Quantcast, TrustArc, Osano, CookieYes,
# Complianz, Borlabs, iubenda, Klaro, tarteaucitron, Axeptio, consentmanager, Google Funding Choices, Cookie
# Information, Moove, Civic, Evidon, CookieFirst, CookieHub, Termly, HubSpot, Shopify, Ketch, Transcend and others.
CONSENT_VENDORS: Final = tuple(
    """
    onetrust optanon ot-sdk-container cybotcookiebot usercentrics uc-banner uc-cmp didomi sp_message
    sp-message-container qc-cmp truste- truste_ trustarc consent_blackbar osano-cm cc-window cc-banner cc-revoke
    cky- cookie-law-info cmplz borlabs iubenda klaro tarteaucitron axeptio cmpbox cmpwrapper fc-consent fc-dialog
    coi-banner coioverlay moove_gdpr moove-gdpr ccc-notify ccc-overlay ccc-module evidon cookiefirst ch2-dialog
    ch2-container termly hs-eu-cookie shopify-pc__ lanyard_root transcend-consent ketch- cookiescript cookie_script
    cookiehub cookieconsent cookie-consent truyo silktide wt-cli real-cookie-banner pandectes consent-banner
    cookie-banner cookiebanner cookie-notice cookienotice cookie-wall
    """.split()
)
# An element whose names have one of these parts may ask for consent; it does if `CONSENT_BOX` finds a box in them, too.
CONSENT_HINTS: Final = ("cookie", "consent", "gdpr", "dsgvo", "rgpd", "lgpd", "ccpa", "privacy")
CONSENT_BOX: Final = re.compile(
    r"(?:banner|notice|notification|pop-?up|modal|overlay|dialog|wall|layer|message|prompt|disclaimer|alert|accept|manage"
    r"|settings|preferences|hint|warning|container|box|bar)(?![a-z])"
    r"|(?<![\w-])(?:cookies?|consent|gdpr)(?![\w-])"
)
CONSENT_ADDRESSES: Final = tuple(
    """
    cookielaw.org onetrust. cookiebot.com usercentrics. privacy-center.org didomi. sourcepoint privacy-mgmt.com
    quantcast inmobi.com/choice trustarc.com truste.com osano.com cookieyes iubenda.com consentmanager.net
    fundingchoicesmessages axept.io cookiefirst cookiehub termly.io consensu.org cookieinformation cookie-script
    consent.yahoo consent.google consent.youtube guce. ketchcdn transcend-cdn appconsent sirdata /consent
    """.split()
)
CONSENT_CODE: Final = tuple(
    """
    _sp_.config _sp_queue didomiconfig __tcfapi optanonwrapper uc_settings __uspapi
    """.split()
)

# Ids and classes of challenges: Cloudflare, PerimeterX, DataDome, Akamai, Imperva, Kasada, Amazon, Yandex, DDoS-Guard …
CHALLENGE_NAMES: Final = tuple(
    """
    cf-wrapper cf-browser-verification cf-challenge cf-error-details cf-please-wait cf-im-under-attack cf-captcha
    cf-chl challenge-form challenge-running challenge-stage challenge-body-text challenge-error challenge-container
    challenge-platform trk_jschal px-captcha px-block datadome ddg-captcha sec-if-cpt sec-cpt bm-verify distil kpsdk
    amzn-captcha aws-waf awswaf anubis smart-captcha smartcaptcha checkbox-captcha incapsula imperva sucuri
    wordfence wf-block nc_1_wrapper funcaptcha arkose ddos-guard qrator reblaze shieldsquare human-challenge
    bot-check tcaptcha
    """.split()
)
CHALLENGE_ADDRESSES: Final = tuple(
    """
    challenge-platform/h/ cdn-cgi/l/chk_ cdn-cgi/styles/cf.errors cdn-cgi/styles/challenges captcha-delivery.com
    captcha.px-cdn px-captcha captcha.perimeterx px-cloud.net human-challenge _incapsula_resource /_sec/cp_challenge
    edgesuite.net bm-verify perfdrive awswaf.com /ips.js? kp_uidz distil_ /errors/validatecaptcha
    images-amazon.com/captcha opfcaptcha smartcaptcha showcaptcha checkcaptcha anubis within.website ddos-guard
    .well-known/ddos .well-known/vercel /sorry/index waf_captcha turing.captcha captcha.qq /__challenge sgcaptcha
    errors.aliyun.com /tspd/
    """.split()
)
CHALLENGE_CODE: Final = tuple(
    """
    _cf_chl_ cf_chl_opt chl_page jschl captcha-delivery datadome _pxappid _pxuuid _pxvid pxcaptcha
    _incapsula_resource bm-verify triggerinterstitialchallenge sec_cpt bazadebezolkohpepadr kpsdk kp_uidz gokuprops
    awswafcookie awswafintegration sucuri_cloudproxy anubis_challenge __qrator ddosguard rbzns shieldsquare distil_
    reese84 acw_sc__v2 slowaes tonumbers( aes.js tspd_ bobcmn /tspd/ vercel-challenge
    """.split()
)
# Services that name themselves in their messages.
GUARDS: Final = tuple(
    """
    sucuri wordfence cloudflare incapsula imperva datadome perimeterx akamai ddos-guard cloudfront
    """.split()
)
# Ids, classes and addresses of tests that ordinary forms have, too.
CAPTCHA_NAMES: Final = tuple(
    """
    g-recaptcha h-captcha cf-turnstile frc-captcha friendly-challenge geetest nocaptcha captcha
    """.split()
)
CAPTCHA_ADDRESSES: Final = tuple(
    """
    hcaptcha.com recaptcha/ recaptcha.net geetest challenges.cloudflare.com friendlycaptcha captcha arkoselabs
    funcaptcha
    """.split()
)
# Ids and classes of the html and body elements, and of messages.
ERROR_NAMES: Final = re.compile(
    r"(?<![a-z0-9])(?:error-?_?40[0-9]|error-?_?50[0-9]|error-?_?page|page-?_?error|page-?_?404|p404|template-404|not-?_?found"
    r"|page-?not-?found|is-404|http-?error|wp-die-message|next-error-h1|e404|cf-error-details|main-404|content-404|route-404"
    r"|view-404|neterror|status-?404|code-?404)(?![a-z0-9])"
)
# Ids and classes of the message of an error page.
ERROR_BOXES: Final = ("cf-error-details", "cf-wrapper", "wp-die-message", "next-error-h1", "vercel-error")
# Ids and tags of elements that scripts fill.
MOUNT_NAMES: Final = frozenset(
    """
    root app react-root react-app reactroot __next __nuxt __layout app-root approot main-app app-container app-mount
    application vue-app vueapp q-app svelte ___gatsby gatsby-focus-wrapper ember-app ember-application ember-root
    spa spa-root mount page-root reactmount react-mount react-container webapp web-app client-app ng-app my-app
    s3-app ssr-root remix-root solid-root elm elm-app main-root site-root angular-app angularapp app-shell app-main
    outlet ice-container icestark-container micro-app root-app app_root main_app reactapp container-root
    flutter-view flt-glass-pane
    """.split()
)
# In addresses of scripts and in inline scripts.
FRAMEWORK_CODE: Final = tuple(
    """
    __next_data__ __next_f __nuxt__ __initial_state__ __preloaded_state__ __apollo_state__ webpackjsonp webpackchunk
    _next/static /_nuxt/ static/js/main static/js/bundle /runtime. /runtime~ /runtime- polyfills. polyfills-
    chunk-vendors /assets/index. /assets/index- bundle.js main.dart.js flutter_bootstrap flutter.js remixcontext
    sveltekit ember blazor.webassembly vendor.js umi.js umi. app.js main.js
    """.split()
)
PAYWALL_NAMES: Final = tuple(
    """
    paywall pay-wall pay_wall regwall reg-wall registration-wall subscriber-only subscribers-only premium-wall
    premium-overlay premium-barrier premium-gate piano-container piano-inline tp-modal tp-container tp-backdrop
    poool metered-content meteredcontent subscription-wall subscription-required subscription-barrier subscribe-wall
    subscribe-gate content-gate article-gate zephr leaky_paywall leaky-paywall pelcro evolok gated-content
    locked-content paid-content-barrier
    """.split()
)
# In JSON-LD, without whitespace.
PAYWALL_CODE: Final = (
    '"isaccessibleforfree":false',
    '"isaccessibleforfree":"false"',
    '"isaccessibleforfree":"http://schema.org/false"',
    '"isaccessibleforfree":"https://schema.org/false"',
)
