"""Words by which a note tells that it is worth keeping: decisions, preferences, rules, corrections,
lessons, facts.
"""

import re
from typing import NamedTuple


class Cue(NamedTuple):
    """Words that tell what a text is good for, unless other words take that back."""

    reason: str
    worth: float
    words: re.Pattern[str]
    unless: re.Pattern[str] | None = None


_FLAGS = re.IGNORECASE | re.MULTILINE


def _cue(reason: str, worth: float, english: str, others: str = "", unless: str = "") -> Cue:
    words = rf"\b(?:{english})\b" + (f"|{others}" if others else "")
    return Cue(
        reason, worth, re.compile(words, _FLAGS), re.compile(unless, _FLAGS) if unless else None
    )


ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,15}://\S+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+|\blocalhost:\d+"
    r"|(?<![\w/.])(?:~|/(?:etc|home|mnt|opt|srv|usr|var|volumes))/[\w./-]+",
    re.IGNORECASE,
)
NUMBER = re.compile(
    r"\bv?\d+\.\d+\.\d+|\bv\d+(?:\.\d+)*\b|[$€£]\s?\d|\b\d+(?:[.,]\d+)?\s?(?:%|€|(?:ms|seconds?"
    r"|minutes?|hours?|days?|weeks?|months?"
    r"|years?|[kmgt]b|km|kg|cm|mm|px|usd|eur|dollars?|euros?)\b)|\b(?:port|version|room"
    r"|line|extension)\s#?\d|\+\d[\d -]{6,}\d"
    r"|\b(?:january|february|march|april|may|june|july|august|september|october|november"
    r"|december)\s\d{1,2}\b"
    r"|\b[A-Z]{2,10}-\d+\b|(?<!\d)\d{1,9}\s?[年月日元号]",
    re.IGNORECASE,
)
CUES = (
    _cue(
        "says what was decided",
        3.0,
        "decided|decisions?|agreed|agreement|settled on|chose|chosen|(?:going|went) "
        "with|resolved to|switch(?:ed|ing) to",
        r"决定|选择了|\b(?:decidi\w+|decisión|acordamos|elegimos)\b",
        unless=r"(?:\bnot|n['’]t|\bnever|\byet to|\bto be) (?:yet |been )?(?:decide|agree"
        r"|chose|settle)|\bundecided"
        r"|没有?决定|\baún no\b",
    ),
    _cue(
        "says what somebody prefers",
        3.0,
        "prefer(?:s|red|ences?)?|would rather",
        r"偏好|更喜欢|\bpref(?:iere|iero|erencia)",
    ),
    _cue(
        "says what somebody prefers",
        2.0,
        "likes|loves|hates|dislikes|favou?rites?",
        r"喜欢|讨厌|\ble (?:gusta|encanta)",
    ),
    _cue(
        "asks to be remembered",
        3.0,
        "remember(?! to)|keep in mind|(?:do not|don['’]t) forget|for (?:future )?reference",
        r"记住|切记|\b(?:recuerda|recordar|ten en cuenta)\b",
    ),
    _cue(
        "says what holds from now on",
        3.0,
        "from now on|going forward|henceforth|as of (?:today|now)|no longer",
        r"从现在起|从今以后|今后|以后都|\b(?:a partir de ahora|de ahora en adelante|ya no)\b",
    ),
    _cue(
        "corrects what was believed",
        2.5,
        "correction|corrected|(?:was|were|is|am) wrong|mistaken|turn(?:s|ed) out|in fact",
        r"更正|纠正|其实|原来|\b(?:corrección|en realidad|resulta que|resultó)\b",
    ),
    _cue(
        "tells what was learned",
        2.5,
        r"lessons?|learn(?:ed|t)|reali[sz]ed|found out|root cause|(?:fix|trick|reason"
        r"|culprit) (?:is|was)|fixed by|pitfall",
        r"教训|学到|发现|根本原因|\b(?:lección|aprend(?:í|imos)|descubr(?:í|imos))\b",
    ),
    _cue(
        "states a rule",
        2.0,
        r"(?:should|must|shall|will|please|to) (?:always|never)|must not|rules?|policy"
        r"|conventions?|only ever"
        r"|(?:we|you|they) (?:always|never)(?! (?:\w+ed|saw|had|was|were|got|went|knew"
        r"|thought|heard|did|felt|came|made|took)\b)",
        r"(?:^|[.:;!]\s+)(?:always|never)\b"
        r"|必须|总是|从不|绝不|不要|禁止|\b(?:siempre|nunca|hay que)\b",
    ),
    _cue("states a rule", 1.0, "always|never|must|make sure"),
    _cue(
        "tells a fact about somebody",
        2.0,
        r"birthday|anniversary|allerg(?:ic|y)|born (?:in|on)|lives in|works (?:at|for)"
        r"|married to|vegetarian|vegan|time ?zone",
        r"生日|过敏|住在|\b(?:cumpleaños|alérgic[oa]|vive en|trabaja en)\b",
    ),
    _cue(
        "gives a reason",
        1.0,
        "because|so that|in order to|due to|the reason",
        r"因为|由于|\b(?:porque|debido a)\b",
    ),
    _cue(
        "says what or where something is",
        1.0,
        r"(?:is|are|lives?|runs?|listens?|moved|stored|kept|hosted|located) (?:now )?(?:at"
        r"|on|in|under|behind|called|named|to)"
        r"|(?:name|address|phone|endpoint|port|version|account|deadline|owner|host)(?: of "
        r"[\w ]{1,30})? (?:is|are)",
        r"位于|地址是|名字是|\b(?:está en|se llama)\b",
    ),
)
