"""Words by which a sentence of a conversation tells that it is worth remembering, and as what.

What notes are judged by is shared (`capture/rules/cues.py`); here is what people say to an
assistant: in English and Chinese, and the main words of Spanish and German."""

import re
from typing import NamedTuple

from ghostmem.capture.rules.cues import CUES
from ghostmem.model import Sort

WEIGHTS = {
    Sort.CORRECTION: 0.28,
    Sort.BOUNDARY: 0.26,
    Sort.HEALTH: 0.26,
    Sort.PREFERENCE: 0.24,
    Sort.DECISION: 0.22,
    Sort.GOTCHA: 0.18,
    Sort.PROCEDURE: 0.16,
    Sort.FACT: 0.12,
}
# a sentence that names its own sort; that has its words; that may mean it, if it names something;
# if it gives a number or a place
LEADS, PLAIN, WEAK, FAINT = 2.0, 1.0, 0.5, 0.4


class CaptureCue(NamedTuple):
    """Words that tell a sort, how surely, and the words that take it back."""

    sort: Sort
    force: float
    words: re.Pattern[str]
    unless: re.Pattern[str] | None = None


def _cue(sort: Sort, force: float, words: str, unless: str = "") -> CaptureCue:
    flags = re.IGNORECASE
    return CaptureCue(
        sort, force, re.compile(words, flags), re.compile(unless, flags) if unless else None
    )


_DO = (  # verbs that an instruction begins with
    "run|use|do|call|set|execute|open|edit|type|go|log|create|delete|start|stop|restart|click"
    "|press|make|add|copy|check|remove"
    "|bump|describe|include|document|explain|mention|keep|leave|put|wait|record|attach|list"
    "|update|regenerate|rebuild|build"
    "|install|clear|push|pull|merge|commit|deploy|branch|fix|write|send|close|verify|ensure"
    "|test|reset|switch|re-?run|ask|tell"
    "|tag|invite|notify|export|import|download|upload|revert|roll"
)
DO = re.compile(rf"\W*(?:{_DO})\b", re.IGNORECASE)
"""How an instruction begins."""
STEPS = re.compile(
    r"(?:the )?(?:\w+ )?(?:steps?|procedure|process|runbook|workflow|checklist|how[- ]to)\b"
    r"|to \w+|步骤|流程|.{0,20}步骤"
    r"|pasos|ablauf|schritte",
    re.IGNORECASE,
)
"""What a list of steps is opened with."""
_PASSING = (
    r"\b(?:yet|for now|right now|this time|just this once|this once|until i|for a "
    r"(?:moment|second|minute))\b|\bstill\b"
)
_N = r"n['’]?t"

_LABELS = (  # what stands before a colon at a sentence's beginning
    _cue(
        Sort.CORRECTION, LEADS, r"^(?:correction|更正|纠正|corrección|korrektur)\b[^:：]{0,20}[:：]"
    ),
    _cue(
        Sort.DECISION,
        LEADS,
        r"^(?:ok(?:ay)?,? )?(?:final )?(?:decision|decided|决定|decisión|entscheidung)\s?[:：]",
    ),
    _cue(
        Sort.GOTCHA,
        LEADS,
        r"^(?:gotcha|watch out|careful|be careful|beware|caveat|warning|caution|heads[- ]up"
        r"|known issues?|lessons? learned"
        r"|pitfall|note to self|注意|小心|当心"
        r"|ojo|cuidado|achtung|vorsicht|stolperfalle)\b\s?[:：,，!—-]",
    ),
    _cue(Sort.PREFERENCE, LEADS, r"^(?:my )?(?:preference|偏好|preferencia|vorliebe)\s?[:：]"),
    _cue(
        Sort.PROCEDURE,
        LEADS,
        r"^(?:steps?|procedure|runbook|workflow|how[- ]to|步骤|流程|pasos|ablauf"
        r"|schritte)\b.{0,60}[:：]",
    ),
    _cue(Sort.FACT, LEADS, r"^(?:fyi|for (?:future )?reference|fact|remember)\b\s?[:：,-]"),
)
_CORRECTIONS = (
    _cue(
        Sort.CORRECTION,
        PLAIN,
        r"^(?:no|nope|nah)\b[,.!:;]+\s+(?:it|that|this|the|we|our|my|you|they|there|he|she|actually"
        r"|not|use|its|a)\b"
        r"|\bthat(?:['’]?s| is| was)(?: just| simply)? (?:wrong|incorrect|not (?:right"
        r"|correct|true|what i))|\bis (?:wrong"
        r"|incorrect)\b|\byou (?:misunderstood|misread|got (?:it|that|this) wrong|(?:are"
        r"|were) (?:wrong|mistaken)|confused)"
        r"|\byou keep \w+ing [^.]{3,80}(?:,|\bbut\b|\binstead\b)"
        r"|\bi (?:meant|already (?:said|told)|told you|said)\b|\bscratch that\b|\bi was "
        r"(?:wrong|mistaken)"
        r"|\bas you (?:assumed|thought|said)"
        r"|^actually[, ]|\bit['’]?s not [^,.;]{1,40}[,;] it['’]?s\b|\bnot [^,.;]{1,40},? "
        r"but (?!also|only)"
        r"|^(?:不对|错了|不是[^，]{0,20}，)|[搞弄写记说]错|更正|纠正|我[说指]的是|不是.{1,30}而是|.是.{1,30}，不是"
        r"|应该是.{1,30}不是"
        r"|^no,? (?:en realidad|es|el|la|los|las)\b|\ben realidad\b|\bestá mal\b|\bes "
        r"incorrect|\bme refer(?:ía|í)"
        r"|\bquise decir\b|^nein[,.!]|\bstimmt (?:so )?nicht\b|\bist falsch\b|\bich "
        r"meinte\b|\bda(?:s ist|ss ist) nicht richtig",
        unless=r"\bi (?:meant to|said (?:yes|ok))|\bactually,? (?:can|could|let|wait|never "
        r"mind|please)\b",
    ),
    _cue(
        Sort.CORRECTION,
        PLAIN,
        r"\b(?:we|i|they|you|it|which) no longer (?!works?\b)\w+|不再|\bya no\b|\bnicht mehr\b",
        unless="[?？]$",
    ),
    _cue(
        Sort.CORRECTION,
        WEAK,
        r"\w, not (?!yet|just|only|even|sure|necessarily|really)\w|，(?:而)?不是|\w, nicht \w"
        r"|\w, no (?:el|la|los|las|en|es|de)\b",
    ),
)
_BOUNDARIES = (
    _cue(
        Sort.BOUNDARY,
        PLAIN,
        r"(?:^|[,;:.!—] ?|\b(?:must|should|shall|please|you|we|they|can|may|to|but|and|will) )never"
        r" (?!mind\b|got\b|had\b|been\b|works?\b|saw\b|seen\b|heard\b|was\b|were\b|did\b"
        r"|\w+ed\b)\w+"
        rf"|\b(?:do not|do{_N}) ever\b|\bmust not\b|\bmust{_N}\b|\b(?:are|is|am) not "
        r"allowed (?:to|in)\b|\b(?:forbidden"
        rf"|prohibited|off[- ]limits)\b"
        r"|\bunder no circumstances\b|^no [^,.]{2,40}, ever\b|\bask (?:me|us) (?:first"
        r"|before)|\b(?:check|confirm"
        r"|clear it) with me\b"
        r"|\bnot comfortable\b|\bstop \w+ing (?:that|me|my|to|about|it)|\bi (?:do not"
        rf"|do{_N}) want (?:my|you to|to be|any)\b"
        r"|\b(?:hands off|leave .{1,30} alone|keep .{1,40} (?:private|confidential|secret"
        r"|between us))\b"
        r"|绝对?不[要能可许]|千万[别不]|不要|禁止|严禁|不许|不准|不得|没有我的(?:允许|同意|许可)|别(?:碰|动|改|发|用|再|告诉|提)"
        r"|\b(?:nunca|jamás) \w+|\bprohibid[oa]|\bsin (?:mi )?(?:permiso|preguntar"
        r"|consentimiento)\b"
        r"|\bno (?:compartas|toques|subas|borres|uses|envíes|modifiques|menciones|hagas"
        r"|publiques|digas)\b"
        r"|\bniemals\b|(?:^|\bbitte )nie\b|\bauf keinen fall\b|\bverboten\b|\bdarf (?:nicht"
        r"|nichts|niemand|kein\w*)\b"
        r"|\bohne (?:meine?|rückfrage|zu fragen)\b|\bnicht (?:anfassen|teilen|weitergeben"
        r"|weiterleiten)\b",
        unless=_PASSING + r"|不要紧|不要求",
    ),
    _cue(
        Sort.BOUNDARY,
        PLAIN,
        rf"\b(?:do not|do{_N}) (?=\w+ .{{0,120}}\b(?:anyone|anybody|anything|without"
        r"|directly|again|anymore|always|my"
        rf"|production"
        r"|behalf|public|ever)\b)\w+",
        unless=_PASSING + rf"|\b(?:i|we|they|you|it) (?:do not|do{_N})\b|\bdo{_N} worry\b",
    ),
    _cue(
        Sort.BOUNDARY,
        WEAK,
        rf"^(?:please )?(?:do not|do{_N}) (?:touch|share|contact|commit|push|mention|tell"
        r"|disclose|reveal|post|publish"
        rf"|overwrite|log|store)\b"
        r"|\bwithout (?:asking|my|permission|approval|consent)\b|\bconfidential\b",
        unless=_PASSING,
    ),
    _cue(
        Sort.HEALTH,
        PLAIN,
        r"(?=.{0,200}\b(?:i|i['’]m|i['’]ve|my|me|he|she|he['’]s|she['’]s|has"
        r"|have)\b).{0,300}?\b(?:allerg(?:ic|y|ies)"
        r"|intoleran(?:t|ce)"
        r"|c(?:o)?eliac|diabet(?:es|ic)|asthma\w*|epilep\w+|migraines?|pregnant|blood "
        r"(?:pressure|thinners?)|medications?"
        r"|insulin|adhd|dyslexi\w+|colou?r[- ]?blind|wheelchair|gluten|diagnosed"
        r"|disabilit\w+|heart condition|chemo\w*)\b"
        r"|我.{0,12}(?:过敏|糖尿病|哮喘|不耐受|怀孕|高血压|癫痫)"
        r"|\b(?:soy|tengo|es|mi) .{0,30}(?:alérgic[oa]|diabétic[oa]|asma|celíac[oa]"
        r"|embarazada|intolerante)"
        r"|\b(?:ich|mein\w*|er|sie) .{0,40}(?:allergisch|allergie|diabet\w+|asthma"
        r"|unverträglich\w*|schwanger|zöliakie)",
    ),
)
_PREFERENCES = (
    _cue(
        Sort.PREFERENCE,
        PLAIN,
        r"\bi(?:['’]d)? (?:much )?(?:rather|prefer)\b|\bi(?:['’]m| am)? (?:also |really "
        r"|usually |generally |always |much "
        r"|strongly |personally |just |still |do )*"
        rf"(?:prefer|like|love|hate|dislike|enjoy|favou?r|can(?:['’]?t|not) stand|(?:do{_N}"
        r"|do not)(?: really"
        rf"| particularly)? (?:like|enjoy)"
        r"|(?:a )?(?:big |huge )?fan of|used to (?!be\b)|tend to|rather|find it easier"
        r"|usually (?:work|use|write|read|code"
        r"|start))|\bmy (?:preferred|favou?rite|usual|default|go-to)\b|\bcall me [A-Z]\w+"
        r"|\baddress me\b"
        r"|(?:^|[,:;] ?|\bplease |\bshould |\bmust )always (?!(?:wanted|been|had|was|the"
        r"|fall|die|crash|fail|get|hit|lose|end"
        r"|happen|return|miss|break|freeze|hang|show)s?\b)\w+"
        r"|\b(?:we|i) always want\b|\bit(?:['’]s| is) (?:\w+ ){0,2}important (?:that|to)\b"
        r"|\bfrom (?:here|now|today) on"
        r"|\bgoing forward\b|\bin (?:the )?future,? (?:please|use|write|always|i)"
        r"|\bwhen(?:ever)? you (?:explain|answer|write|reply|review|suggest|give|show"
        r"|respond|summari[sz]e)\b[^?]*$"
        r"|\bi (?:want|need) [^.]{1,60} (?:rather than|instead of|over|by default)\b|\bi "
        r"(?:want|expect) (?:every|all|each)\b"
        r"|\bkeep (?:your|the|all) (?:answers?|repl(?:y|ies)|responses?|messages?"
        r"|explanations?|code|commits?)\b"
        r"|我[^，。]{0,6}(?:喜欢|偏好|讨厌|习惯|爱用|爱喝|爱吃)|以后(?!可以|会|再说|能)|从现在起|从今以后|今后|请(?:一直|始终"
        r"|总是)|总是用|叫我|称呼我"
        r"|\bprefiero\b|\bme (?:gusta|encanta|molesta|gustan|encantan)\b|\bodio\b|\ba "
        r"partir de ahora\b|\bde ahora en adelante\b"
        r"|\b(?:siempre (?:usa|responde|escribe|contesta)|llámame)\b"
        r"|\bich (?:bevorzuge|mag|liebe|hasse|hätte (?:gern|lieber))\b|\b(?:lieber|am "
        r"liebsten)\b|\bab (?:jetzt|sofort"
        r"|heute)\b|\bkünftig\b|\bin zukunft\b|\bnenn(?:e)? mich\b|\bbitte immer\b",
        unless=r"\bi(?:['’]d)? (?:really |do )?(?:like|love) (?:it|this|that|these|those"
        r"|the (?:idea|look|change|result|way"
        r"|new|first|second)|to know|you to|how)\b",
    ),
    _cue(
        Sort.PREFERENCE,
        WEAK,
        r"^(?:please )?(?:use|write|answer|reply|respond|format|name"
        r"|show)\b.{3,120}\b(?:instead of|rather than|in all"
        r"|everywhere|by default)\b",
    ),
)
_DECISIONS = (
    _cue(
        Sort.DECISION,
        PLAIN,
        r"\blet['’]?s (?:go with|move forward with|set the \w+ (?:to|at)|use|stick with"
        r"|stick to|keep|adopt|settle on)\b"
        r"|\bwe(?:['’]ll| will| are going to|['’]re going to|['’]re gonna)"
        r" (?:only |always |now |just )?(?:use|go|host|keep|drop|support|test|move|stick"
        r"|ship|deploy|build|migrate|adopt|run"
        r"|store|write|start|have|stop|switch)\b"
        r"|\bi(?:['’]ll| will|['’]m going to) (?:stick with|stick to|go with|keep using)\b"
        r"|\bi(?:['’]ve| have) decided\b"
        r"|\bwe(?:['’]ve| have)? (?:just |finally |already )?(?:picked|selected|opted"
        r"|adopted|approved|standardi[sz]ed|agreed"
        r"|chosen)\b"
        r"|\b(?:(?:we|they|i|team|board|management|committee|it was|was|have|has) (?:\w+ "
        r"){0,2}(?:decided|agreed)|settled on"
        r"|chose|opted for"
        r"|(?:went|going) with|resolved to|switched to)\b|决定|选择了|\b(?:approved|signed off "
        r"on|greenlit) (?:the|our|a)\b"
        r"|\bfinal (?:decision|choice|answer)\b"
        r"|\bwe(?:['’]re| are) (?:dropping|keeping|moving|switching|migrating|adopting"
        r"|replacing|deprecating|sticking"
        r"|going with|standardi[sz]ing)\b|选定|敲定|定了|[一都]?同意|商定"
        r"|那?就用|确定(?:用|采用|为)|我们采用|拍板"
        r"|\bhemos (?:decidido|elegido|acordado|optado)\b|\bdecid(?:í|imos)\b|\bvamos "
        r"(?:con|a usar)\b|\bnos quedamos con\b"
        r"|\bentschieden\b|\bbeschlossen\b|\bgeeinigt\b|\beinigten\b|\bwir (?:nehmen"
        r"|setzen auf|bleiben bei"
        r"|verwenden künftig)\b|\bfestgelegt\b",
        unless=rf"(?:\bnot|{_N}|\bnever|\byet to|\bto be) (?:yet |been )?(?:decide|agree"
        r"|cho[os]e|settle|pick)|\bundecided\b"
        r"|没有?(?:决定|定|同意)|还没|\baún no\b|\bnoch nicht\b|\blater\b",
    ),
)
_FAIL = (
    r"(?:fails?|breaks?|crash(?:es)?|hangs?|stops? working|times out|won['’]?t (?:work"
    r"|start|build|compile)"
    r"|(?:does|do)(?:n['’]?t| not) work)"
)
_GOTCHAS = (
    _cue(
        Sort.GOTCHA,
        PLAIN,
        r"\b(?:watch out|beware|gotchas?|pitfalls?|caveats?|heads[- ]up|known (?:issue"
        r"|bug))\b|\bturn(?:s|ed) out\b"
        rf"|\bthe hard way\b"
        r"|\bthe (?:trick|catch|culprit|reason|cause) (?:is|was)\b|\bthe (?:problem"
        r"|issue) (?:is|was) that (?!when i|i\b"
        rf"|it\b)|\broot cause\b|\bcaused by\b|\bsilently\b"
        rf"|\bworkaround\b"
        rf"|\b{_FAIL} (?:if|when|unless|on|with|without|in|after|because|under|every"
        r"|whenever|only)\b|\bonly (?:works?"
        rf"|builds?|runs?) (?:if|when|on|with)\b"
        rf"|\breturns? .{{1,50}} even (?:if|when|though)\b|\bexpires? every\b|\bbe careful "
        r"(?:with|when|not)\b|\bnote that\b"
        rf"|\bwhich breaks\b"
        r"|有个?(?:大)?坑|踩.{0,3}坑|原来|根本原因|导致|会(?:失败|报错|崩溃|删除|丢失|覆盖)|^注意"
        r"|\bojo\b|\bcuidado con\b|\bresult(?:a|ó) que\b|\bfalla (?:si|cuando)\b|\bla "
        r"causa\b|\bel truco\b"
        r"|\bherausgestellt\b|\bstellte sich heraus\b|\bdie ursache\b|\bschlägt fehl\b"
        r"|\bder trick\b|\bfunktioniert nur\b"
        r"|\baufpassen\b",
    ),
    _cue(
        Sort.GOTCHA, WEAK, r"\botherwise\b|\bcareful\b|否则|不然|小心|\bsonst\b|\bde lo contrario\b"
    ),
)
_PROCEDURES = (
    _cue(
        Sort.PROCEDURE,
        PLAIN,
        rf"^(?:in order )?to (?!be\b|me\b|my\b|the\b|a\b|that\b|this\b|answer\b|clarify\b"
        rf"|sum\b)\w+.{{0,80}}?[, ](?:you (?:log|need to|have to|run|can)|first|just|{_DO})\b"
        rf"|\bfirst\b.{{2,200}}\bthen\b|^(?:before|after|when(?:ever)?|once|every time"
        r"|each time|any time"
        rf"|if)\b.{{3,120}}, (?:please |always |also |just |then "
        rf"|first |you (?:need to |have to |should |must )?)?(?:{_DO})\b"
        r"|\bmake sure (?:to|you|that)\b|\b(?:before|after) (?:every|each|any) \w+"
        r"|\bsteps? (?:to|for)\b|^how to\b.{1,80}[:：]"
        r"|\bthe way (?:we|to|you)\b.{1,40}[:：]|\b(?:workflow|runbook|procedure) (?:is|for)\b"
        r"|先.{1,60}(?:再|然后|最后)|[之以]?前(?:先|要先|必须|务必|都要)|每次.{1,40}(?:都|要|先|必须)|首先.{1,80}(?:然后|再)"
        r"|升级后必须|\bprimero\b.{2,160}\b(?:luego|después)\b|^para \w+.{0,60}, ?(?:ejecuta|usa"
        r"|haz|corre|abre|escribe|crea)\b"
        r"|\bantes de (?:cada|hacer|desplegar|subir)\b"
        r"|\b(?:zuerst|erst)\b.{2,160}\bdann\b|\b(?:vor|nach) jede[mrn]\b|\bimmer wenn\b"
        r"|^um .{2,80} zu \w+, ",
        unless=r"^if (?:i|we) (?:were|was|had|used|could|did)\b",
    ),
)
_MINE = (
    "names?|wife|husband|partner|spouse|sons?|daughters?|kids?|child(?:ren)?|mother|father|mom"
    "|dad|parents?|brothers?"
    "|sisters?|dogs?|cats?"
    "|boss|manager|team|company|employer|job|role|birthday|anniversary|time "
    "?zone|e-?mail|address|phone|number|hometown|city"
    "|country"
    "|car|laptop|machine|computer|stack|background|degree|native "
    "language|nationality|username|handle|github|editor|shell|os"
    "|school"
    "|university|doctor|budget|deadline|salary|office|desk|working "
    "hours|schedule|account|repo|repository|server|project"
    "|startup|thesis"
)
_FACTS = (
    _cue(
        Sort.FACT,
        PLAIN,
        r"\bmy name is\b|\bi(?:['’]m| am) (?:an? |the |called |from |based |married"
        r"|currently (?:learning|living|working"
        r"|studying|on)|\d+ years)"
        r"|\bi (?:live|work|study|studied|was born|grew up|graduated|speak|teach|own|manage"
        r"|lead)\b(?! (?:on it|around"
        r"|with (?:it|that)))"
        r"|\bi have (?:been (?:using|working|living|doing)|two|three|four|\d+|an? (?:son"
        r"|daughter|dog|cat|degree|phd|sister"
        r"|brother))\b"
        rf"|\bmy (?:\w+ ){{0,2}}(?:{_MINE})(?: \w+){{0,2}} (?:is|are|lives?|works?|has|was born)\b"
        r"|\bour (?!(?:code|tests?|problem|issue) )(?:[\w-]+ ){1,4}(?:is|are|runs?|uses?"
        r"|lives?|has|have|sits?|goes|starts?"
        r"|ends?)\b|\bwe (?:have \d|have (?:two|three|four|five|six) |are a |are based|use "
        r"\w+ (?:for|as)\b|run on\b|host )"
        r"|\bthe (?:[\w-]+ ){1,5}(?:live|listen|run|reside|sit|is (?:hosted|located|stored"
        r"|kept|rotated|owned))s? (?:at|on|in"
        r"|under|behind|by)\b|\bthe (?:[\w-]+ ){1,3}of (?:our|my) (?:[\w-]+ ){1,2}(?:is|are)\b"
        r"|\bthe (?:[\w-]+ ){0,3}(?:url|address|phone|endpoint|port|version|account"
        r"|deadline|owner|host|name|email|contact"
        r"|password) (?:is|are)\b"
        r"|我叫|我的名字|我住|我在.{1,12}(?:工作|上班|上学|读书)|我是(?:一?[名个位])|我的.{1,10}是|我们的?.{1,14}(?:在|是|用"
        r"|有).|记住|生日|\bme llamo\b|\bmi nombre es\b|\bvivo en\b|\btrabajo (?:en|para|como)\b"
        r"|\bsoy (?:una?|de|médic|ingenier"
        r"|profesor)\w*|\bmi \w+ (?:es|se llama|vive)\b|\bnuestr[oa]s? .{1,30} (?:está|es"
        r"|usa|corre)\b"
        r"|\bich hei(?:ß|ss)e\b|\bmein name ist\b|\bich (?:wohne|lebe|arbeite|komme aus"
        r"|studiere|bin (?:eine?|\d))\b"
        r"|\bmeine? \w+ (?:ist|heißt)\b|\bunsere? [\w-]+(?: \w+)? (?:ist|steht|läuft|liegt"
        r"|hat|nutzt)\b",
        unless=r"\bi(?:['’]m| am) (?:a (?:bit|little)|the one)|\bi work on (?:it|this)\b"
        r"|\bi have (?:two|three"
        r"|\d+) (?:questions?|errors?|problems?|issues?)",
    ),
)
_SHARED = {  # what notes are judged by, where it means the same in a conversation
    "asks to be remembered": Sort.FACT,
    "tells what was learned": Sort.GOTCHA,
    "tells a fact about somebody": Sort.FACT,
}
CAPTURE_CUES = (
    *_LABELS,
    *_CORRECTIONS,
    *_BOUNDARIES,
    *_PREFERENCES,
    *_DECISIONS,
    *_GOTCHAS,
    *_PROCEDURES,
    *_FACTS,
    *(
        CaptureCue(_SHARED[cue.reason], PLAIN, cue.words, cue.unless)
        for cue in CUES
        if cue.reason in _SHARED
    ),
    *(
        CaptureCue(Sort.FACT, FAINT, cue.words)
        for cue in CUES
        if cue.reason == "says what or where something is"
    ),
    *(
        CaptureCue(Sort.PREFERENCE, WEAK, cue.words)
        for cue in CUES
        if cue.reason == "says what somebody prefers"
    ),
)
"""Every cue, each sort's own first."""
