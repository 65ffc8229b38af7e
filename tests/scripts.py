"""Short texts in many scripts, for tests of encodings: without typographic quotes, which old encodings lack."""

from __future__ import annotations

import unicodedata
from typing import Final

_TONES: Final = {"\u0300", "\u0301", "\u0303", "\u0309", "\u0323"}

# Language -> text of a page.
TEXTS: Final = {
    "german": (
        "Am späten Nachmittag öffnete die Bäckerin die Tür zum Hof. Auf den Stühlen lag noch der Schnee der letzten "
        "Nacht, und über den Dächern flogen Krähen. Für die Gäste blieben nur süße Brötchen und ein Rest Käse übrig. "
        "Wer früh genug kommt, so hieß es, muss natürlich nicht hungern."
    ),
    "french": (
        "La rivière a débordé après trois jours de pluie, et le moulin où mon père travaillait a été inondé. Les "
        "élèves de l'école voisine ont aidé à sauver les sacs de blé. Ça n'a pas suffi, mais la fête du village aura "
        "lieu malgré tout, là-bas, près du vieux château."
    ),
    "spanish": (
        "El año pasado mi abuela plantó un pequeño limonero detrás de la casa. Según ella, el árbol crecerá más rápido "
        "si alguien le habla por la mañana. ¿Quién sabe? Los niños del barrio ya le cuentan sus sueños, y también las "
        "canciones que aprendieron allí."
    ),
    "swedish": (
        "Färjan går två gånger om dagen till den lilla ön. På våren kommer fåglarna tillbaka och då är hamnen full av "
        "människor som vill höra dem sjunga. Själv åker jag hellre när löven faller och det är tyst överallt."
    ),
    "polish": (
        "Każdego ranka stara łódź wypływa na jezioro, chociaż nikt już nie łowi tu ryb. Właściciel mówi, że woda "
        "pamięta jego dzieciństwo. Wieczorem wiąże ją przy brzegu, gasi światło i długo słucha, jak gęsi wracają na "
        "łąkę. Później idzie spać."
    ),
    "czech": (
        "Náš soused každou neděli peče chléb podle receptu své babičky. Kůrka musí být křupavá a střed měkký jako "
        "mech. Děti stojí u okna a čekají, až je zavolá dovnitř. Říká, že největší chybou je příliš spěchat, protože "
        "těsto potřebuje ještě chvíli klidu."
    ),
    "hungarian": (
        "A hegyi ösvény végén egy öreg kút áll, amelyből még mindig friss víz folyik. A túrázók gyakran megpihennek "
        "mellette, és történeteket mesélnek egymásnak. Őszi délutánokon köd ül a völgyben, és csak a harangszó hűvös "
        "zúgása hallatszik."
    ),
    # Old encodings have s and t with a cedilla for those with a comma.
    "romanian": (
        "În fiecare toamnă, bătrânul grădinar adună frunzele şi le arde lângă gard. Fumul urcă încet deasupra "
        "livezilor, iar copiii aleargă prin el râzând. Ştie fiecare pom pe nume şi îi vorbeşte înainte să vină iarna, "
        "ca să nu uite că primăvara se întoarce."
    ),
    "croatian": (
        "Iza kuće raste stara višnja koju je zasadio moj djed. Svake godine beremo plodove, a baka kuha pekmez čiji "
        "miris ispunjava čitavo dvorište. Šteta što su noći već hladnije i što uskoro odlazimo natrag u grad."
    ),
    "lithuanian": (
        "Prie seno tilto gyvena žvejys, kuris pažįsta kiekvieną upės vingį. Šįryt jis pagavo didžiulę žuvį ir tuoj pat "
        "ją paleido. Kaimynai juokėsi, tačiau jis tik šypsojosi: ežerai ir upės dar prisimins tą dieną, kai žmogus "
        "nebuvo godus."
    ),
    "latvian": (
        "Vecajā šķūnī aiz mājas joprojām glabājas vectēva riteņi. Katru pavasari mēs tos iznesam saulē, ieeļļojam "
        "ķēdes un braucam gar jūru līdz bākai. Ceļš ir garš, taču vējš palīdz, un pēc tam garšo pat visvienkāršākā "
        "maize."
    ),
    "estonian": (
        "Õhtul läks tädi üle välja metsa äärde, kus kasvasid küpsed mustikad. Pärast vihma lõhnas kõik värskelt ja öö "
        "tuli aeglaselt. Kodus ootasid lapsed, küünal põles aknal ning ahjus küpses õunakook."
    ),
    "welsh": (
        "Mae'r hen dŷ ger y bont yn wag ers blynyddoedd, ond mae golau yn y ffenestr bob nos. Dywed y pysgotwyr fod y "
        "dŵr yn canu pan fydd y gwynt yn troi. Aeth fy nhad-cu yno unwaith gyda'i gŵn, a daeth yn ôl â stori na "
        "fydd neb yn ei chredu. Tŷ fy nghymydog ydyw, meddai ŵyr y gof."
    ),
    "esperanto": (
        "Ĉiun matenon la maljuna instruisto promenas laŭ la rivero kaj ĝojas pri la birdoj. Hodiaŭ li trovis etan "
        "boaton sub la arboj, sed neniu scias, kies ĝi estas. La infanoj ŝatus veturi per ĝi ĝis la maro, kvankam "
        "la vojaĝo daŭrus tutan tagon ĉirkaŭ la insulo."
    ),
    "turkish": (
        "Köyün girişindeki çınar ağacı yüz yaşından büyük. Yazın gölgesinde oturan yaşlılar çay içer, çocuklar ise "
        "etrafında koşar. Geçen kış fırtınada bir dalı kırıldı; herkes çok üzüldü. Şimdi ilkbahar geldi ve ağaç yine "
        "yemyeşil, sanki hiçbir şey olmamış gibi."
    ),
    "russian": (
        "Старый сторож каждое утро открывал ворота парка и медленно обходил дорожки. Он знал, где спят белки и какая "
        "скамейка первой высыхает после дождя. Дети здоровались с ним, а он угощал их яблоками. Зимой он чистил снег и "
        "рассказывал, что весна уже близко."
    ),
    "ukrainian": (
        "На краю села стоїть хата, у якій живе майстер, що робить скрипки. Щовечора крізь відчинене вікно чути тиху "
        "мелодію. Сусіди кажуть, ніби його інструменти пам'ятають ліс, з якого взято дерево. Їх купують навіть із "
        "далеких міст, але він ніколи не поспішає."
    ),
    "bulgarian": (
        "Всяка събота пазарът се изпълва с хора и аромат на печени чушки. Баба Мария продава мед от своите кошери и "
        "разказва на купувачите къде пчелите са събирали цвят. Който я изслуша докрай, получава още едно бурканче и "
        "пожелание за здраве."
    ),
    "greek": (
        "Κάθε πρωί ο ψαράς κατεβαίνει στο λιμάνι πριν ξυπνήσει το χωριό. Η θάλασσα είναι ήσυχη και το φως αλλάζει "
        "γρήγορα χρώμα πάνω στα βράχια. Όταν γυρίζει, τα παιδιά τρέχουν να δουν τι έπιασε. Εκείνος χαμογελάει και τους "
        "χαρίζει από ένα κοχύλι."
    ),
    "hebrew": (
        "בכל ערב יושבת סבתא שלי ליד החלון ומספרת לנו סיפורים על הים. היא גדלה בכפר קטן שבו כולם הכירו את כולם, "
        "והדייגים היו חוזרים הביתה עם שחר. אנחנו מקשיבים בשקט ושותים תה חם, עד שהעיניים נעצמות."
    ),
    "arabic": (
        "في كل صباح يفتح جارنا دكانه الصغير ويرتب الكتب القديمة على الرفوف. يعرف كل كتاب ومن قرأه قبل سنوات. يأتي إليه "
        "الأطفال بعد المدرسة ليستمعوا إلى قصصه، وهو يقدم لهم الشاي ويسألهم عن أحلامهم."
    ),
    "thai": (
        "ทุกเช้าคุณยายจะเดินไปตลาดริมแม่น้ำเพื่อซื้อผักสดและปลา ระหว่างทางท่านทักทายเพื่อนบ้านและหยุดดูเด็กเล่นน้ำ "
        "เมื่อกลับถึงบ้านท่านก็ทำอาหารให้พวกเรากินพร้อมกัน บ้านหลังเล็กของเราจึงเต็มไปด้วยเสียงหัวเราะเสมอ"
    ),
    "vietnamese": (
        "Mỗi buổi sáng, ông tôi ra vườn tưới cây và nghe chim hót. Ông kể rằng cây xoài trước nhà được trồng khi cha "
        "tôi vừa biết đi. Mùa hè năm nay quả chín rất nhiều, hàng xóm ai cũng được biếu một giỏ. Tiếng cười vang khắp "
        "ngõ nhỏ cho đến tận chiều."
    ),
    "japanese": (
        "駅の近くに小さな喫茶店があります。店主は毎朝早く起きて、豆を挽きながら昔の音楽を聴いています。雨の日には客が少ないので、"
        "窓際の席で手紙を書くことができます。帰るときには、いつも新しい本を一冊すすめてくれるのです。春になると、庭のサクラがとてもきれいです。"
    ),
    "chinese-simplified": (
        "河边有一座老房子，里面住着一位修钟表的师傅。每天早上他打开窗户，听鸟叫，然后慢慢开始工作。孩子们放学以后常常来看他，"
        "他就给他们讲时间的故事。冬天的时候，屋里很暖和，大家都不愿意回家。他说，东西坏了可以修，朋友却要好好珍惜。"
    ),
    "chinese-traditional": (
        "山腳下有一間小書店，老闆是一位退休的老師。每逢週末，附近的學生都會來這裡看書、聊天。他記得每個人喜歡什麼，也常常送舊書給大家。"
        "下雨的時候，屋簷滴水的聲音讓人覺得很安靜。他說，讀過的故事會陪我們一輩子。"
    ),
    "korean": (
        "우리 동네 골목 끝에는 오래된 빵집이 하나 있습니다. 주인 아저씨는 새벽마다 반죽을 하고, 아이들이 학교에 갈 "
        "때쯤이면 고소한 냄새가 온 동네에 퍼집니다. 비가 오는 날에는 손님들이 따뜻한 차를 마시며 서로의 "
        "이야기를 나눕니다. 나는 그 시간이 참 좋습니다."
    ),
}


def encode_text(text: str, codec: str) -> bytes | None:
    """Return *text* in a Python codec; None if the codec lacks one of its characters."""
    try:
        return (_split_tones(text) if codec == "cp1258" else text).encode(codec)
    except UnicodeEncodeError:
        return None


def _split_tones(text: str) -> str:
    """Return *text* with the tones of Vietnamese as characters of their own, as windows-1258 has them."""
    return "".join(map(_split_tone, text))


def _split_tone(letter: str) -> str:
    marks = unicodedata.normalize("NFD", letter)
    tones = "".join(mark for mark in marks if mark in _TONES)
    return unicodedata.normalize("NFC", "".join(mark for mark in marks if mark not in _TONES)) + tones
