"""Shapes of secrets that can be told by their start, alphabet and length alone, as a table.

Each row has what it is called in a placeholder, literals of which it contains one, and a pattern
whose group 1, or whole, is the secret. Nearly every text holds no such literal, so no pattern is
even compiled for it. All quantifiers are bounded or possessive and all patterns start at the start
of a word, so that no text can make them slow."""

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import NamedTuple

from ghostmem.text.near import Source


class Shape(NamedTuple):
    """One kind of secret: its name, the literals of which it contains one, its pattern, and a last
    test of what matched.

    A match begins at most 64 characters before a literal and ends at most four words after it,
    unless `far` is set."""

    kind: str
    literals: str
    pattern: str
    proves: Callable[[str], bool] | None = None
    far: bool = False

    @property
    def is_word(self) -> bool:
        """Whether a match holds no white space; it then has at least LONG_WORD characters."""
        return " " not in self.pattern and r"\s" not in self.pattern


def _decoded(text: str) -> str:
    """Return what a piece of base64 says; nothing when it is none."""
    import base64
    import binascii

    try:
        return base64.b64decode(
            text.translate({45: "+", 95: "/"}) + "=" * (-len(text) % 4), validate=True
        ).decode()
    except (binascii.Error, ValueError):
        return ""


def _is_bot(token: str) -> bool:
    """A Discord token starts with the number of its bot."""
    return _decoded(token.partition(".")[0]).isdigit()


def is_mixed(text: str) -> bool:
    """Say whether a text has capital and small letters and digits."""
    return (
        not (text.isupper() or text.islower())
        and any(c.isdigit() for c in text)
        and any(c.isalpha() for c in text)
    )


def _has_digit(text: str) -> bool:
    return any(c.isdigit() for c in text)


def _is_pair(credentials: str) -> bool:
    """Basic credentials are a name and a password."""
    name, colon, word = _decoded(credentials).partition(":")
    return bool(colon and word and name.isprintable())


def _is_private_pem(encoded: str) -> bool:
    """Say whether base64 holds a private key in its block.

    Certificates and public keys are encoded like that too.
    """
    return "PRIVATE KEY" in _decoded("".join(encoded[:160].split())[:80])


def _is_secret_tail(token: str) -> bool:
    """Say whether the part behind a token's prefixes is random."""
    tail = re.split("[_-]", token)[-1]
    return _has_digit(tail) and any(c.isalpha() for c in tail) and len(set(tail)) > 7


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
    Shape(
        "slack webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/]{30,}+)",
    ),
    Shape(
        "discord webhook",
        "/api/webhooks/",
        rf"discord(?:app)?\.com/api/webhooks/\d{{15,20}}/({_ID}{{50,}}+)",
    ),
    Shape("discord token", ".", rf"[MNO]{_ID}{{22,27}}\.{_ID}{{6}}\.{_ID}{{27,}}+", _is_bot),
    Shape("telegram token", ":AA", rf"(?:bot)?(\d{{8,10}}:AA{_ID}{{33}})(?![A-Za-z0-9_-])"),
    Shape("stripe key", "_live_", rf"[sr]k_live_{_AN}{{16,}}+"),
    Shape("stripe key", "_test_", rf"[sr]k_test_{_AN}{{16,}}+"),
    Shape("stripe webhook secret", "whsec_", r"whsec_[A-Za-z0-9+/]{24,}+={0,2}"),
    Shape("anthropic key", "sk-ant-", rf"sk-ant-{_ID}{{24,}}+"),
    Shape("openrouter key", "sk-or-", rf"sk-or-v1-{_HEX}{{48,}}+"),
    Shape(
        "langfuse key",
        "sk-lf-",
        rf"sk-lf-{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}",
    ),
    Shape("openai key", "sk-", rf"sk-(?:proj|svcacct|admin|None)-{_ID}{{20,}}+", _has_digit),
    Shape("openai key", "sk-", rf"sk-{_AN}{{32,}}+", _has_digit),
    Shape("groq key", "gsk_", rf"gsk_{_AN}{{40,}}+"),
    Shape("xai key", "xai-", rf"xai-{_AN}{{60,}}+"),
    Shape("perplexity key", "pplx-", rf"pplx-{_AN}{{40,}}+"),
    Shape("replicate token", "r8_", rf"r8_{_AN}{{37,}}+"),
    Shape(
        "hugging face token",
        "hf_",
        rf"hf_{_AN}{{30,}}+",
        lambda text: is_mixed(text[3:]) or text[3:].isalpha(),
    ),
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
    Shape(
        "azure client secret",
        "Q~",
        r"[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])",
    ),
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
    Shape(
        "shopify token",
        "shpat_ shpca_ shppa_ shpss_ shpua_",
        rf"shp(?:at|ca|pa|ss|ua)_[0-9a-fA-F]{{32}}{END}",
    ),
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
    Shape(
        "datadog key",
        "DD_",
        rf"DD_(?:API|APP|APPLICATION)_KEY[=:\s\"']{{1,4}}({_HEX}{{32,40}}){END}",
    ),
    Shape("netlify token", "nfp_", rf"nfp_{_AN}{{36,}}+"),
    Shape("terraform token", ".atlasv1.", rf"{_AN}{{14}}\.atlasv1\.{_ID}{{60,}}+"),
    Shape("pulumi token", "pul-", rf"pul-{_HEX}{{40}}{END}"),
    Shape(
        "tailscale key",
        "tskey-",
        r"tskey-(?:auth|api|client|webhook)-[A-Za-z0-9]{6,}+-[A-Za-z0-9]{20,}+",
    ),
    Shape("fly.io token", "FlyV1", r"FlyV1 fm\d[a-z]?_[A-Za-z0-9+/=,_-]{40,}+"),
    Shape("buildkite token", "bkua_ bkct_ bkrt_", rf"bk(?:ua|ct|rt)_{_HEX}{{40}}{END}"),
    Shape("circleci token", "CCIPAT_", rf"CCIPAT_{_AN}{{20,24}}_{_HEX}{{40}}{END}"),
    Shape("contentful token", "CFPAT-", rf"CFPAT-{_ID}{{43,}}+"),
    Shape(
        "sourcegraph token", "sgp_", r"sgp_(?:[A-Za-z0-9]{16}_|local_)?[0-9a-f]{40}(?![A-Za-z0-9])"
    ),
    Shape("posthog key", "phx_", rf"phx_{_AN}{{40,}}+"),
    Shape(
        "plaid token",
        "access-",
        rf"access-(?:sandbox|development|production)-{_HEX}{{8}}-(?:{_HEX}{{4}}-){{3}}{_HEX}{{12}}{END}",
    ),
    Shape("mapbox token", "sk.eyJ", rf"sk\.eyJ{_ID}{{40,}}+\.{_ID}{{20,}}+"),
    Shape("easypost key", "EZAK EZTK", rf"EZ[AT]K{_AN}{{54}}{END}"),
    Shape("adobe secret", "p8e-", rf"p8e-{_ID}{{32}}(?![A-Za-z0-9_-])"),
    Shape("prefect key", "pnu_", rf"pnu_{_AN}{{36}}{END}"),
    Shape("ghost token", "ghost_", rf"ghost_[0-9A-HJKMNP-TV-Z]{{26}}_{_ID}{{40,}}+"),
    Shape("age secret key", "AGE-SECRET-KEY-", r"AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{50,}+"),
    Shape("json web token", "eyJ", rf"(?<![_-])eyJ{_ID}{{10,}}+\.eyJ{_ID}{{10,}}+\.{_ID}{{16,}}+"),
    Shape(
        "json web token",
        "eyJ",
        rf"(?<![_-])eyJ{_ID}{{10,}}+\.{_ID}*+\.{_ID}{{10,}}+\.{_ID}{{10,}}+\.{_ID}{{16,}}+",
    ),
    Shape("basic credentials", "asic", r"[Bb]asic {1,3}([A-Za-z0-9+/]{8,}+={0,2})", _is_pair),
    Shape("bearer token", "earer", r"[Bb]earer {1,3}([A-Za-z0-9_~+/.-]{16,}+=*+)", _has_digit),
    Shape(
        "private key",
        "LS0tLS1CRUdJTi",
        r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,}+(?:\s{1,2}[ \t]{0,40}[A-Za-z0-9+/]{20,}+)*+={0,2}",
        _is_private_pem,
        far=True,
    ),
    Shape(
        "private key",
        "MII MHcCAQEE MIGHAgEA MC4CAQAw b3BlbnNzaC1rZXktdjE",
        r"(?:MII[A-Za-z0-9+/]{2,3}(?:IBAAK[BC]|IBADANBgkqhki|gEAAo[IG]|gEAMA0GCSqGSIb3)|MHcCAQEE|MIG[H-Z]AgEAM|MC4CAQAwBQYDK2V|b3BlbnNzaC1rZXktdjE)"
        r"[A-Za-z0-9+/]{40,}+(?:(?:\s{1,2}|\\n)[ \t]{0,40}[A-Za-z0-9+/]{20,}+)*+={0,2}",
        far=True,
    ),
    Shape(
        "jwk private key",
        '"kty"',
        r"(?<=\")(?:d|k|p|q|dp|dq|qi)\"\s{0,4}:\s{0,4}\"([A-Za-z0-9_-]{20,}+)\"",
        far=True,
    ),
    Shape(
        "jwk private key",
        "'kty'",
        r"(?<=')(?:d|k|p|q|dp|dq|qi)'\s{0,4}:\s{0,4}'([A-Za-z0-9_-]{20,}+)'",
        far=True,
    ),
    Shape(
        "1password key",
        "A3-",
        rf"A3-[A-Z0-9]{{6}}-(?:[A-Z0-9]{{11}}|[A-Z0-9]{{6}}-[A-Z0-9]{{5}})(?:-[A-Z0-9]{{5}}){{3}}{END}",
    ),
    Shape("1password token", "ops_eyJ", r"ops_eyJ[A-Za-z0-9+/_=-]{100,}+"),
    Shape("alibaba key", "LTAI", rf"LTAI{_AN}{{12,20}}{END}", _has_digit),
    Shape("artifactory key", "AKCp", rf"AKCp{_AN}{{60,}}+"),
    Shape("artifactory token", "cmVmd", rf"cmVmd{_AN}{{59}}{END}"),
    Shape("aws bedrock key", "bedrock-api-key-", r"bedrock-api-key-[A-Za-z0-9+/=]{20,}+"),
    Shape("clojars token", "CLOJARS_", rf"CLOJARS_{_AN}{{60}}{END}"),
    Shape("cloudflare key", "v1.0-", rf"v1\.0-{_HEX}{{24}}-{_HEX}{{146}}{END}"),
    Shape("dynatrace token", "dt0", r"dt0[a-z]\d\d\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{64}"),
    Shape("flutterwave key", "FLWSECK", r"FLWSECK(?:_TEST)?-[0-9a-h]{12,32}(?:-X)?"),
    Shape(
        "fly.io token", "fo1_ fm1a_ fm1r_ fm2_", r"(?:fo1|fm1[ar]|fm2)_[A-Za-z0-9+/_-]{40,}+={0,3}"
    ),
    Shape("frame.io token", "fio-u-", rf"fio-u-{_ID}{{60,}}+"),
    Shape("gitlab token", "gloas-", rf"gloas-{_ID}{{60,}}+"),
    Shape("grafana key", "eyJrIjoi", r"eyJrIjoi[A-Za-z0-9+/]{60,}+={0,3}"),
    Shape("harness key", "pat. sat.", rf"(?:pat|sat)\.{_ID}{{22}}\.{_AN}{{24}}\.{_AN}{{20}}{END}"),
    Shape("json web token", "ZXlK", r"ZXlK[A-Za-z0-9+/]{60,}+={0,2}"),
    Shape("maxmind key", "_mmk", rf"{_AN}{{6}}_{_AN}{{29}}_mmk{END}"),
    Shape(
        "teams webhook",
        ".webhook.office.com",
        r"\.webhook\.office\.com/webhookb2/[0-9a-f-]{36}@[0-9a-f-]{36}/IncomingWebhook/([0-9a-f]{32}/[0-9a-f-]{36}(?:/[A-Za-z0-9_-]{20,}+)?)",
    ),
    Shape(
        "teams webhook",
        ".logic.azure.com",
        r"\.logic\.azure\.com[^\s\"']{1,200}?[?&]sig=([A-Za-z0-9_%-]{20,}+)",
    ),
    Shape(
        "google chat webhook",
        "chat.googleapis.com",
        r"chat\.googleapis\.com/v1/spaces/[^\s\"']{1,100}?&token=([A-Za-z0-9_%-]{20,}+)",
    ),
    Shape(
        "zapier webhook",
        "hooks.zapier.com",
        r"hooks\.zapier\.com/hooks/catch/(\d{3,12}/[A-Za-z0-9]{5,20})",
    ),
    Shape(
        "ifttt key",
        "maker.ifttt.com",
        r"maker\.ifttt\.com/trigger/[^\s/]{1,80}/(?:json/)?with/key/([A-Za-z0-9_-]{20,}+)",
    ),
    Shape("octopus key", "API-", rf"API-[A-Z0-9]{{26,}}{END}", _has_digit),
    Shape("okta token", "00", r"(?<=SSWS )00[A-Za-z0-9_-]{40}(?![A-Za-z0-9_-])"),
    Shape("openshift token", "sha256~", rf"sha256~{_ID}{{43}}(?![A-Za-z0-9_-])"),
    Shape("readme key", "rdme_", r"rdme_[a-z0-9]{70}"),
    Shape("sonarqube token", "sqp_ squ_ sqa_", rf"sq[pua]_{_HEX}{{40}}{END}"),
    Shape("cloudflare token", "cfut_ cfat_ cfk_", rf"cf(?:ut|at|k)_{_ID}{{30,}}+"),
    Shape("vercel token", "vcp_ vca_ vci_ vck_", rf"vc[pcaikr]_{_AN}{{24,}}+", _has_digit),
    Shape("render key", "rnd_", rf"rnd_{_AN}{{24,}}+", _has_digit),
    Shape("neon key", "napi_", r"napi_[a-z0-9]{40,}+"),
    Shape("resend key", "re_", r"re_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}+", _has_digit),
    Shape("asana token", "1/", r"1/\d{13,18}(?:/\d{13,18})?:[0-9a-f]{32}(?![A-Za-z0-9])"),
    Shape("discord token", "mfa.", rf"mfa\.{_ID}{{80,}}+"),
    Shape("nvidia key", "nvapi-", rf"nvapi-{_ID}{{40,}}+"),
    Shape("tavily key", "tvly-", rf"tvly-{_ID}{{20,}}+", _has_digit),
    Shape("firecrawl key", "fc-", rf"fc-{_HEX}{{32}}{END}"),
    Shape("cerebras key", "csk-", r"csk-[a-z0-9]{40,}+"),
    Shape("elevenlabs key", "sk_", rf"sk_{_HEX}{{40,}}+"),
    Shape("voyage key", "pa-", rf"pa-{_ID}{{40,}}+", is_mixed),
    Shape("jina key", "jina_", rf"jina_{_ID}{{40,}}+"),
    Shape("wandb key", "wandb_v1_", rf"wandb_v1_{_ID}{{40,}}+"),
    Shape(
        "yandex token",
        "y0_ y1_ y2_ y3_ AQVN t1.",
        r"(?:y[0-3]_[A-Za-z0-9_-]{50,}+|AQVN[A-Za-z0-9_-]{35,38}|t1\.[A-Z0-9a-z_-]{60,}+={0,2}\.[A-Z0-9a-z_-]{86}={0,2})",
    ),
    Shape(
        "bitcoin private key",
        "xprv yprv zprv tprv",
        rf"[xyzt]prv[1-9A-HJ-NP-Za-km-z]{{100,112}}{END}",
    ),
    # Any vendor's token with a prefix that says what it is; pk_ and pub_ are public.
    Shape(
        "token",
        "sk_ rk_ sk- pat_ pat- sat_ secret_ token_ live_ live- prod_ apikey_ api_key_ oat_",
        r"(?<!pk[_-])(?<!pub[_-])(?<!public[_-])(?:sk|rk|pat|sat|oat|secret|token|live|prod|apikey|api_key)[_-](?:[a-z0-9]{1,8}[_-])?"
        rf"{_AN}{{20,}}+(?![_-][A-Za-z])",
        _is_secret_tail,
    ),
)

_NOTHING = re.compile(
    r"x{4}|X{4}|\*{3}|(?<![^\w-])\.{3}(?![^\w\"'])|…|0{12}|EXAMPLE|0123456789abcdef|1234567890abcdef|(?i:placeholder|redacted|dummy|fake[-_]|example[-_]|[-_]example|your[-_]?(?:own|api|key|token|secret|pass))"
)


def is_placeholder(value: str) -> bool:
    """Say whether a value only shows where a secret would stand, such as `ghp_xxxx` or `your-key`.

    The example keys of documentation that have the whole shape of a key are not told apart: to
    redact them costs nobody anything."""
    return _NOTHING.search(value) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(START + pattern)


@lru_cache(maxsize=2)
def _by_literal(is_word: bool) -> dict[str, list[Shape]]:
    """Return the shapes that are words, or those that are not, by the literals of which a text must
    hold one.
    """
    found: dict[str, list[Shape]] = {}
    for shape in SHAPES:
        if shape.is_word == is_word:
            for literal in shape.literals.split(" "):
                found.setdefault(literal, []).append(shape)
    return found


def _likely(source: Source) -> Iterator[Shape]:
    """Yield the shapes that a text may hold by its literals, each once."""
    words = _by_literal(True)
    likely = [
        shape for literal in words if literal in source.long_words for shape in words[literal]
    ]
    others = _by_literal(False)
    likely += [shape for literal in source.holding(others) for shape in others[literal]]
    yield from dict.fromkeys(likely)


def _matches(shape: Shape, source: Source) -> Iterator[re.Match[str]]:
    """Yield where a text has a shape, looking around its literals only."""
    pattern = _compiled(shape.pattern)
    if shape.is_word and pattern.search(source.long_words) is None:
        return
    parts = [(0, len(source.text))] if shape.far else source.around(shape.literals.split(" "))
    for start, stop in parts:
        yield from pattern.finditer(source.text, start, stop)


def shaped(source: Source) -> Iterator[tuple[str, int, int]]:
    """Find everything of a known shape, as (kind, start, stop)."""
    for shape in _likely(source):
        for match in _matches(shape, source):
            value = match[match.re.groups]
            if not is_placeholder(value) and (shape.proves is None or shape.proves(value)):
                yield shape.kind, *match.span(match.re.groups)
