"""Words for dates and times, as data: to add a language, add its words."""

MONTHS: dict[str, int] = {
    word: number
    for number, words in enumerate(
        (
            "january jan januar janvier enero janeiro gennaio januari",
            "february feb februar février fevrier febrero fevereiro febbraio februari",
            "march mar märz maerz mars marzo março maart",
            "april apr avril abril aprile",
            "may mai mayo maio maggio mei",
            "june jun juni juin junio junho giugno",
            "july jul juli juillet julio julho luglio",
            "august aug août aout agosto augustus",
            "september sep sept septembre septiembre setembro settembre",
            "october oct oktober octobre octubre outubro ottobre okt",
            "november nov novembre noviembre novembro",
            "december dec dezember décembre decembre diciembre dezembro dicembre dez",
        ),
        1,
    )
    for word in words.split()
}
AMBIGUOUS_MONTHS = frozenset(
    "may mar mars mai mei jan dec sep nov jun jul march sept apr aug oct feb".split()
)
"""Months that are also other words or names: they count only with a capital or a number."""

NUMBERS = {
    word: number
    for number, words in {
        1: "a an one ein eine einem un une uno una um uma",
        2: "two couple zwei zwei deux dos dois due",
        3: "three few several drei trois tres três tre",
        4: "four vier quatre cuatro quatro quattro",
        5: "five fünf cinq cinco cinque",
        6: "six sechs seis sei",
        7: "seven sieben sept siete sete sette",
        8: "eight acht huit ocho oito otto",
        9: "nine neun neuf nueve nove",
        10: "ten zehn dix diez dez dieci",
    }.items()
    for word in words.split()
}

UNITS = {
    word: days
    for days, words in {
        1 / 24: "hour hours stunde stunden heure heures hora horas 小时 小時",
        1.0: "day days tag tage tagen jour jours día días dia dias giorno giorni 天",
        7.0: "week weeks woche wochen semaine semaines semana semanas "
        "settimana settimane 周 週 星期",
        30.0: "month months monat monate monaten mois mes meses mês mese mesi 个月 個月",
        365.0: "year years jahr jahre jahren année années año años ano anos anno anni 年",
    }.items()
    for word in words.split()
}

# phrase: days before now at which the window starts, and at which it ends
WINDOWS: dict[str, tuple[float, float]] = {
    "yesterday": (2.0, 0.5),
    "last night": (1.5, 0.25),
    "today": (1.0, 0.0),
    "tonight": (1.0, 0.0),
    "this morning": (1.0, 0.0),
    "this week": (7.0, 0.0),
    "last week": (12.0, 4.0),
    "past week": (12.0, 0.0),
    "this month": (31.0, 0.0),
    "last month": (45.0, 18.0),
    "past month": (45.0, 0.0),
    "this year": (365.0, 0.0),
    "last year": (730.0, 180.0),
    "the other day": (7.0, 1.0),
    "gestern": (2.0, 0.5),
    "heute": (1.0, 0.0),
    "letzte woche": (12.0, 4.0),
    "letzten monat": (45.0, 18.0),
    "aujourd'hui": (1.0, 0.0),
    "la semaine dernière": (12.0, 4.0),
    "ayer": (2.0, 0.5),
    "hoy": (1.0, 0.0),
    "la semana pasada": (12.0, 4.0),
    "昨天": (2.0, 0.5),
    "今天": (1.0, 0.0),
    "前天": (3.0, 1.5),
    "上周": (12.0, 4.0),
    "上週": (12.0, 4.0),
    "上个月": (45.0, 18.0),
    "昨日": (2.0, 0.5),
    "今日": (1.0, 0.0),
    "先週": (12.0, 4.0),
    "先月": (45.0, 18.0),
    "어제": (2.0, 0.5),
    "오늘": (1.0, 0.0),
    "지난주": (12.0, 4.0),
}

RECENCY_WORDS = frozenset(
    "recent recently latest newest lately currently now nowadays current last earlier previously"
    " kürzlich neueste zuletzt récemment dernier dernière reciente últimamente"
    " 最近 最新 目前 现在".split()
)
"""Words that ask for the newest memories, without a window."""

TIME_WORDS = frozenset(
    """
    yesterday today tonight tomorrow morning afternoon evening night week weekend month year day
    days weeks months years ago last next since until monday tuesday wednesday thursday friday
    saturday sunday spring summer autumn fall winter recently soon earlier later birthday
    anniversary christmas easter holiday
    gestern heute morgen woche jahr hier semaine ayer semana
    """.split()
) | frozenset(word for word in MONTHS if word not in AMBIGUOUS_MONTHS)
"""Words by which a text names a time, as an answer to a question with `when`."""
