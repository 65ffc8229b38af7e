"""What pages without main content say about themselves, in 27 languages. All phrases are in lower case.

The languages are Chinese, Czech, Danish, Dutch, English, Finnish, French, German, Greek, Hungarian, Italian, Japanese,
Korean, Norwegian, Polish, Portuguese, Romanian, Russian, Spanish, Swedish and Turkish; and, with fewer phrases, Arabic,
Hebrew, Hindi, Indonesian, Ukrainian and Vietnamese.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

__all__ = [
    "ACCOUNT_HEADINGS",
    "ACCOUNT_PARTS",
    "ACCOUNT_SENTENCES",
    "CHALLENGE_HEADINGS",
    "CHALLENGE_SENTENCES",
    "CONSENT_WORDS",
    "ERROR_HEADINGS",
    "ERROR_SENTENCES",
    "PAYWALL_SENTENCES",
    "SCRIPT_SENTENCES",
    "bare",
    "count_phrases",
    "fold",
    "has_any",
]

_MARKS: Final = " \t.,:;!?\"'()[]{}<>|/\\-–—_*#…·•»«›‹✕×→➔。！？、（）「」『』"


def fold(text: str) -> str:
    """Return *text* in lower case, with single spaces and straight apostrophes."""
    return " ".join(text.lower().split()).replace("’", "'")


def bare(heading: str) -> str:
    """Return a heading without the marks around it."""
    return heading.strip(_MARKS)


def count_phrases(text: str, phrases: Iterable[str]) -> int:
    """Return how many of *phrases* occur in *text*."""
    return sum(map(text.__contains__, phrases))


def has_any(marks: Iterable[str], text: str) -> bool:
    """Return whether one of *marks* occurs in *text*."""
    return any(map(text.__contains__, marks))  # twice as fast as a generator


def _split(table: str) -> tuple[str, ...]:
    return tuple(filter(None, (" ".join(phrase.split()) for phrase in table.split("|"))))


def _split_sentences(table: str) -> frozenset[str]:
    return frozenset(_split(table))


def _split_headings(table: str) -> Collection[str]:
    return frozenset(map(bare, _split(table)))


# Headings and titles of forms for an account: whole ones, or parts of short ones.
ACCOUNT_HEADINGS: Final = _split_headings(
    """
    реєстрація | увійти | авторизація | відновлення пароля | створити акаунт | تسجيل الدخول | دخول | إنشاء حساب |
    تسجيل جديد | نسيت كلمة المرور | استعادة كلمة المرور | כניסה | התחברות | הרשמה | יצירת חשבון | שכחתי סיסמה |
    איפוס סיסמה | masuk | daftar | buat akun | lupa kata sandi | lupa password | đăng nhập | đăng ký |
    tạo tài khoản | quên mật khẩu | लॉग इन | लॉगिन | साइन इन | पंजीकरण | login required | please log in |
    please sign in | members only | member login | client login | customer login | user login | admin login |
    staff login | password required | enter password | protected page | protected content | log in | login |
    log-in | sign in | signin | sign-in | log on | logon | sign on | sign up | signup | sign-up | register |
    registration | create account | create an account | create your account | create new account | new account |
    new customer account | customer account | my account | user account | account information | authentication |
    forgot password | forgot your password | forgotten password | forgotten your password | reset password |
    reset your password | password reset | password recovery | recover password | recover your password |
    lost password | lost your password | retrieve password | request new password | request password reset |
    password request | member center | members area | become a member | join now | anmelden | anmeldung |
    einloggen | registrieren | registrierung | konto erstellen | benutzerkonto | kundenkonto | mein konto |
    passwort vergessen | kennwort vergessen | passwort zurücksetzen | konto anlegen | benutzerkonto anlegen |
    jetzt registrieren | connexion | se connecter | connectez-vous | identification | identifiez-vous |
    s'identifier | inscription | s'inscrire | inscrivez-vous | créer un compte | mon compte | mot de passe oublié |
    mot de passe perdu | réinitialiser le mot de passe | espace client | iniciar sesión | inicia sesión |
    inicio de sesión | acceder | acceso | ingresar | identifícate | registrarse | regístrate | registro |
    crear cuenta | crear una cuenta | mi cuenta | cuenta de usuario | olvidé mi contraseña | recuperar contraseña |
    restablecer contraseña | contraseña olvidada | conta de usuario | accedi | accesso | registrati |
    registrazione | crea account | crea un account | il mio account | password dimenticata | recupera password |
    recupero password | area riservata | iscriviti | entrar | iniciar sessão | fazer login | acessar | aceder |
    identificação | registar | registo | registrar | cadastro | cadastre-se | criar conta | criar uma conta |
    minha conta | a minha conta | recuperar senha | esqueci minha senha | recuperar palavra-passe |
    pedido de palavra-passe | inloggen | aanmelden | registreren | account aanmaken | mijn account |
    wachtwoord vergeten | wachtwoord herstellen | zaloguj | zaloguj się | logowanie | zarejestruj się |
    rejestracja | utwórz konto | załóż konto | moje konto | nie pamiętam hasła | przypomnij hasło |
    odzyskiwanie hasła | resetowanie hasła | přihlášení | přihlásit | přihlásit se | registrace | registrovat |
    vytvořit účet | můj účet | zapomenuté heslo | obnova hesla | prihlásenie | prihlásiť sa | registrácia |
    logga in | inloggning | registrera | registrera dig | skapa konto | bli medlem | mitt konto | glömt lösenord |
    återställ lösenord | log ind | log på | opret konto | opret bruger | min konto | glemt adgangskode |
    glemt kodeord | bestil ny adgangskode | logg inn | innlogging | logg på | registrer deg | opprett konto |
    glemt passord | kirjaudu | kirjaudu sisään | kirjautuminen | rekisteröidy | rekisteröityminen | luo tili |
    oma tili | unohtunut salasana | tunnuksen rekisteröinti | bejelentkezés | belépés | regisztráció |
    fiók létrehozása | elfelejtett jelszó | autentificare | conectare | intră în cont | înregistrare |
    creează cont | contul meu | am uitat parola | giriş | giriş yap | oturum aç | üye girişi | kayıt ol | üye ol |
    hesap oluştur | hesabım | şifremi unuttum | σύνδεση | είσοδος | εγγραφή | δημιουργία λογαριασμού |
    ο λογαριασμός μου | ξέχασα τον κωδικό | вход | войти | авторизация | регистрация | зарегистрироваться |
    создать аккаунт | личный кабинет | восстановление пароля | забыли пароль | напомнить пароль | запрос пароля |
    вхід | вход в профила | ログイン | サインイン | 会員登録 | 新規登録 | 新規会員登録 | ユーザー登録 |
    アカウント作成 | パスワードを忘れた | パスワード再設定 | パスワードの再設定 | 登录 | 登錄 | 登入 | 用户登录 |
    注册 | 註冊 | 用户注册 | 会员登录 | 会员注册 | 创建账户 | 忘记密码 | 找回密码 | 更改密码 | 重置密码 | 로그인 |
    회원가입 | 회원 가입 | 비밀번호 찾기 | 비밀번호 재설정 | 계정 만들기 |
    """
)
# The same, as parts of longer headings; in scripts with spaces, with spaces around them.
ACCOUNT_PARTS: Final = tuple(sorted(phrase if phrase[0] > "\u3000" else f" {phrase} " for phrase in ACCOUNT_HEADINGS))

# Pages that only ask to sign in say so without a form.
ACCOUNT_SENTENCES: Final = _split_sentences(
    """
    you must be logged in | you must log in | you must sign in | you need to log in | you need to sign in |
    you need to be logged in | you have to be logged in | you have to log in | please log in | please login |
    please sign in | login required | log in to view | log in to continue | sign in to continue | sign in to view |
    you are not logged in | not authorized to view | only for members | is password protected | enter the password |
    enter password | enter using password | bitte melden sie sich an | bitte anmelden | bitte einloggen |
    sie müssen angemeldet sein | sie müssen sich anmelden | passwortgeschützt | veuillez vous connecter |
    vous devez être connecté | vous devez vous connecter | vous devez vous identifier | protégé par mot de passe |
    debe iniciar sesión | debes iniciar sesión | inicia sesión para | inicie sesión para |
    protegido por contraseña | devi effettuare il login | devi accedere | effettua il login | accedi per |
    protetto da password | faça login para | precisa de iniciar sessão | você precisa estar logado |
    inicie sessão para | protegido por senha | u moet ingelogd zijn | je moet ingelogd zijn | log in om |
    musisz się zalogować | zaloguj się, aby | musíte být přihlášen | přihlaste se | du måste logga in |
    du måste vara inloggad | du skal logge ind | du skal være logget ind | du må logge inn | du må være logget inn |
    sinun täytyy kirjautua | kirjaudu sisään | be kell jelentkeznie | jelentkezzen be | trebuie să te autentifici |
    trebuie să fiți autentificat | giriş yapmalısınız | giriş yapmanız gerekiyor | parola korumalı |
    πρέπει να συνδεθείτε | необходимо войти | войти в систему | нужно войти | авторизуйтесь | войдите, чтобы |
    увійдіть | ログインしてください | ログインが必要 | 请登录 | 請登入 | 请先登录 | 需要登录 | 로그인이 필요 |
    로그인해 주세요 | يرجى تسجيل الدخول | נא להתחבר | silakan masuk | vui lòng đăng nhập |
    """
)

# Whole headings or parts of titles.
ERROR_HEADINGS: Final = _split_headings(
    """
    сторінку не знайдено | помилка | помилка сервера | технічні роботи | الصفحة غير موجودة |
    لم يتم العثور على الصفحة | خطأ | حدث خطأ | الموقع تحت الصيانة | תחת תחזוקה | הדף לא נמצא | העמוד לא נמצא |
    שגיאה | אירעה שגיאה | halaman tidak ditemukan | tidak ditemukan | kesalahan | terjadi kesalahan |
    dalam perbaikan | không tìm thấy trang | trang không tồn tại | lỗi | đã xảy ra lỗi | đang bảo trì |
    पृष्ठ नहीं मिला | त्रुटि | coming soon | under construction | domain for sale | parked domain |
    default web page | welcome to nginx | apache2 ubuntu default page | error page | page error | oops | whoops |
    oh no | 400 | 401 | 403 | 404 | 410 | 429 | 500 | 502 | 503 | 504 | 520 | 521 | 522 | 523 | 524 | 525 | 526 |
    error 400 | error 403 | error 404 | error 410 | error 500 | error 502 | error 503 | error 504 | 404 error |
    500 error | 403 error | 503 error | 502 error | http 404 | http 500 | 404 page | fehler 404 | erreur 404 |
    errore 404 | erro 404 | fout 404 | ошибка 404 | fel 404 | feil 404 | fejl 404 | virhe 404 | hata 404 |
    chyba 404 | błąd 404 | 404-fehler | 404 - error | http error 404 | http error 500 | http error 503 | not found |
    page not found | 404 not found | 404 page not found | 404 - page not found | 404 - not found | 404: not found |
    404: page not found | 404 error - page not found | error 404 - page not found | error 404 (not found) |
    error 404: page not found | 404 error: page not found | error 404 not found |
    404: this page could not be found | 404 - file or directory not found | file not found |
    the page was not found | the page cannot be found | the page can't be found | page can't be found |
    page cannot be found | page could not be found | this page could not be found | this page can't be found |
    that page can't be found | oops! that page can't be found | the page you requested was not found |
    the page you requested could not be found | the requested url was not found on this server |
    the page you are looking for cannot be found | the page you're looking for can't be found | nothing found |
    nothing here | page does not exist | page doesn't exist | this page does not exist | this page doesn't exist |
    the page does not exist | this page isn't available | this page is not available | page not available |
    page unavailable | page removed | sorry, this page isn't available | content not found | content unavailable |
    article not found | product not found | we can't find that page | we can't find the page |
    we couldn't find that page | we couldn't find the page | we can't find the page you're looking for |
    sorry, we couldn't find that page | sorry, page not found | oops! page not found |
    sorry, the page you requested was not found | topic not found | thread not found | internal server error |
    500 internal server error | 500 - internal server error | server error | bad gateway | 502 bad gateway |
    bad request | 400 bad request | 403 forbidden | forbidden | gateway timeout | 504 gateway timeout |
    gateway time-out | 504 gateway time-out | service unavailable | 503 service unavailable |
    service temporarily unavailable | 503 service temporarily unavailable | temporarily unavailable |
    site temporarily unavailable | web server is down | 429 too many requests | too many requests | 410 gone |
    web server is returning an unknown error | connection timed out | origin is unreachable |
    invalid ssl certificate | error establishing a database connection | database error |
    database connection error | application error | runtime error | an error occurred | an error has occurred |
    a server error occurred | something went wrong | oops! something went wrong | something's wrong |
    wordpress › error | there has been a critical error on this website | critical error | fatal error |
    site maintenance | under maintenance | maintenance mode | down for maintenance | scheduled maintenance |
    we'll be back soon | we'll be right back | briefly unavailable for scheduled maintenance | maintenance |
    account suspended | this account has been suspended | this site can't be reached | domain not found |
    site not found | server error in '/' application | the resource cannot be found | unexpected error |
    this listing has expired | this job has expired | seite nicht gefunden | 404 - seite nicht gefunden |
    404 seite nicht gefunden | die seite wurde nicht gefunden | seite wurde nicht gefunden |
    diese seite existiert nicht | diese seite wurde nicht gefunden | die seite existiert nicht |
    seite nicht verfügbar | nicht gefunden | fehler | fehlerseite | interner serverfehler |
    es ist ein fehler aufgetreten | ein fehler ist aufgetreten | wartungsarbeiten | wartungsmodus | wartung |
    dienst nicht verfügbar | zugriff verweigert | die gesuchte seite wurde nicht gefunden |
    fehler 404 - seite nicht gefunden | die angeforderte seite wurde nicht gefunden |
    seite konnte nicht gefunden werden | die seite konnte nicht gefunden werden | page non trouvée |
    page introuvable | 404 - page introuvable | cette page n'existe pas | la page n'existe pas | page inexistante |
    cette page est introuvable | la page est introuvable | la page demandée n'existe pas |
    la page demandée est introuvable | page indisponible | erreur | erreur interne du serveur | erreur serveur |
    une erreur est survenue | une erreur s'est produite | service indisponible | site en maintenance |
    maintenance en cours | erreur 404 - page introuvable | erreur 404 : page introuvable |
    la page que vous recherchez n'existe pas | oups ! page introuvable | contenu introuvable |
    página no encontrada | no se encontró la página | página no disponible | la página no existe |
    esta página no existe | no encontrado | error | error interno del servidor | se ha producido un error |
    ha ocurrido un error | servicio no disponible | sitio en mantenimiento | en mantenimiento | página no existe |
    la página que buscas no existe | error 404: página no encontrada | no hemos encontrado la página |
    404 - página no encontrada | algo salió mal | algo ha ido mal | pagina non trovata | 404 - pagina non trovata |
    pagina inesistente | la pagina non esiste | questa pagina non esiste | pagina non disponibile | errore |
    errore interno del server | si è verificato un errore | servizio non disponibile | sito in manutenzione |
    in manutenzione | la pagina richiesta non esiste | la pagina che cerchi non esiste |
    errore 404 - pagina non trovata | página não encontrada | 404 - página não encontrada | a página não existe |
    esta página não existe | página inexistente | página indisponível | erro | erro interno do servidor |
    ocorreu um erro | serviço indisponível | site em manutenção | em manutenção | não encontrado |
    a página que procura não existe | erro 404 - página não encontrada | algo deu errado | pagina niet gevonden |
    404 - pagina niet gevonden | deze pagina bestaat niet | de pagina bestaat niet | niet gevonden | fout |
    interne serverfout | er is een fout opgetreden | er ging iets mis | er is iets misgegaan | onderhoud |
    dienst niet beschikbaar | deze pagina kon niet worden gevonden | de pagina is niet gevonden |
    nie znaleziono strony | strona nie istnieje | strona nie została znaleziona | nie znaleziono |
    taka strona nie istnieje | podana strona nie istnieje | błąd | wewnętrzny błąd serwera | wystąpił błąd |
    przerwa techniczna | usługa niedostępna | 404 - nie znaleziono strony | ups! strona nie istnieje |
    stránka nenalezena | stránka nebyla nalezena | stránka neexistuje | tato stránka neexistuje | nenalezeno |
    chyba | chyba serveru | interní chyba serveru | došlo k chybě | probíhá údržba | údržba | stránka sa nenašla |
    služba není dostupná | 404 - stránka nenalezena | sidan hittades inte | sidan kunde inte hittas |
    sidan finns inte | sidan saknas | hittades inte | fel | ett fel uppstod | ett fel har inträffat |
    internt serverfel | något gick fel | underhåll | sidan du söker finns inte | siden blev ikke fundet |
    siden findes ikke | siden kunne ikke findes | ikke fundet | fejl | der opstod en fejl | der er sket en fejl |
    intern serverfejl | noget gik galt | vedligeholdelse | siden ble ikke funnet | siden finnes ikke |
    fant ikke siden | vi finner ikke siden | ikke funnet | feil | det oppstod en feil | det har oppstått en feil |
    intern serverfeil | noe gikk galt | vedlikehold | sivua ei löytynyt | sivua ei löydy | sivua ei ole |
    etsimääsi sivua ei löytynyt | ei löytynyt | virhe | tapahtui virhe | palvelinvirhe | sisäinen palvelinvirhe |
    jokin meni pieleen | huoltokatko | az oldal nem található | a keresett oldal nem található |
    oldal nem található | nem található | hiba | hiba történt | szerverhiba | karbantartás | belső szerverhiba |
    pagina nu a fost găsită | pagină negăsită | pagina nu există | pagina negasita | pagina nu a fost gasita |
    eroare | a apărut o eroare | eroare internă a serverului | mentenanță | site în mentenanță | sayfa bulunamadı |
    aradığınız sayfa bulunamadı | 404 - sayfa bulunamadı | bulunamadı | hata | bir hata oluştu | sunucu hatası |
    bakım çalışması | bakımdayız | site bakımda | η σελίδα δεν βρέθηκε | σελίδα δεν βρέθηκε | η σελίδα δεν υπάρχει |
    δεν βρέθηκε | σφάλμα | παρουσιάστηκε σφάλμα | συντήρηση | εσωτερικό σφάλμα διακομιστή | страница не найдена |
    404 - страница не найдена | страница не существует | такой страницы нет | такой страницы не существует |
    не найдено | ошибка | ошибка сервера | внутренняя ошибка сервера | произошла ошибка | технические работы |
    сайт на обслуживании | сервис временно недоступен | запрашиваемая страница не найдена | что-то пошло не так |
    ошибка 404. страница не найдена | ページが見つかりません | ページが見つかりませんでした |
    お探しのページは見つかりません | お探しのページは見つかりませんでした | お探しのページが見つかりませんでした |
    ページが存在しません | エラー | エラーが発生しました | サーバーエラー | メンテナンス中 |
    メンテナンスのお知らせ | 404エラー | 指定されたページが見つかりません | 页面不存在 | 找不到页面 | 页面未找到 |
    页面找不到 | 您访问的页面不存在 | 你访问的页面不存在 | 404页面 | 404错误 | 頁面不存在 | 找不到頁面 |
    找不到網頁 | 出错了 | 服务器错误 | 服务器内部错误 | 系统维护 | 网站维护中 | 錯誤 | 页面没有找到 | 内容不存在 |
    提示信息 | 抱歉,您访问的页面不存在 | 페이지를 찾을 수 없습니다 | 요청하신 페이지를 찾을 수 없습니다 |
    존재하지 않는 페이지입니다 | 오류 | 오류가 발생했습니다 | 서버 오류 | 점검 중 | 시스템 점검 |
    """
)

# Anywhere in a page of few words.
ERROR_SENTENCES: Final = _split_sentences(
    """
    не знайдено | сталася помилка | технічні роботи | спробуйте пізніше | غير موجودة | حدث خطأ | تحت الصيانة |
    لم يتم العثور | לא נמצא | לא קיים | אירעה שגיאה | בתחזוקה | נסו שוב | tidak ditemukan | terjadi kesalahan |
    sedang dalam perbaikan | coba lagi nanti | không tìm thấy | không tồn tại | đã xảy ra lỗi | đang bảo trì |
    नहीं मिला | त्रुटि हुई | steht zum verkauf | diese domain | est à vendre | ce domaine | in vendita |
    questo dominio | este dominio | domena jest | nicht mehr verfügbar | nicht berechtigt | keine berechtigung |
    vous n'avez pas l'autorisation | accès interdit | you may have mistyped the address | may have moved |
    contact the administrator | website owner | is not available | wurde entfernt | ist abgelaufen |
    n'est plus disponible | a été supprimé | a expiré | ya no existe | ha sido eliminad | ha caducado |
    è stata rimossa | non è più in | è scaduto | não está disponível | foi removid | expirou | is verlopen |
    niet meer beschikbaar | is verwijderd | zostało usunięte | zostało zakończone | nieaktualne | wygasło |
    byla odstraněna | är borttagen | har utgått | er fjernet | er udløbet | er utløpt | on poistettu | eltávolít |
    a fost ștears | kaldırıl | guru meditation | backend fetch failed | fatal error | uncaught exception |
    stack trace | domain is for sale | domain may be for sale | buy this domain | this domain is parked |
    domain has expired | domain name has been registered | coming soon | under construction | default web page |
    default page | apache is functioning normally | it works! | welcome to nginx | web server is running |
    website is under construction | launching soon | was not found on this server | the page you are looking for |
    the page you were looking for | the page you're looking for | the page you requested |
    the page you have requested | the requested page | the requested url | no longer exists | could not be found |
    cannot be found | can't be found | couldn't be found | does not exist | doesn't exist | page not found |
    has been removed, had its name changed | internal server error | server encountered an internal error |
    the server encountered | service unavailable | temporarily unavailable |
    temporarily unable to service your request | capacity problems | error establishing a database connection |
    bad gateway | gateway time-out | invalid response from an upstream server | currently undergoing maintenance |
    undergoing scheduled maintenance | down for maintenance | be back shortly | be back online |
    you don't have permission to access | forbidden | too many connections | the page isn't redirecting properly |
    an error occurred | an error has occurred | something went wrong | unexpected error | try again later |
    application error | no input file specified | access to this resource on the server is denied |
    the link you followed may be broken | server error | account has been suspended |
    critical error on this website | the system cannot find the file | the post you requested does not exist |
    no longer available | has expired | invalid thread specified | konnte nicht gefunden werden |
    wurde nicht gefunden | existiert nicht | ein fehler aufgetreten | fehler ist aufgetreten | wartungsarbeiten |
    später noch einmal | später erneut | die angeforderte seite | die gesuchte seite | n'a pas été trouvée |
    est introuvable | n'existe pas | n'existe plus | une erreur est survenue | erreur s'est produite |
    en maintenance | la page demandée | page que vous recherchez | réessayer plus tard | veuillez réessayer |
    no se ha encontrado | no se encuentra | no existe | ya no está disponible | ha ocurrido un error |
    se ha producido un error | en mantenimiento | página que buscas | página solicitada | inténtelo más tarde |
    no se encontró | non è stata trovata | non esiste | non è più disponibile | si è verificato un errore |
    in manutenzione | pagina richiesta | riprova più tardi | pagina che stai cercando | não foi encontrada |
    não existe | ocorreu um erro | em manutenção | tente novamente | página que procura | página que você procura |
    kon niet worden gevonden | niet gevonden | bestaat niet | bestaat niet meer | fout opgetreden | in onderhoud |
    wegens onderhoud | onderhoudswerk |
    probeer het later | nie została znaleziona | nie istnieje | wystąpił błąd | przerwa techniczna |
    prace konserwacyjne | spróbuj ponownie | szukana strona | nebyla nalezena | neexistuje | došlo k chybě |
    údržba | zkuste to později | kunde inte hittas | hittades inte | finns inte | ett fel uppstod |
    fel har inträffat | försök igen | blev ikke fundet | findes ikke | kunne ikke findes | opstod en fejl |
    prøv igen | ble ikke funnet | finnes ikke | oppstod en feil | prøv igjen | ei löytynyt | ei löydy |
    tapahtui virhe | yritä uudelleen | nem található | nem létezik | hiba történt | próbálja később |
    nu a fost găsită | nu există | a apărut o eroare | încercați din nou | bulunamadı | mevcut değil |
    bir hata oluştu | tekrar deneyin | δεν βρέθηκε | δεν υπάρχει | παρουσιάστηκε σφάλμα | προσπαθήστε ξανά |
    не найдена | не существует | произошла ошибка | технические работы | попробуйте позже | была удалена |
    временно недоступен | 見つかりません | 存在しません | エラーが発生しました | 削除された可能性 | メンテナンス |
    しばらくしてから | しばらく経ってから | 不存在 | 找不到 | 未找到 | 已被删除 | 已删除 | 出错了 | 服务器错误 |
    稍后再试 | 稍後再試 | 系统维护 | 찾을 수 없습니다 | 존재하지 않 | 오류가 발생 | 다시 시도 | 삭제되었 |
    """
)

# Whole headings or parts of titles.
CHALLENGE_HEADINGS: Final = _split_headings(
    """
    перевірка браузера | перевірка безпеки | доступ заборонено | зачекайте | لحظة | التحقق الأمني | تم رفض الوصول |
    רק רגע | הגישה נדחתה | בדיקת אבטחה | tunggu sebentar | akses ditolak | pemeriksaan keamanan | chờ một chút |
    truy cập bị từ chối | kiểm tra bảo mật | कृपया प्रतीक्षा करें | सुरक्षा जांच | प्रवेश निषेध |
    403 error the request could not be satisfied | the request could not be satisfied |
    not available in your region | not available in your country | unavailable in your country |
    unavailable due to legal reasons | access from your country | geo-blocked | region blocked |
    verification required | please verify | quick check | browser check | just a moment | attention required |
    access denied | access to this page has been denied | please wait | one moment, please | one moment please |
    checking your browser | checking your browser before accessing | security check | security verification |
    security checkpoint | vercel security checkpoint | robot check | robot or human | are you a robot |
    are you human | are you a human | are you not a robot | bot verification | human verification |
    verify you are human | verify you're human | verifying you are human | verify that you are human |
    please verify you are a human | please verify you are human | making sure you're not a bot |
    prove you are human | prove you're not a robot | captcha | captcha challenge | recaptcha | ddos-guard |
    ddos protection | ddos protection by cloudflare | sorry, you have been blocked | you have been blocked |
    you are being rate limited | you've been blocked | blocked | request blocked | request rejected |
    request unsuccessful | access blocked | access restricted | sucuri website firewall - access denied |
    sucuri website firewall | pardon our interruption | your access to this site has been limited |
    unusual traffic | unusual activity | we have detected unusual activity | challenge validation |
    client challenge | web application firewall | human or robot | incapsula incident | press & hold |
    you are unable to access | error 1020 | error 1015 | error 1009 |
    your connection needs to be verified before you can proceed | let's confirm you are human |
    confirm you are human | before we continue | we need to check that you are human | validate.perfdrive.com |
    your request has been blocked | zugriff verweigert | sicherheitsüberprüfung | sicherheitsabfrage |
    bitte bestätigen sie, dass sie ein mensch sind | sind sie ein mensch | einen moment bitte | nur einen moment |
    zugriff blockiert | ich bin kein roboter | accès refusé | vérification de sécurité | êtes-vous un robot |
    un instant | un instant… | vérifiez que vous êtes humain | accès bloqué | contrôle de sécurité |
    acceso denegado | verificación de seguridad | un momento | comprobación de seguridad | eres un robot |
    no soy un robot | verifica que eres humano | acceso bloqueado | accesso negato | verifica di sicurezza |
    controllo di sicurezza | sei un robot | verifica che sei umano | acesso negado | verificação de segurança |
    um momento | acesso bloqueado | verifique se você é humano | toegang geweigerd | een ogenblik geduld |
    beveiligingscontrole | ben je een robot | even geduld | odmowa dostępu | dostęp zabroniony |
    weryfikacja bezpieczeństwa | chwileczkę | potwierdź, że jesteś człowiekiem | přístup odepřen |
    přístup zamítnut | okamžik | bezpečnostní kontrola | ověření, že nejste robot | åtkomst nekad | ett ögonblick |
    säkerhetskontroll | är du en robot | adgang nægtet | et øjeblik | sikkerhedskontrol | ingen tilgang |
    et øyeblikk | sikkerhetskontroll | tilgang nektet | pääsy estetty | hetkinen | turvatarkistus |
    hozzáférés megtagadva | egy pillanat | biztonsági ellenőrzés | acces refuzat | acces interzis | un moment |
    verificare de securitate | erişim engellendi | bir dakika lütfen | güvenlik kontrolü | robot musunuz |
    robot olmadığınızı doğrulayın | δεν επιτρέπεται η πρόσβαση | μια στιγμή | έλεγχος ασφαλείας | доступ запрещен |
    доступ запрещён | доступ ограничен | проверка браузера | проверка безопасности | вы не робот | я не робот |
    подтвердите, что вы не робот | один момент | ой! | アクセスが拒否されました | アクセス拒否 |
    セキュリティチェック | ロボットではありません | しばらくお待ちください | お待ちください | 访问被拒绝 |
    安全验证 | 安全驗證 | 人机验证 | 请稍候 | 請稍候 | 滑动验证 | 验证码 | 滑动验证页面 | 访问验证 | 百度安全验证 |
    存取被拒 | 액세스 거부 | 접근이 거부되었습니다 | 보안 확인 | 잠시만 기다리십시오 | 로봇이 아닙니다 |
    """
)

CHALLENGE_SENTENCES: Final = _split_sentences(
    """
    generated by wordfence | block reason | 请求已被拦截 | 安全威胁 | request has been blocked | access limited |
    ви не робот | що ви людина | не роботом | увімкніть javascript і файли cookie | перевіряємо ваш браузер |
    أنك لست روبوت | أنك إنسان | لست روبوت | التحقق من أنك | שאתה לא רובוט | שאינך רובוט | שאתה אנושי | bukan robot |
    lalu lintas yang tidak biasa | permintaan otomatis | không phải là robot | không phải robot | bạn là con người |
    lưu lượng truy cập bất thường | रोबोट नहीं | आप मानव हैं | आप इंसान हैं | request blocked |
    could not be satisfied | generated by cloudfront | not available in your region |
    not available in your country | access from your | blocked by the site owner | advanced blocking is in effect |
    limited by the site owner | proof of work | proof-of-work | checking that you | checking your connection |
    anti-bot | abnormal traffic | please enable js | disable any ad blocker | enable cookies | 自動アクセス |
    自動化されたアクセス | ご確認ください | inserisci i caratteri | geben sie die zeichen |
    saisissez les caractères | introduce los caracteres | digite os caracteres | verify you are human |
    verify you are a human | verify you're human | verify that you are human | verify that you're human |
    verify that you are not a robot | verify that you're not a robot | verifying you are human |
    confirm you are human | confirm that you are human | confirm you're not a robot | prove you are human |
    prove that you are human | prove you're not a robot | you are not a robot | you're not a robot |
    i'm not a robot | i am not a robot | are a human and not a bot | not a bot | not a robot |
    checking your browser | checking if the site connection is secure | review the security of your connection |
    complete the security check | needs to review the security | enable javascript and cookies to continue |
    please enable cookies | ddos protection by | unusual traffic | unusual activity from | automated requests |
    automated traffic | automated access | solve the captcha | complete the captcha | enter the characters you see |
    type the characters you see | press & hold | press and hold | you have been blocked | you've been blocked |
    your ip has been blocked | your ip address has been blocked | has been blocked by the security |
    security service to protect itself | access to this page has been denied | permission to access |
    was blocked due to | the requested url was rejected | request was rejected | incapsula incident id |
    your support id is | ray id | rate limited | made us think you might be a bot | made us think you were a bot |
    made us think that you are a bot | you are using automation tools | you are browsing and clicking at a speed |
    super-human speed | access denied | we have detected unusual | slide to verify | drag the slider |
    to continue, please click the box | complete the challenge | your access to this site has been limited |
    as you were browsing, something about your browser | dass sie ein mensch sind | dass sie kein roboter sind |
    kein roboter | dass du kein roboter bist | sicherheitsüberprüfung | ungewöhnlichen datenverkehr |
    zugriff verweigert | browser wird überprüft | automatisierte anfragen | zugriff wurde blockiert |
    que vous êtes humain | que vous êtes un humain | que vous n'êtes pas un robot | pas un robot |
    trafic inhabituel | accès refusé | vérification de sécurité | vérification de votre navigateur |
    accès temporairement restreint | activité inhabituelle | que eres humano | que es humano |
    que no eres un robot | no soy un robot | tráfico inusual | acceso denegado | comprobando su navegador |
    verificar la seguridad | actividad inusual | che sei umano | che non sei un robot | non sono un robot |
    traffico anomalo | traffico insolito | accesso negato | verifica di sicurezza | que você é humano |
    que é humano | que não é um robô | não sou um robô | tráfego incomum | acesso negado |
    verificando seu navegador | dat u een mens bent | dat je een mens bent | geen robot bent | geen robot |
    ongebruikelijk verkeer | toegang geweigerd | że jesteś człowiekiem | nie jesteś robotem | nie jestem robotem |
    nietypowy ruch | odmowa dostępu | sprawdzanie przeglądarki | že jste člověk | nejste robot | nejsem robot |
    neobvyklý provoz | přístup odepřen | att du är människa | inte är en robot | inte en robot | ovanlig trafik |
    åtkomst nekad | at du er et menneske | ikke er en robot | usædvanlig trafik | adgang nægtet | uvanlig trafikk |
    tilgang nektet | että olet ihminen | et ole robotti | en ole robotti | epätavallista liikennettä |
    pääsy estetty | hogy ön ember | nem vagyok robot | nem robot | szokatlan forgalom | că sunteți om |
    nu sunt robot | nu sunteți un robot | trafic neobișnuit | insan olduğunuzu | robot olmadığınızı |
    robot değilim | olağan dışı trafik | erişim engellendi | ότι είστε άνθρωπος | δεν είμαι ρομπότ |
    δεν είστε ρομπότ | что вы не робот | что вы человек | я не робот | подозрительный трафик |
    автоматические запросы | проверяем ваш браузер | проверка вашего браузера | доступ ограничен | доступ запрещен |
    доступ запрещён | что запросы отправляли вы | ロボットではない | 人間であることを確認 |
    通常と異なるトラフィック | アクセスが拒否 | セキュリティの確認 | ブラウザを確認 | 您是真人 | 不是机器人 |
    不是機器人 | 人机验证 | 安全验证 | 异常流量 | 异常访问 | 滑动验证 | 拖动滑块 | 按住滑块 | 访问被拒绝 |
    访问过于频繁 | 输入验证码 | 사람인지 확인 | 로봇이 아닙니다 | 로봇이 아님 | 비정상적인 트래픽 | 액세스가 거부 |
    """
)

PAYWALL_SENTENCES: Final = _split_sentences(
    """
    mitglied werden | nur für mitglieder | unterstützer | werde mitglied | mitgliedschaft | um den ganzen |
    ganzen artikel | vollständigen artikel | tylko dla subskrybentów | підписників | للمشتركين | למנויים |
    khusus pelanggan | dành cho thuê bao | join to read | members can read | subscribe to continue |
    subscribe to read | subscribe to keep reading | subscribe now to read | to continue reading | to keep reading |
    to read the full | to read the rest | to read this article | to read the full story | already a subscriber |
    for subscribers only | subscribers only | subscriber-only | subscriber exclusive | exclusive to subscribers |
    exclusively for subscribers | available to subscribers | reserved for subscribers |
    this content is for members | for members only | members-only | this post is for paid subscribers |
    this post is for paying subscribers | become a member to read | create a free account to continue |
    register to continue reading | you have reached your limit | you've reached your limit | free articles |
    unlock this article | unlock full access | member-only story | premium content | sign up to read |
    article limit | start your free trial | um weiterzulesen | weiterlesen mit | jetzt weiterlesen |
    jetzt abonnieren | bereits abonnent | sie sind bereits abonnent | nur für abonnenten | exklusiv für abonnenten |
    dieser artikel ist exklusiv | artikel freischalten | mit ihrem abo | diesen artikel weiterlesen |
    zugang zu allen artikeln | inhalte freischalten | sie haben bereits ein | réservé aux abonnés |
    réservé à nos abonnés | il vous reste | pour lire la suite | la suite est réservée | déjà abonné |
    abonnez-vous pour | article réservé | lire la suite de cet article | exclusivo para suscriptores |
    solo para suscriptores | sólo para suscriptores | para seguir leyendo | para continuar leyendo |
    suscríbete para | ya eres suscriptor | contenido exclusivo | ¿ya eres suscriptor | riservato agli abbonati |
    per continuare a leggere | abbonati per | sei già abbonato | contenuto riservato | per leggere tutto |
    exclusivo para assinantes | exclusivo para subscritores | para continuar a ler | para continuar lendo |
    já é assinante | assine para | conteúdo exclusivo | alleen voor abonnees | om verder te lezen |
    lees verder met | al abonnee | exclusief voor abonnees | tylko dla prenumeratorów | dla subskrybentów |
    aby czytać dalej | czytaj dalej w | masz już prenumeratę | treść dostępna dla | dostęp dla prenumeratorów |
    pouze pro předplatitele | jen pro předplatitele | pro pokračování | jste předplatitel | odemknout článek |
    för prenumeranter | för att läsa vidare | läs vidare | redan prenumerant | logga in för att läsa |
    kun for abonnenter | for at læse videre | allerede abonnent | læs videre med | for å lese videre |
    for å lese saken | bli abonnent | vain tilaajille | tilaajille | jatka lukemista | oletko jo tilaaja |
    lukeaksesi | csak előfizetőknek | előfizetőink | a cikk folytatásához | előfizetéshez kötött |
    doar pentru abonați | pentru a citi | abonează-te | conținut exclusiv | abonelere özel |
    okumaya devam etmek için | abone olun | μόνο για συνδρομητές | για να συνεχίσετε | γίνετε συνδρομητής |
    только для подписчиков | доступно подписчикам | оформите подписку | чтобы читать дальше | материал доступен |
    чтобы прочитать | 有料会員限定 | 会員限定 | この記事は会員 | 続きを読むには | 残り | 有料記事 | 订阅后继续阅读 |
    付费阅读 | 会员专享 | 阅读全文需 | 成为会员 | 訂閱後 | 유료 회원 | 구독자 전용 | 구독 후 | 계속 읽으려면 |
    """
)

SCRIPT_SENTENCES: Final = _split_sentences(
    """
    увімкніть javascript | يرجى تفعيل | جار التحميل | הפעל javascript | טוען | aktifkan javascript | memuat |
    bật javascript | đang tải | जावास्क्रिप्ट | लोड हो रहा | please wait | browser is out of date |
    outdated browser | browser is no longer supported | does not support javascript | without javascript |
    a besoin de javascript | navigateur n'est pas | le javascript | browser wird nicht unterstützt |
    navegador no es compatible | ohne javascript | sans javascript | sin javascript | senza javascript |
    sem javascript | zonder javascript | bez javascript | utan javascript | uden javascript | uten javascript |
    enable javascript to run this app | you need to enable javascript | please enable javascript |
    enable javascript to | javascript is required | requires javascript | javascript must be enabled |
    javascript is disabled | javascript is not available | javascript to be enabled | turn on javascript |
    doesn't work properly without javascript | does not work without javascript | activate javascript | loading |
    javascript enabled | your browser is not supported | upgrade your browser | unsupported browser |
    bitte aktivieren sie javascript | javascript aktivieren | javascript ist deaktiviert | benötigt javascript |
    javascript muss aktiviert | wird geladen | lädt | laden | activer javascript | activez javascript |
    javascript est désactivé | nécessite javascript | chargement | javascript doit être activé |
    chargement en cours | activar javascript | active javascript | habilitar javascript | habilite javascript |
    habilita javascript | activa javascript | requiere javascript | cargando | abilita javascript |
    attiva javascript | abilitare javascript | richiede javascript | caricamento | caricamento in corso |
    ative o javascript | habilite o javascript | ativar o javascript | habilitar o javascript | requer javascript |
    carregando | a carregar | schakel javascript in | javascript inschakelen | javascript is vereist |
    vereist javascript | włącz javascript | włącz obsługę javascript | wymaga javascript | ładowanie | wczytywanie |
    povolte javascript | zapněte javascript | vyžaduje javascript | načítání | načítám | aktivera javascript |
    kräver javascript | laddar | slå på javascript | aktiver javascript | slå javascript til | kræver javascript |
    indlæser | krever javascript | laster | ota javascript käyttöön | vaatii javascriptin | ladataan | lataa |
    engedélyezze a javascriptet | javascript engedélyezése | betöltés | activați javascript | activează javascript |
    se încarcă | javascript'i etkinleştirin | javascript gerekli | yükleniyor | ενεργοποιήστε τη javascript |
    ενεργοποιήστε την javascript | φόρτωση | включите javascript | включить javascript | необходим javascript |
    требуется javascript | загрузка | javascript отключен | javascript отключён | javascriptを有効に |
    javascript を有効に | 読み込み中 | 読込中 | ロード中 | 请启用javascript | 請啟用javascript | 开启javascript |
    加载中 | 正在加载 | 載入中 | 启用 javascript | 자바스크립트를 활성화 | 자바스크립트를 사용 |
    javascript를 활성화 | 로딩 중 | 로딩중 |
    """
)

# Parts of words of dialogs that ask for consent.
CONSENT_WORDS: Final = _split_sentences(
    """
    файли cookie | погоджу | прийняти | ملفات تعريف الارتباط | أوافق | قبول | עוגיות | אישור | מסכים | terima |
    setuju | chấp nhận | đồng ý | कुकी | स्वीकार | werbung | tracking | personalis | personaliz | 広告 | anuncios |
    publicid | annonser | reklam | cookie | consent | gdpr | ccpa | privacy | partner | vendors |
    legitimate interest | accept all | reject all | manage preferences | manage options | necessary | dsgvo | rgpd |
    datenschutz | einwillig | zustimm | akzeptieren | einverstanden | ablehnen | confidentialit | consentement |
    traceurs | accepter | refuser | privacidad | consentimi | aceptar | rechazar | consenso | accetta | rifiuta |
    riservatezza | toestemming | akkoord | weigeren | aceitar | rejeitar | privacidade | samtyck | godkänn |
    samtykke | godta | evästee | suostumu | hyväksy | ciasteczk | pliki cookie | zgod | akceptuj | odrzuć |
    souhlas | přijmout | odmítnout | hozzájárul | süti | elfogad | consimț | acceptă | çerez | kabul | reddet |
    συγκατάθεσ | αποδοχή | конфиденциальност | соглас | принять | куки | クッキー | プライバシー | 同意 | 隐私 |
    隱私 | 接受 | 쿠키 | 개인정보 | 동의 |
    """
)
