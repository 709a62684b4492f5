"""Shapes of secrets that can be told by their start, alphabet and length alone, as a table.

Each row has what it is called in a placeholder, literals of which it contains one, and a pattern whose group 1, or whole, is the
secret. Nearly every text holds no such literal, so no pattern is even compiled for it. All quantifiers are bounded or possessive
and all patterns start at the start of a word, so that no text can make them slow.
"""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple


class Shape(NamedTuple):
    """One kind of secret: its name, the literals of which it contains one, its pattern, and a last test of what matched."""

    kind: str
    literals: str
    pattern: str
    proves: Callable[[str], bool] | None = None


def _decoded(text: str) -> str:
    """Return what a piece of base64 says; nothing when it is none."""
    import base64
    import binascii

    try:
        return base64.b64decode(text.translate({45: "+", 95: "/"}) + "=" * (-len(text) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return ""


def _is_bot(token: str) -> bool:
    """A Discord token starts with the number of its bot."""
    return _decoded(token.partition(".")[0]).isdigit()


def is_mixed(text: str) -> bool:
    """Say whether a text has capital and small letters and digits."""
    return not (text.isupper() or text.islower()) and any(c.isdigit() for c in text) and any(c.isalpha() for c in text)


def _has_digit(text: str) -> bool:
    return any(c.isdigit() for c in text)


def _is_pair(credentials: str) -> bool:
    """Basic credentials are a name and a password."""
    name, colon, word = _decoded(credentials).partition(":")
    return bool(colon and word and name.isprintable())


# A word may also start behind an escape, as in JSON or in a URL.
START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-Fa-f]{2}))"
END = r"(?![A-Za-z0-9])"
_AN, _ID, _HEX = "[A-Za-z0-9]", "[A-Za-z0-9_-]", "[0-9a-f]"

SHAPES: tuple[Shape, ...] = (
    Shape("aws access key", "AKIA ASIA ABIA ACCA", rf"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{{16}}{END}"),
    Shape(
        "aws secret key",
        "AKIA ASIA",
        r"(?:AKIA|ASIA)[A-Z2-7]{16}[\s:,;|\"'/]{1,4}([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])",
        is_mixed,
    ),
    Shape("aws bedrock key", "ABSK", r"ABSK[A-Za-z0-9+/]{80,}+={0,2}"),
    Shape("github token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"gh[pousr]_{_AN}{{36,}}+"),
    Shape("github token", "github_pat_", r"github_pat_[A-Za-z0-9_]{60,}+"),
    Shape(
        "gitlab token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- glsoat- glffct-",
        r"gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|ffct)-[A-Za-z0-9_.-]{20,}+",
        _has_digit,
    ),
    Shape("gitlab token", "GR1348941", rf"GR1348941{_ID}{{20,}}+"),
    Shape("bitbucket token", "ATBB", rf"ATBB{_AN}{{32}}{END}"),
    Shape("atlassian token", "ATATT3", r"ATATT3[A-Za-z0-9_=-]{100,}+"),
    Shape("slack token", "xox", r"xox[abporse](?:\.xox[bp])?-[A-Za-z0-9-]{10,}+", _has_digit),
    Shape("slack token", "xapp-", r"xapp-\d-[A-Z0-9]{5,}+-\d{5,}+-[a-z0-9]{16,}+"),
    Shape("slack webhook", "hooks.slack.com", r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/]{30,}+)"),
    Shape("discord webhook", "/api/webhooks/", rf"discord(?:app)?\.com/api/webhooks/\d{{15,20}}/({_ID}{{50,}}+)"),
    Shape("discord token", ".", rf"[MNO]{_ID}{{22,27}}\.{_ID}{{6}}\.{_ID}{{27,}}+", _is_bot),
    Shape("telegram token", ":AA", rf"\d{{8,10}}:AA{_ID}{{33}}(?![A-Za-z0-9_-])"),
    Shape("stripe key", "_live_", rf"[sr]k_live_{_AN}{{16,}}+"),
    Shape("stripe key", "_test_", rf"[sr]k_test_{_AN}{{16,}}+"),
    Shape("stripe webhook secret", "whsec_", r"whsec_[A-Za-z0-9+/]{24,}+={0,2}"),
    Shape("anthropic key", "sk-ant-", rf"sk-ant-{_ID}{{24,}}+"),
    Shape("openrouter key", "sk-or-", rf"sk-or-v1-{_HEX}{{48,}}+"),
    Shape("langfuse key", "sk-lf-", rf"sk-lf-{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"),
    Shape("openai key", "sk-", rf"sk-(?:proj|svcacct|admin|None)-{_ID}{{20,}}+", _has_digit),
    Shape("openai key", "sk-", rf"sk-{_AN}{{32,}}+", _has_digit),
    Shape("groq key", "gsk_", rf"gsk_{_AN}{{40,}}+"),
    Shape("xai key", "xai-", rf"xai-{_AN}{{60,}}+"),
    Shape("perplexity key", "pplx-", rf"pplx-{_AN}{{40,}}+"),
    Shape("replicate token", "r8_", rf"r8_{_AN}{{37,}}+"),
    Shape("hugging face token", "hf_", rf"hf_{_AN}{{30,}}+", lambda text: is_mixed(text[3:]) or text[3:].isalpha()),
    Shape("hugging face token", "api_org_", rf"api_org_{_AN}{{34,}}+"),
    Shape("langsmith key", "lsv2_", rf"lsv2_(?:pt|sk)_{_HEX}{{32}}_{_HEX}{{10}}"),
    Shape("pinecone key", "pcsk_", r"pcsk_[A-Za-z0-9_]{50,}+"),
    Shape("google api key", "AIza", rf"AIza{_ID}{{35}}(?![A-Za-z0-9_-])"),
    Shape("google access token", "ya29.", r"ya29\.[A-Za-z0-9_.-]{20,}+"),
    Shape("google client secret", "GOCSPX-", rf"GOCSPX-{_ID}{{28,}}+"),
    Shape("google refresh token", "1//0", rf"1//0{_ID}{{40,}}+"),
    Shape("azure storage key", "AccountKey=", r"AccountKey=([A-Za-z0-9+/]{86}==)"),
    Shape("azure access key", "AccessKey=", r"SharedAccessKey=([A-Za-z0-9+/]{43}=)"),
    Shape("azure signature", "sig=", r"sig=((?:[A-Za-z0-9+/_-]|%[0-9A-Fa-f]{2}){43,90}+)"),
    Shape("azure client secret", "Q~", r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])"),
    Shape("npm token", "npm_", rf"npm_{_AN}{{36}}{END}"),
    Shape("npm token", "_authToken", r"_authToken\s{0,3}=\s{0,3}([A-Za-z0-9_-]{20,}+)"),
    Shape("pypi token", "pypi-", rf"pypi-AgE[A-Za-z0-9]{_ID}{{50,}}+"),
    Shape("rubygems key", "rubygems_", rf"rubygems_{_HEX}{{48}}{END}"),
    Shape("crates.io token", "cio", rf"cio{_AN}{{32}}{END}", is_mixed),
    Shape("docker token", "dckr_", rf"dckr_(?:pat|oat)_{_ID}{{24,}}+"),
    Shape("sendgrid key", "SG.", rf"SG\.{_ID}{{16,32}}\.{_ID}{{32,}}+"),
    Shape("twilio key", "SK", rf"SK{_HEX}{{32}}{END}"),
    Shape("twilio token", "AC", rf"AC{_HEX}{{32}}[\s:,;|\"']{{1,4}}({_HEX}{{32}}){END}"),
    Shape("mailgun key", "key-", rf"(?<![_-])key-{_HEX}{{32}}{END}"),
    Shape("mailchimp key", "-us", rf"{_HEX}{{32}}-us\d{{1,2}}{END}"),
    Shape("brevo key", "xkeysib-", rf"xkeysib-{_HEX}{{64}}-{_AN}{{16}}{END}"),
    Shape("digitalocean token", "_v1_", rf"do[opr]_v1_{_HEX}{{64}}{END}"),
    Shape("heroku key", "HRKU-", rf"HRKU-{_ID}{{30,}}+"),
    Shape("shopify token", "shpat_ shpca_ shppa_ shpss_ shpua_", rf"shp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{{32}}{END}"),
    Shape("square token", "sq0", rf"sq0[a-z]{{3}}-{_ID}{{22,}}+"),
    Shape("square token", "EAAA", rf"EAAA{_ID}{{56,64}}(?![A-Za-z0-9_-])", is_mixed),
    Shape("facebook token", "EAA", rf"EAA{_AN}{{90,}}+", is_mixed),
    Shape("databricks token", "dapi", rf"dapi{_HEX}{{32}}(?:-\d)?{END}"),
    Shape("linear key", "lin_", rf"lin_(?:api|oauth)_{_AN}{{32,}}+"),
    Shape("notion token", "secret_", rf"secret_{_AN}{{43}}{END}", is_mixed),
    Shape("notion token", "ntn_", rf"ntn_{_AN}{{40,}}+"),
    Shape("airtable token", "pat", rf"pat{_AN}{{14}}\.{_HEX}{{64}}{END}"),
    Shape("figma token", "figd_ figu_ figo_ figr_", rf"fig[duor]_{_ID}{{40,}}+"),
    Shape("dropbox token", "sl.", rf"sl\.{_ID}{{130,}}+"),
    Shape("vault token", "hvs. hvb. hvr.", rf"hv[sbr]\.{_ID}{{24,}}+"),
    Shape(
        "doppler token",
        "dp.pt. dp.st. dp.sa. dp.ct. dp.scim. dp.audit.",
        rf"dp\.(?:pt|st|sa|ct|scim|audit)\.(?:[a-z0-9_-]{{2,35}}\.)?{_AN}{{40,}}+",
    ),
    Shape("planetscale token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}+"),
    Shape("supabase token", "sbp_", rf"sbp_(?:oauth_)?{_HEX}{{40}}{END}"),
    Shape("supabase key", "sb_secret_", rf"sb_secret_{_ID}{{20,}}+"),
    Shape("postman key", "PMAK-", rf"PMAK-{_HEX}{{24}}-{_HEX}{{34}}{END}"),
    Shape("grafana token", "glsa_", rf"glsa_{_AN}{{32}}_[0-9a-fA-F]{{8}}{END}"),
    Shape("grafana token", "glc_", r"glc_[A-Za-z0-9+/]{32,}+={0,2}"),
    Shape("new relic key", "NRAK-", rf"NRAK-[A-Z0-9]{{27}}{END}"),
    Shape("sentry token", "sntry", r"sntry[su]_[A-Za-z0-9+/=_-]{60,}+"),
    Shape("datadog key", "DD_", rf"DD_(?:API|APP|APPLICATION)_KEY[=:\s\"']{{1,4}}({_HEX}{{32,40}}){END}"),
    Shape("netlify token", "nfp_", rf"nfp_{_AN}{{36,}}+"),
    Shape("terraform token", ".atlasv1.", rf"{_AN}{{14}}\.atlasv1\.{_ID}{{60,}}+"),
    Shape("pulumi token", "pul-", rf"pul-{_HEX}{{40}}{END}"),
    Shape("tailscale key", "tskey-", r"tskey-(?:auth|api|client|webhook)-[A-Za-z0-9]{6,}+-[A-Za-z0-9]{20,}+"),
    Shape("fly.io token", "FlyV1", r"FlyV1 fm\d[a-z]?_[A-Za-z0-9+/=,_-]{40,}+"),
    Shape("buildkite token", "bkua_ bkct_ bkrt_", rf"bk(?:ua|ct|rt)_{_HEX}{{40}}{END}"),
    Shape("circleci token", "CCIPAT_", rf"CCIPAT_{_AN}{{20,24}}_{_HEX}{{40}}{END}"),
    Shape("contentful token", "CFPAT-", rf"CFPAT-{_ID}{{43,}}+"),
    Shape("sourcegraph token", "sgp_", r"sgp_(?:[A-Za-z0-9]{16}_|local_)?[0-9a-f]{40}(?![A-Za-z0-9])"),
    Shape("posthog key", "phx_", rf"phx_{_AN}{{40,}}+"),
    Shape(
        "plaid token", "access-", rf"access-(?:sandbox|development|production)-{_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}{END}"
    ),
    Shape("mapbox token", "sk.eyJ", rf"sk\.eyJ{_ID}{{40,}}+\.{_ID}{{20,}}+"),
    Shape("easypost key", "EZAK EZTK", rf"EZ[AT]K{_AN}{{54}}{END}"),
    Shape("adobe secret", "p8e-", rf"p8e-{_ID}{{32}}(?![A-Za-z0-9_-])"),
    Shape("prefect key", "pnu_", rf"pnu_{_AN}{{36}}{END}"),
    Shape("ghost token", "ghost_", rf"ghost_[0-9A-HJKMNP-TV-Z]{{26}}_{_ID}{{40,}}+"),
    Shape("age secret key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{50,}+"),
    Shape("json web token", "eyJ", rf"(?<![_-])eyJ{_ID}{{10,}}+\.eyJ{_ID}{{10,}}+\.{_ID}{{16,}}+"),
    Shape("json web token", "eyJ", rf"(?<![_-])eyJ{_ID}{{10,}}+\.{_ID}*+\.{_ID}{{10,}}+\.{_ID}{{10,}}+\.{_ID}{{16,}}+"),
    Shape("basic credentials", "asic", r"[Bb]asic {1,3}([A-Za-z0-9+/]{8,}+={0,2})", _is_pair),
    Shape("bearer token", "earer", r"[Bb]earer {1,3}([A-Za-z0-9_~+/.-]{16,}+=*+)", _has_digit),
)

_NOTHING = re.compile(
    r"x{4}|X{4}|\*{3}|\.{3}|0{12}|(?i:placeholder|redacted|dummy|fake[-_]|example[-_]|[-_]example|your[-_]?(?:own|api|key|token|secret|pass))"
)


def is_placeholder(value: str) -> bool:
    """Say whether a value only shows where a secret would stand, such as `ghp_xxxx` or `your-key`.

    The example keys of documentation that have the whole shape of a key are not told apart: to redact them costs nobody anything.
    """
    return _NOTHING.search(value) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(START + pattern)


@lru_cache(maxsize=1)
def _by_literal() -> dict[str, list[tuple[str, str, Callable[[str], bool] | None]]]:
    """Return the shapes by the literals that one of must be in a text."""
    found: dict[str, list[tuple[str, str, Callable[[str], bool] | None]]] = {}
    for kind, literals, pattern, proves in SHAPES:
        for literal in literals.split(" "):
            found.setdefault(literal, []).append((kind, pattern, proves))
    return found


def _likely(text: str) -> Iterator[tuple[str, str, Callable[[str], bool] | None]]:
    """Yield the shapes that a text may hold by its literals, each once."""
    near = [shapes for literal, shapes in _by_literal().items() if literal in text]
    yield from dict.fromkeys(shape for shapes in near for shape in shapes)


def shaped(text: str) -> Iterator[tuple[str, int, int]]:
    """Find everything of a known shape, as (kind, start, stop)."""
    for kind, pattern, proves in _likely(text):
        for match in _compiled(pattern).finditer(text):
            value = match[match.re.groups]
            if not is_placeholder(value) and (proves is None or proves(value)):
                yield kind, *match.span(match.re.groups)
