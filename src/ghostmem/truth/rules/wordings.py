"""Word tables for judging what two texts say: words that mean the same, the opposite, a value, or
nothing.
"""

from ghostmem.text.calendar import MONTHS
from ghostmem.text.stem import stem
from ghostmem.text.terms import STOP_WORDS

_SAME = """
    like prefer love want enjoy favour favor wish
    use run utilise utilize employ power adopt
    live reside dwell home
    name call
    mail email e-mail
    short brief concise terse
    answer reply response respond
    keep kept retain store save preserve stay remain
    delete remove erase purge
    finish complete done end
    start begin
    birthday born birth
    marry husband wife spouse
    refresh reload
    deliver ship
    quarter quarterly
    month monthly
    week weekly
    day daily
    night nightly
    year yearly annual annually
    permit allow
    phone telephone mobile-number
    own belong responsible
    fast quick rapid
    big large
    buy purchase
    child kid
    doctor physician
    fix repair
    check verify validate
    maximum max
    minimum min
    development dev
    production prod
    database db
    repository repo
    configuration config
    environment env
    authentication auth
    documentation docs doc
    application app
    kubernetes k8s
    javascript js
    typescript ts
    postgresql postgres pg
    write written wrote
    build built
    send sent
    take taken took
    drive drove driven
    speak spoke spoken
    hold held
    choose chose chosen
    meet meeting
    sync synchronisation synchronization
    fly flight
    leave depart
    work job
    wage salary
    pay paid
    holiday vacation
    flat apartment
    film movie
    autumn fall
    cause reason
    bug defect
    crash abort
    stop halt
    error failure fail
    every each
    folder directory
    people persons person
    usuario cliente
    gustar gusta gustan prefiere prefieren
    liegt steht befindet
    nutzen nutzt benutzen verwenden verwendet
"""
_OPPOSITE = """
    enabled disabled
    enable disable
    on off
    automatic manual
    automatically manually
    public private
    encrypted unencrypted
    allowed forbidden
    sync async
    synchronous asynchronous
    required optional
    open closed
    online offline
    oldest newest
    ascending descending
    first last
    mutable immutable
    safe unsafe
    supported unsupported
    stable unstable
    early late
    before after
    love hate
    likes dislikes
    like dislike
    always never
    with without
    true false
    in out
    left right
    up down
    increase decrease
    parallel serial
    parallel serially
    parallel sequentially
    fifo lifo
    null empty
"""
_NUMBERS = "zero - two three four five six seven eight nine ten eleven twelve".split()
_ORDINALS = "- first second third fourth fifth sixth seventh eighth ninth tenth".split()
_DAYS = "monday tuesday wednesday thursday friday saturday sunday"
_SHORT_DAYS = {
    "mon": "monday",
    "tue": "tuesday",
    "wed": "wednesday",
    "thu": "thursday",
    "fri": "friday",
}
_DAYS_ELSEWHERE = (
    "montag dienstag mittwoch donnerstag freitag samstag sonntag lunes "
    "martes miercoles jueves viernes sabado domingo"
)
_MONTHS_ELSEWHERE = (
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"
)
_EMPTY = """
    also really quite please just always ever sure make made get gets got getting gotten one ones
    thing things way
    now currently today already still yet every each must may might need needs shall lets let us
    there
    user's decided decision note reminder remember fyi via per
    el la los las un una unos unas de del al en y o que es son se su sus le les lo con por para como
    a mi tu
    nuestro nuestra todos todas
    der die das den dem des ein eine einen einem einer und oder ist sind wird werden im in am an auf
    zu zum zur von vom mit fur
    wir ich sie er es unser unsere unserem jedem jeden jede
"""
# particles only: any other sign may turn a sentence around
_EMPTY_SIGNS = "的了是在和就都而及与着或个我们你他她它这那也把被给对以之于为有地得过吧呢啊才其"

SAME = {
    stem(word): stem(line.split()[0])
    for line in _SAME.strip().splitlines()
    for word in line.split()
}
"""The stem of a word to that of the first word that means the same."""

OPPOSITE = frozenset(frozenset(map(stem, line.split())) for line in _OPPOSITE.strip().splitlines())
"""Pairs of stems of which one denies the other."""

LIGHT = frozenset(
    SAME.get(stem(word), stem(word))
    for word in "use work like keep name live start user team do go take need new want "
    "have own".split()
)
"""Stems of words that two texts about different things may well share."""

NUMBERS = {word: str(number) for number, word in enumerate(_NUMBERS)} | {
    word: str(number) for number, word in enumerate(_ORDINALS) if number > 2
}
"""Words for numbers; `one`, `first` and `second` have too many other uses."""

DATES = {
    name: f"month{number}"
    for name, number in MONTHS.items()
    if name not in ("may", "march", "mar", "sun", "sat")
}
DATES |= {
    word: word for word in f"{_DAYS} {_DAYS_ELSEWHERE} {_MONTHS_ELSEWHERE}".split()
} | _SHORT_DAYS
DATES |= {f"{word}s": word for word in _DAYS.split()} | {"march": "month3"}
"""Words for days and months."""

PERIODS = frozenset(map(stem, "quarter month week day night year hour minute second".split()))
"""Stems of words for how often or how long."""

EMPTY = STOP_WORDS | frozenset(_EMPTY.split()) | frozenset(_EMPTY_SIGNS)
"""Words and signs without which two texts may still say the same."""

NEGATORS = frozenset(
    "not no never nobody nothing nowhere neither nor without cannot nunca sin ni jamas "
    "nicht kein keine keinen keinem keiner"
    " nie niemals ohne otherwise unless 不 没 無 无 别 勿 未 非".split()
)
"""Words and signs that deny."""

_DENYING = """
    hate like|dislike like|forbid allow|forbidden allow|prohibited allow|banned allow
    disabled enabled|disable enable
    unencrypted encrypted|unchecked check|unsupported supported|unsafe safe|unpaid paid
    unstable stable|unused use
    unavailable available|unlimited limited|unsorted sorted|unknown known|insecure secure
    incompatible compatible
    hates like|dislikes like|forbids allow|disables enable|fleischlos fleisch
"""
NUMBERED = frozenset(  # what comes in series: another number is another thing
    "note notes hall item part step chapter page box shelf case ticket issue number no nr "
    "session sprint episode lesson exercise"
    " figure table example test entry row line slide task bug invoice order parcel batch "
    "run attempt round".split()
)
CONDITIONS = frozenset("if unless when once otherwise wenn falls si cuando 如 若 当 否".split())
"""Words and signs that make a statement hold only sometimes."""

_PAIRS = (pair.split() for line in _DENYING.strip().splitlines() for pair in line.split("|"))
DENYING = {pair[0]: pair[1] for pair in _PAIRS}
"""Words that deny what another word says."""

ROLES = frozenset(
    map(
        stem,
        "owner lead leader manager maintainer boss head chief address port version "
        "deadline birthday favourite favorite default"
        " host hostname region zone timezone language name nickname phone number email "
        "colour color database branch license"
        " licence currency format encoding limit timeout size length count interval "
        "retention period lifetime ttl budget price"
        " cost salary rate headquarters capital office location place room password "
        "passphrase pin code url endpoint domain path"
        " folder provider vendor editor framework engine dialect protocol order primary "
        "main only standard status state priority"
        " level age height weight blood title role position team school doctor dentist "
        "bank airline seat size brand model edition"
        " schedule day time date start end lieblingsfarbe geburtstag adresse puerto "
        "cumpleanos direccion".split(),
    )
)
"""Stems of nouns that have one value at a time."""

ROLE_SIGNS = tuple(
    "端口 地址 生日 负责人 默认 截止 密码 版本 最喜欢 时间 时区 电话 邮箱 名字 名称 语言"
    " 区域 颜色 职位 超时 上限 价格 预算 格式"
    " 血型 日期 期限 房号 编号 框架 牙医 主管 经理 誕生日 住所 番号 担当".split()
)
"""The same in Chinese and Japanese."""

EXCLUSIVE = frozenset(
    "live lives drives drive resides prefer prefers report reports works work listens "
    "listen expires expire costs starts ends"
    " leaves arrives opens closes points defaults named called hosted located based "
    "belongs billed weighs owns owned begins vive"
    " trabaja escucha wohnt arbeitet steht liegt".split()
)
"""Verbs whose object is one at a time."""

EXCLUSIVE_SIGNS = ("住在", "住", "工作", "监听", "位于", "就职", "更喜欢", "偏好")

SINGLE = frozenset(SAME.get(stem(word), stem(word)) for word in EXCLUSIVE) | frozenset(
    map(stem, "drive maintain lead coach".split())
)
"""Stems of such verbs."""

STATES = EXCLUSIVE | frozenset(
    "is are am be has have like likes use uses run runs need needs want wants take takes "
    "go goes drive drives speak speaks treats"
    " supports targets processes returns contains includes plays eats drinks lasts serves "
    "sends writes reads keeps stores holds"
    " gets means reaches covers limits allows requires accepts retries waits sleeps wakes "
    "meets sits earns pays charges studies"
    " teaches sells wears smokes counts answers responds replies stays maintains manages "
    "leads coaches owes = : es son esta ist"
    " sind hat nutzt 是 在 用 住 为 有 は".split()
)
"""What stands between what a text is about and what it says of it."""
