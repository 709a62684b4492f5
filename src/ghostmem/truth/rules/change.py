"""Words by which a text says that something changed, what it says is over, and words that take that
back: plans and questions.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import islice
from typing import NamedTuple

from ghostmem.text.scripts import fold
from ghostmem.truth.rules.said import said, sentences
from ghostmem.truth.rules.signs import FIRST, may_change

MOST = 16  # words of change that are looked at in one text

_VERBS = (
    r"(?<!\bis )(?<!\bare )(?<!\bbe )(?<!\bjust )\b(?:switch|mov|migrat|chang|upgrad"
    r"|downgrad|updat|renam|transferr?|convert"
    r"|transition|port|shift|reschedul|postpon|relocat"
    r"|roll|rais|lower|increas|decreas|reduc|bump|extend|shorten|delay|promot|demot|swapp"
    r"|reassign|scal)(?:ed|en)\b"
)
# words between a verb of change and what belongs to it
_FEW = r"(?: (?!when\b|while\b|if\b|because\b|which\b|that\b)[\w'#-]+)"
_OVER_AFTER = (  # what follows is over
    r"\binstead of\b|\bno longer\b|\bin place of\b"
    r"|(?<!\bis )(?<!\bare )(?<!\bbe )(?<!\bwas )(?<!\bbeen )\bused to\b(?! (?:the|a|an|it"
    r"|this|that)\b)"
    rf"|{_VERBS}(?: [\w'-]+){{0,6}}? from\b|\baway from\b|\b(?:went|goes|rose|fell|grew|climbed"
    rf"|sank)\b(?: [\w'-]+){{0,2}}? from\b"
    r"|\b(?:replac(?:ed|es|ing)|dropped|drops|stopped|(?:is|are) (?:stopp|dropp)ing"
    r"|quits?|abandon(?:ed|s)|ditch(?:ed|es)|retired|sunset"
    r"|scrapped)\b"
    r"(?! (?:by|with|in|out)\b)|\b(?:gave up|got rid of|gets rid of|broke up|moved out of"
    r"|fell out of)\b"
    r"|(?<!\bthe )(?<!\bis )(?<!\bare )\bleft\b(?= )(?! of\b| to\b| side\b| in\b)"
    r"|(?<!\bwas )(?<!\bwere )(?<!\bbeen )(?<!\bis )(?<!\bgot )(?<!\bare )(?<!-)\b(?:sold"
    r"|cancell?ed|terminated)\b"
    r"|\bhanded\b(?=[\w '-]{1,60} over to\b)"
    r"|\bnot\b(?=[^.;!?]{1,80}\bany ?(?:more|longer)\b)|\b(?:not|never) (?=[\w .'-]{1,40} "
    r"any ?(?:more|longer)\b)"
    r"|\bya no\b|\ben (?:lugar|vez) de\b|\bdej(?:o|amos|aron|e) de\b"
    r"|\b(?:an)?statt\b|\banstelle von\b|\bnicht mehr\b|\bkeine?n? (?=[^.;!?]{1,30}\bmehr\b)"
    r"|不再|而不是|而非|放弃了?|停用了?|弃用了?|离开了?|辞去了?|退出了?|告别了?|不(?=[^。；！？，]{1,10}了(?:[。，；！\s]|$))"
    r"|(?<![a-z])从(?=[^。；！？，]{1,24}(?:换|改|升|迁|搬|转|调|切|涨|降|增|减))|取代了?|代替了?|替换了?"
)
_OVER_BEFORE = (  # what stands before is over
    r"\b(?:has been|was|were|is|got|have been|are) (?:now )?(?:replaced|superseded"
    r"|deprecated|discontinued|archived|abandoned"
    r"|retired"
    r"|gone|obsolete|sold|shut down|switched off|decommissioned)\b|\b(?:has|have) been "
    r"(?:removed|returned|cancell?ed|deleted"
    r"|closed)\b|\bany ?(?:more|longer)\b|\b(?:retired|resigned|stepped down|passed away"
    r"|left)\b(?=[.,;!]|$)"
    r"|\bnicht mehr\b|\bwurde (?:durch|ersetzt)\b|\bfue reemplazad"
    r"|被[^。；！？，]{1,16}(?:取代|代替"
    r"|替换)|作废|已停用|已弃用"
    r"|から(?=[^。]{1,20}に(?:変更|移行|切り替|引っ越|移))|をやめ"
)
_NEW = (  # what is said is new
    rf"{_VERBS}{_FEW}{{0,6}}? (?:back |over )?(?:to|into|onto|out|until|on|off)\b"
    r"|\b(?:upgrad|renam|chang|relicens)ed\b"
    r"|\bnow\b|\bas of (?:today|now|this|last|yesterday|monday|version|v?\d)|\bfrom now "
    r"on\b|\bgoing forward\b|\bhenceforth\b"
    r"|\bsince (?:yesterday|last|this|monday|tuesday|wednesday|thursday|friday|saturday"
    r"|sunday|january|february|march|april"
    r"|may|june"
    r"|july|august|september|october|november|december|the (?:migration|move|switch|upgrade"
    r"|change|update|review|merger))\b"
    r"|\bthese days\b|\bnowadays\b|\b(?:went|going) with\b|\bgot (?:married|divorced"
    r"|engaged|promoted)\b"
    r"|\bhas a new\b|(?:\b(?:the|his|her|their|its|my|our|a)|'s) new\b(?=[\w '-]{1,60}(?: "
    r"is | are |: ))"
    r"|\bhand(?:ed|s) (?:it |this |that )?over\b"
    r"|\btook over\b|\b(?:went|goes|brought|pushed|put|(?:has|have) gone) (?:up|down|over"
    r"|forward|back|off) (?:to|until)\b"
    r"|\b(?:rose|fell|grew|climbed|sank|dropped|(?:has|have) (?:passed|grown|risen|fallen|shrunk))"
    r"(?: up| down| over| on| back)? to\b|\binstead\b(?! of\b)"
    r"|^(?:update|correction|edit) ?:|\brewritten\b|\brenewed\b|\bback from\b"
    r"|\ba partir de (?:ahora|hoy)\b|\bahora\b|\bse (?:mudo|mudaron|cambio)\b|\bcambi(?:o"
    r"|amos|aron|e) (?:a|por|de)\b|\bpaso a\b"
    r"|\bjetzt\b|\bneuerdings\b|\bab sofort\b|\bumgezogen\b|\bgewechselt\b|\bumgestellt\b"
    r"|\bseit (?:gestern|heute|letzte\w*)\b"
    r"|改为|改成|改到|改用|改在|改了|改喝|改吃|换成|换了|换到|换为|换用|搬到|搬去|搬家|搬进|升级到|升级为|升级至|推迟到"
    r"|推迟至|提前到|延期到|延长到"
    r"|涨到|涨至|降到|降至|降为|提高到|增加到|减少到|减到|改发|改由|调整为|更新为|转到|调到|调去|迁移到|切换到|变成|变更为"
    r"|现在|目前|如今|已改|从现在起|从今天起|从今以后|今后|以后都|的新(?=[^。，；！？]{1,12}(?:是|为))"
    r"|に変更|に移行|に切り替え|に引っ越|になった|になりました|今は"
)
_UNSURE = (
    r"\b(?:might|could|wish(?:es|ed)?|maybe|perhaps|possibly|consider(?:s|ed|ing)?"
    r"|propos(?:e|es|ed|ing|al to)"
    r"|suggest(?:s|ed|ing)?"
    r"|discuss(?:ed|ing)?|hop(?:e|es|ing)|plan(?:s|ned|ning)? (?:to|on|for)|intends? to"
    r"|want(?:s|ed)? to|think(?:s"
    r"|ing)? (?:about|of)"
    r"|thought about|should (?:we|i|he|she|they|you)|let'?s|eventually|someday|one day|not "
    r"(?:been )?decided|undecided|almost"
    r"|nearly|tal vez|quizas?|podriamos|piensa|quiere|vielleicht|moglicherweise|konnten"
    r"|uberleg\w*|plan(?:t|en))\b"
    r"|考虑|打算|计划|可能|也许|或许|要不要|是否|希望|想要|想换|想改|准备|吗|かもしれ|予定|検討|たい"
)
_LATER = (
    r"|\b(?:would|if|whether|unless|going to|will|next (?:week|month|quarter|year|sprint)"
    r"|as if|pretend|imagine|si|falls)\b"
    r"|如果|假如|下个?(?:周|月|季度)|明年"
)
_ACTS = _VERBS.replace("ed|en", "e?|ed|en|ing")
_DENIED = (
    r"\b(?:not|never|nobody|no one|against|without)\b(?: (?:yet|been|to|ever|really"
    rf"|actually|be|have))* {_ACTS}"
    r"|\b(?:not|never|against|without) (?:replac|dropp?|stopp?|abandon)\w*"
    r"|没有?(?:换|改|搬|升级|迁移)|不(?:换|改|搬|升级|迁移)|未(?:换|改|搬|升级)"
)
_VERBAL = ("no longer", "not", "ya no", "nicht mehr", "不再")
_CUT = (
    r"\b(?:with|by|and|because|so|for|since|after|to|into|in favou?r of|por|durch)\b|[,，、]"
    r"| - |换|改|升|迁|搬|转|调|切|涨"
    r"|降|增|减"
)
_CUT_SHORT = r"\b(?:with|by|and|because|so|for|since|after|over to|por|durch)\b|[,，、]| - "


# a cue that tells by itself what changed, and the words by which an older text says that
_SLOTS = (
    (
        r"(?:re)?(?:moved|locat(?:ed|es)|moves) (?:back |over )?(?:to|into|from|out)|搬\w*"
        r"|umgezogen|se mudo|se mudaron|に引っ越",
        r"\b(?:lives?|living|resid\w+|home|based in|apartment|flat|vive|viven|wohnt"
        r"|wohnen)\b|住|家在|居",
    ),
    (
        r"got (?:married|divorced|engaged)|结婚\w*|离婚\w*",
        r"\b(?:single|dating|engaged|married|divorced|girlfriend|boyfriend|unmarried)\b|单身|恋爱|订婚|未婚"
        r"|已婚",
    ),
    (
        r"(?:quit|left|retired|got promoted)|离开\w*|辞\w*|退休",
        r"\b(?:works?|working|job|employed|trabaja|arbeitet)\b|工作|任职|就职|上班",
    ),
)


def is_of(change: "ChangeCue", old: str) -> bool:
    """Say whether a word of change tells by itself what changed, and an older text says just that:
    moved to, and lives in.
    """
    plain = _plain(old)
    return any(
        _pattern(cue).fullmatch(change.cue) and _pattern(slot).search(plain) for cue, slot in _SLOTS
    )


class ChangeCue(NamedTuple):
    """A word of change: the word, what it says is over, what its sentence is about, and what stands
    there before it.
    """

    cue: str
    over: frozenset[str]
    about: frozenset[str]
    subject: frozenset[str] = frozenset()


@cache
def _pattern(source: str) -> re.Pattern[str]:
    return re.compile(source)


@lru_cache(16)
def changes(text: str) -> tuple[ChangeCue, ...]:
    """Return what a text says has changed; what it only plans, asks, wishes or denies is none."""
    return tuple(islice(_changes(text[:FIRST]), MOST)) if may_change(text) else ()


def is_act(change: ChangeCue) -> bool:
    """Say whether a word of change is a verb, so that what stands before it is what changed."""
    return bool(_pattern(_VERBS).match(change.cue))


def is_question(text: str) -> bool:
    """Say whether a text asks rather than states."""
    return text.rstrip().endswith(("?", "？", "吗", "吗。"))


def is_unsure(text: str) -> bool:
    """Say whether a text tells what may be or is wished for."""
    return bool(_pattern(_UNSURE).search(_plain(text))) or is_question(text)


def is_plan(text: str) -> bool:
    """Say whether a text tells what may be or will be, not what is."""
    return bool(_pattern(_UNSURE + _LATER).search(_plain(text))) or is_question(text)


def _plain(text: str) -> str:
    return re.sub(r"n't\b", " not", fold(text.replace("，", ", ").replace("、", ", ")).lower())


def has_cue(text: str) -> bool:
    """Say whether a sentence has a word of change, whatever takes it back."""
    return bool(_pattern(f"{_OVER_AFTER}|{_OVER_BEFORE}|{_NEW}").search(_plain(text)))


def _changes(text: str) -> Iterator[ChangeCue]:
    for sentence in sentences(text):
        plain = _plain(sentence)
        if not may_change(plain):
            continue
        if not has_cue(plain):
            continue
        if is_plan(sentence) or _pattern(_DENIED).search(plain):
            continue
        about = frozenset(said(sentence).terms)
        for found in _pattern(_OVER_AFTER).finditer(plain):
            cut = _CUT if found[0].endswith(("from", "从")) else _CUT_SHORT
            if found[0] == "used to" and _is_purpose(plain[: found.start()]):
                continue
            over = _terms(_pattern(cut).split(plain[found.end() :], maxsplit=1)[0])
            if (
                len(over) < 2 and found[0] in _VERBAL
            ):  # "X is no longer used": what is over stands before
                over |= _terms(_pattern(_CUT_SHORT).split(plain[: found.start()])[-1])
            yield ChangeCue(found[0].strip(), over, about, _terms(plain[: found.start()]))
        for found in _pattern(_OVER_BEFORE).finditer(plain):
            yield ChangeCue(
                found[0].strip(),
                _terms(_pattern(_CUT_SHORT).split(plain[: found.start()])[-1]),
                about,
            )
        for found in _pattern(_NEW).finditer(plain):
            yield ChangeCue(found[0].strip(), frozenset(), about, _terms(plain[: found.start()]))


def _is_purpose(before: str) -> bool:
    """Say whether a `used to` tells what something is for, not what it did once: a class used to
    parse, what is used to build.
    """
    words = before.split()
    return (
        len(words) > 5
        or words[:1] in (["a"], ["an"], [])
        or bool(words and words[-1] in ("be", "being", "often", "which"))
    )


def _terms(text: str) -> frozenset[str]:
    return frozenset(said(text).terms[:10])
