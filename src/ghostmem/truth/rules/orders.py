"""How texts give orders to the agent that reads them, as a table: a reason, words one of which must
stand there, and a pattern.

The words are looked for first, so that hardly a pattern is compiled for an ordinary text. Patterns
are matched against a text that reads as people see it (see `injection`), without regard to case
unless they tell a faked role. All gaps are bounded."""

from typing import NamedTuple

IGNORE = "tells the reader to ignore its instructions"
ROLE = "fakes a turn or a role of the conversation"
PERSONA = "tells the reader what it is now"
SECRECY = "asks to keep something from the user"
LEAK = "asks to send or reveal data"
COMMAND = "orders the reader to act"
MEMORY = "claims to outrank other memories"
AUTHORITY = "claims an authority"
HIDDEN = "hides text"
BEACON = "loads a picture that carries data away"
ENCODED = "asks to decode and follow something"


class Order(NamedTuple):
    """A reason, and the pattern it is told by.

    `needs` are parts of words: one stands in whatever the pattern can find.
    """

    reason: str
    needs: str
    pattern: str


_RULES = (
    r"(?:instruction|direction|directive|guideline|rule|prompt|order|command|policy"
    r"|policie|restriction|constraint|training)s?"
)
_BEFORE = (
    r"(?:previous|prior|above|earlier|preceding|foregoing|original|initial|existing|system"
    r"|safety|your|these"
    r"|those|the|all|any|every|other|of|current|and|security|content)"
)
_IGNORE = (
    "ignore|set aside|disregard|forget|override|bypass|overrule|discard|neglect|do "
    "not follow|don't follow|stop following"
)
_READER = (
    r"(?:AIs?|(?:AI |LLM |language |coding )?(?:assistants?|agents?|models?|chatbots?)|LLMs?|claude"
    r"|chatgpt|copilot|gemini)"
)
_READERS = "ai assistant agent model chatbot llm claude chatgpt copilot gemini"
_MAKER = r"(?:anthropic|openai|google|microsoft|meta|deepmind)"
_TELL = (
    r"(?:tell|telling|inform|informing|mention|mentioning|reveal|revealing|show|showing|alert"
    r"|alerting|notify"
    r"|notifying|let|warn|warning)"
)
PRIVATE = (  # what a text may ask to have sent away
    r"(?:password(?! reset)|passwd|secret|credential|api.?key|private.?key|ssh|id_rsa|\.env"
    r"|token|cookie"
    r"|environment variable|env var"
    r"|memor(?:y|ies)|conversation|chat history|history|system prompt|user'?s? (?:data|file"
    r"|address|e-?mail|key"
    r"|name)|address book|private data|database dump|personal data|bank)"
)
SEND = r"\b(?:send|post|upload|e-?mail|forward|transmit|push|leak|exfiltrate|submit|append)\b"
TARGET = (
    r"(?:https?://|\bhttp\b|\burl\b|web ?hook|\be-?mail\b|@\w|\bgist\b|pastebin"
    r"|\bserver\b|\baddress\b|this (?:site|link))"
)

ORDERS: tuple[Order, ...] = (
    # to ignore what it was told
    Order(IGNORE, _IGNORE, rf"\b(?:{_IGNORE})\s+(?:{_BEFORE}\s+){{0,5}}(?:{_BEFORE}\s+){_RULES}\b"),
    Order(
        IGNORE,
        "forget|ignore|disregard",
        r"\b(?:forget|ignore|disregard) (?:everything|all|anything)(?: that)? (?:you "
        r"(?:were|have been|know|are)"
        r"|above|before|previous|said)",
    ),
    Order(
        IGNORE,
        _IGNORE,
        rf"\b(?:{_IGNORE}) (?:\w+ ){{0,3}}{_RULES} (?:that )?(?:you (?:were|have|had|got)"
        r"|given to you)\b",
    ),
    Order(IGNORE, "disregard the|ignore the", r"\b(?:disregard|ignore) the user\b"),
    Order(IGNORE, "no longer bound", r"\bno longer bound by\b"),
    Order(IGNORE, "restrictions", r"\brestrictions (?:do not|don't|no longer) apply\b"),
    Order(
        IGNORE,
        "your ",
        r"\byour (?:new|real|actual|updated) (?:instructions?|task|rules?|orders?|goal)\b",
    ),
    Order(IGNORE, "new system prompt|new instruction", r"\bnew (?:system prompt|instructions?) ?:"),
    Order(
        IGNORE,
        "previous|prior|above",
        r"\b(?:previous|prior|above) (?:conversation|instructions?|context|messages?) "
        r"(?:was|were|is|are) (?:only |just )?"
        r"(?:a test|fake|void|invalid|cancel)",
    ),
    Order(
        IGNORE,
        "忽略|无视|忘记|忘掉|不要理会|無視",
        r"(?:忽略|无视|忘记|忘掉|不要理会|無視)[^。\n]{0,8}(?:之前|以上|先前|此前|上述|前面|所有|全部|系统)[^。\n]{0,8}"
        r"(?:指令|指示|命令|规则|提示词?|要求|设定|約束)",
    ),
    Order(
        IGNORE,
        "ignor|olvid|descart|omit",
        r"\b(?:ignor[ae]|olvid[ae]|descart[ae]"
        r"|omit[ae])[a-z]{0,3}\s+(?:\w+\s+){0,3}(?:instrucciones|órdenes"
        r"|reglas|indicaciones|directrices)\b",
    ),
    Order(
        IGNORE,
        "ignorier|vergiss|vergesst|missachte|übergehe",
        r"\b(?:ignorier\w{0,3}|vergiss|vergesst|missachte|übergehe)\s+(?:\w+\s+){0,3}"
        r"(?:anweisung\w{0,2}|instruktion\w{0,2}|regeln|befehle|vorgaben)\b",
    ),
    Order(
        IGNORE,
        "ignore|oublie|néglige",
        r"\b(?:ignore[zr]?|oublie[zr]?|néglige[zr]?)\s+(?:\w+\s+){0,3}(?:instructions|consignes"
        r"|règles|directives|ordres)"
        r"(?: précédentes| antérieures|\b(?= du système))",
    ),
    # a turn or a role that is not what it says
    Order(
        ROLE,
        "<",
        r"<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id)\|>",
    ),
    Order(ROLE, "inst]|sys>>|_of_turn>", r"\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>"),
    Order(ROLE, "system", r"</?system(?:[-_](?:reminder|prompt|message))?>"),
    Order(
        ROLE,
        "<function_calls>|<tool_|assistant>|human>",
        r"</?(?:assistant|human)>|<function_calls>|<tool_(?:call|result)s?>",
    ),
    Order(ROLE, "##", r"^#{2,4} ?(?:System|Instructions?|Assistant|Human|User) ?:"),
    Order(
        ROLE,
        "system",
        r"^(?:SYSTEM|System)(?: (?i:message|prompt|override|note|notice|alert|update))? "
        r"?[:：](?=[^\n]{0,120}\b"
        r"(?:you|user|policy|comply|obey|must|override|permission|granted|assistant|agent)\b)",
    ),
    Order(
        ROLE,
        "系统",
        r"^系统(?:消息|提示|指令|通知)?[:：](?=[^\n]{0,60}(?:你|必须|服从|执行|忽略|用户))",
    ),
    Order(
        ROLE,
        "human",
        r"\n[ \t]{0,8}Human ?:[^\n]{0,2000}\n\s{0,4}Assistant ?:|^Assistant "
        r"?:[^\n]{0,2000}\n\s{0,4}Human ?:",
    ),
    Order(
        ROLE,
        "\"role\"|'role'",
        r"\{\s?[\"']role[\"']\s?:\s?[\"']system[\"'],\s?"
        r"[\"']content[\"']\s?:\s?[\"'][^\"'\n]{0,200}\b"
        r"(?:[Yy]ou|[Ii]gnore|[Rr]eveal|[Ll]eak)\b",
    ),
    # what it is from now on
    Order(
        PERSONA,
        "you are now|you are no longer",
        r"\byou are (?:now|no longer) (?:(?:in|an?|the|my|bound|free|not|called|running"
        r"|acting|unrestricted"
        r"|unfiltered|jailbroken)\b|(?-i:[A-Z]{3,}\b))(?! (?:member|part|owner|lead"
        r"|maintainer|team|group))",
    ),
    Order(
        PERSONA,
        "act |behave |respond |answer ",
        r"\b(?:act|behave|respond|answer) (?:as if|as though|without) (?:you |any |no "
        r"|safety|filter|restriction|content)",
    ),
    Order(
        PERSONA,
        "from ",
        r"\bfrom (?:now on|this point(?: on| forward| onwards?)?|here on),? you (?:must"
        r"|will|shall|are|only"
        r"|answer|respond)\b(?! (?:find|see|get|receive|have|able))",
    ),
    Order(
        PERSONA,
        "pretend",
        r"\bpretend (?:that )?(?:you|to) (?:have|be|are)\b[^.\n]{0,40}(?:no |without |un)",
    ),
    Order(
        PERSONA,
        "unrestricted|unfiltered|uncensored|jailbroken",
        r"\b(?:un(?:restrict|filter|censor)ed|jailbroken) (?:assistant|AI|mode)",
    ),
    Order(
        PERSONA, " mode", r"\b(?:DAN|god|jailbreak) mode\b[^.\n]{0,30}\b(?:enabled|on|active|now)\b"
    ),
    Order(
        PERSONA,
        "你现在|你从现在起|现在你|现在起你",
        r"(?:你(?:现在|从现在起)|(?:从现在起|现在)你)(?:是|必须|要|不再)[^。\n]{0,24}(?:没有限制|不受限|无限制"
        r"|服从|助手|遵守|执行)",
    ),
    Order(PERSONA, "eres", r"\b(?:ahora eres|eres ahora)\b"),
    Order(
        PERSONA,
        "du bist",
        r"\bdu bist (?:jetzt|ab sofort|nun)\b[^.\n]{0,20}\b(?:assistent|ki|bot|modell|ohne)",
    ),
    Order(PERSONA, "maintenant|désormais", r"\b(?:tu es|vous êtes) (?:maintenant|désormais)\b"),
    # behind the user's back
    Order(
        SECRECY,
        "the user",
        rf"\b(?:do not|don't|never|must not|without) {_TELL}(?: (?:this|it|anything|that"
        r"|any of this))?(?: to)? the user\b(?! (?:id|name|interface|input|agent|menu|list"
        r"|data|table|guide"
        rf"|manual|profile|password|e-?mail)s?\b)",
    ),
    Order(
        SECRECY,
        "from",
        r"\b(?:hide|conceal|keep) (?:this|it|that)(?: \w+){0,2} from (?:the )?(?:user|logs?"
        r"|owner|human)",
    ),
    Order(
        SECRECY,
        "do not mention this",
        r"\bdo not mention this (?:note|reminder|message|instruction|prompt)",
    ),
    Order(
        SECRECY,
        "用户",
        r"(?:不要|别|不得|切勿|请勿)(?:(?:告诉|告知|通知|提醒)[^。\n]{0,4}用户|让用户(?:知道|看到|发现|察觉))",
    ),
    Order(
        SECRECY,
        "usuario",
        r"\bno (?:le |se lo )?(?:digas|informes|menciones|cuentes)[^.\n]{0,20}\busuario\b",
    ),
    Order(
        SECRECY,
        "nutzer|anwender",
        r"\b(?:sag|sage|erzähl|verrate|teile)[^.\n]{0,12}\b(?:nutzer|benutzer"
        r"|anwender)\b[^.\n]{0,12}\bnicht",
    ),
    Order(
        SECRECY,
        "utilisateur",
        r"\bne (?:le |lui )?(?:dis|dites|révèle[zs]?|mentionne[zs]?)[^.\n]{0,24}\butilisateur\b",
    ),
    # data out (what is sent to where: see `injection`)
    Order(LEAK, "exfiltrat|leak", rf"\b(?:exfiltrate|leak)\b[^.\n]{{0,40}}{PRIVATE}"),
    Order(
        LEAK,
        "system prompt|instructions|hidden prompt|initial prompt|memory",
        r"\b(?:reveal|print|output|show|repeat|disclose|display|dump|leak|reply with"
        r"|give)\b[^.\n]{0,30}\b(?:your|the full|all) (?:own )?"
        r"(?:system prompt|hidden (?:prompt|instructions?)|initial prompt|instructions"
        r"|memory|memory store)\b",
    ),
    Order(
        LEAK,
        "above",
        r"\b(?:print|repeat|output|show|copy|translate)(?: out)? (?:everything|all(?: "
        r"of)?(?: the)? text"
        r"|the text|all words) above\b",
    ),
    Order(LEAK, "hidden prompt", r"\b(?:the|your) hidden prompt\b"),
    Order(LEAK, "of your", r"\bcontents? of your (?:memory|memories|context)"),
    Order(LEAK, "print the", r"\bprint the (?:api key|password|secret)"),
    Order(
        LEAK,
        "http",
        r"\b(?:fetch|request|requesting|visit|open|call"
        r"|GET)\b[^\n]{0,20}https?://[^\s]{0,120}[?&/][^\s]{0,80}"
        r"(?:\{\{?\w+\}?\}|<\w+>|\$\{\w+\}|%s|\[\w+\])",
    ),
    Order(
        LEAK,
        "发送|发到|上传|泄露|转发|输出|打印|发给",
        r"(?:发送|发到|上传|泄露|转发|输出|打印)[^。\n]{0,16}(?:密码|密钥|令牌|凭证|系统提示词?|记忆|聊天记录|隐私)"
        r"|(?:密码|密钥|令牌|凭证|聊天记录|隐私)[^。\n]{0,8}(?:发送?到|上传到|发给)",
    ),
    Order(
        LEAK,
        "env|manda|sube|datos",
        r"\b(?:env[ií]a|manda|sube)[^.\n]{0,30}\b(?:contraseñas?|claves?|datos|credenciales"
        r"|archivos)\b[^.\n]{0,30}\b(?:a|al)\b"
        r"|\babre\b[^.\n]{0,30}\bcon sus datos\b",
    ),
    Order(
        LEAK,
        "schick|send|gib|lade",
        r"\b(?:schick\w{0,2}|send\w{0,2}|gib|lade)\b[^.\n]{0,40}\b(?:passw\w+|schlüssel"
        r"|zugangsdaten"
        r"|system-?prompts?|datei\w{0,2})\b[^.\n]{0,30}\b(?:an diese|aus|hoch|adresse)\b",
    ),
    Order(
        LEAK,
        "envoie|affiche|transmet",
        r"\b(?:envoie[zs]?|affiche[zs]?|transmet\w{0,3})\b[^.\n]{0,30}\b(?:mots? de passe"
        r"|fichiers|clés|données"
        r"|secrets?|prompt)\b",
    ),
    # to do something
    Order(
        COMMAND,
        _READERS.replace(" ", "|"),
        rf"\b(?:note|message|attention|instructions?|important)(?: \w+){{0,2}}? (?:to|for) "
        r"(?:all |any "
        rf"|the )?{_READER}\b ?[:,.!]",
    ),
    Order(COMMAND, "dear |attention |hey |hello ", rf"\b(?:dear|attention|hey|hello) {_READER}\b"),
    Order(
        COMMAND,
        "if you",
        rf"\bif you(?: are|'re) an? (?!agent\b|model\b|assistant [a-z]){_READER}\b",
    ),
    Order(
        COMMAND,
        " this| the",
        rf"\b{_READER} (?:reading|that read|who reads?|processing|summari[sz]ing) (?:this|the)\b",
    ),
    Order(
        COMMAND,
        "you must",
        r"\byou must (?:now )?(?:(?:call|invoke|use|run|execute) the (?:(?:tool|function) "
        r"\W?\w*[_.(]|following)|obey|comply)",
    ),
    Order(
        COMMAND,
        "when",
        r"\bwhen(?:ever)? you (?:read|see|summari[sz]e|process|parse|retrieve) this\b",
    ),
    Order(
        COMMAND,
        "summari",
        r"\bwhen summari[sz]ing this (?:e-?mail|page|document|text|article|message|file)\b",
    ),
    Order(
        COMMAND,
        "silently|secretly|quietly|covertly",
        r"\b(?:assistant|agent|AI|model|you) (?:should|must|shall|will) (?:silently"
        r"|secretly|quietly|covertly) "
        r"(?:add|insert|send|download|install|delete|copy|upload|run|execute|append|change)\b",
    ),
    Order(
        COMMAND, "asked", r"\bwhen(?:ever)? (?:you are )?asked (?:for|about)[^.\n]{0,40},? always\b"
    ),
    Order(COMMAND, "whatever the user", r"\bwhatever the user (?:asks|says|wants)\b"),
    Order(
        COMMAND,
        "without ",
        r"\bwithout (?:asking|confirmation|consent|approval|permission|informing|the "
        r"knowledge)(?: of"
        r"| from)? ?(?:the )?(?:user|owner|human)",
    ),
    Order(
        COMMAND,
        "skip ",
        r"\bskip (?:all |any )?(?:confirmation|approval|permission)s?(?: prompts?)?\b",
    ),
    Order(
        COMMAND,
        "always |must ",
        r"\b(?:always|must) (?:recommend|include a link|mention|promote|answer (?:that|with))\b",
    ),
    Order(
        COMMAND,
        "begin|end of|start of",
        r"\b(?:begin|start of|end of) (?:new |previous )?(?:instructions|system prompt)\b",
    ),
    Order(
        COMMAND, "all requests|every command", r"\bcomply with all requests\b|\brun every command\b"
    ),
    Order(
        COMMAND,
        "agent |assistant |ai ",
        r"\b(?:agent|assistant|AI) (?:shall|must|will) (?:now )?(?:e-?mail|send|upload"
        r"|delete|transfer|post|forward)\b",
    ),
    Order(
        COMMAND,
        "curl",
        r"\bcurl\b[^\n|]{0,80}https?://[^\n|]{0,80}\| ?(?:sudo )?(?:ba"
        r"|z)?sh\b(?=[^\n]{0,60}\b(?:first|before"
        r"|now|immediately)\b)",
    ),
    # above other memories
    Order(
        MEMORY,
        "overrid|supersede|replace|outrank",
        r"\b(?:replaces? (?:all|every)(?: other)? memories|(?:overrides?|supersedes?"
        r"|outranks?) (?:all|any"
        r"|every)(?: of)?(?: the| your)?"
        r"(?: other| previous| prior| earlier| existing)? (?:memor(?:y|ies)|instructions?"
        r"|knowledge|beliefs?))",
    ),
    Order(
        MEMORY, "remember ", r"\bremember (?:this )?(?:forever|permanently|for all time|always)\b"
    ),
    Order(
        MEMORY,
        "never",
        r"\bnever forget (?:it|this)(?=[:.,!]|$)|\b(?:memory|note|entry"
        r"|this)\b[^.\n]{0,40}\bmust never be (?:deleted|forgotten|removed|overwritten)\b",
    ),
    Order(MEMORY, "permanent memory", r"\bas a permanent memory\b"),
    Order(
        MEMORY, "trust this", r"\btrust this (?:source|memory|note|document) (?:over|more than)\b"
    ),
    Order(
        MEMORY,
        "statements are",
        r"\buser'?s (?:own )?statements are (?:outdated|wrong|false|invalid)",
    ),
    Order(
        MEMORY,
        "优先于|覆盖|高于|取代|永远记住|不得",
        r"(?:优先于|覆盖|高于|取代)(?:所有|一切|全部)(?:其他|其它|之前)?(?:的)?(?:记忆|指令)|永远记住|不得(?:删除|遗忘)",
    ),
    Order(MEMORY, "todas las", r"\b(?:anula|reemplaza) todas las (?:demás )?memorias"),
    Order(MEMORY, "ersetzt alle", r"\bersetzt alle (?:anderen )?erinnerungen"),
    Order(
        MEMORY,
        "remplace tou",
        r"\bremplace (?:tous|toutes) (?:les )?(?:autres )?(?:souvenirs|mémoires)",
    ),
    # in somebody's name
    Order(
        AUTHORITY,
        "from ",
        rf"\b(?:message|notice|update|order|instruction)s? from (?:the )?(?:{_MAKER}|system"
        r"|developers?|administrators?"
        r"|your (?:creators?|makers?))\b",
    ),
    Order(
        AUTHORITY,
        "i am |i'm |we are |this is ",
        r"\b(?:I am|I'm|we are|this is) (?:the |an? |your )?(?:system |lead )?(?:developer"
        r"|admin(?:istrator)?"
        r"|creator|owner|engineer)s?"
        rf" (?:of|at|from) (?:this (?:system|assistant|ai|model)|{_MAKER}|you)\b",
    ),
    Order(
        AUTHORITY,
        "developer|admin|engineer|employee",
        r"\bas (?:an? |the )?(?:system |lead |senior )?(?:developer|admin(?:istrator)?"
        r"|engineer|employee) (?:of"
        rf"|at|from) (?:{_MAKER}|this system)\b(?=,? (?:I|we|you)\b)",
    ),
    Order(AUTHORITY, "authori|order you", r"\bI (?:hereby )?(?:authori[sz]e|order) you\b"),
    Order(
        AUTHORITY,
        " has | have ",
        r"\b(?:admin(?:istrator)?|user|developer|owner) (?:has|have) (?:already "
        r")?(?:granted|approved"
        r"|authori[sz]ed|agreed)\b[^.\n]{0,40}\b(?:full|all|request|skip|without|permission"
        r"|share)\b",
    ),
    Order(
        AUTHORITY,
        "disabled|lifted|removed|suspended",
        r"\b(?:disabled|lifted|removed|suspended) (?:your|all|the) (?:safety|security"
        r"|content) (?:rules?"
        r"|polic\w{1,3}|guidelines?|filters?)",
    ),
    Order(AUTHORITY, "your guidelines", r"\byour guidelines have been (?:updated|changed|lifted)"),
    Order(
        AUTHORITY,
        "safety ",
        r"\bsafety (?:policy|guidelines?|rules?) (?:was|were|has been|have been|is|are) "
        r"(?:lifted|disabled|off|suspended)",
    ),
    Order(
        AUTHORITY,
        "我是|身份",
        r"我是(?:系统)?(?:管理员|开发者|开发人员|创建者)[^。\n]{0,20}(?:请|输出|执行|必须|允许)|以(?:开发者|管理员)(?:的)?身份",
    ),
    Order(
        ENCODED,
        "deco|decrypt|decipher",
        r"\b(?:decode|decrypt|decipher)\b[^\n]{0,40}\b(?:and|then)\b[^\n]{0,20}\b(?:follow"
        r"|execute|obey|run|do what|act on)\b",
    ),
)
# An order in a comment of HTML, which readers of the page do not see.
COMMENTED = (
    rf"\b(?:ignore|you must|you are|system prompt|do not tell|user|{_READER})\b ?(?::|,"
    r"|the user|all|previous"
    rf"|must)|\bAI\b ?[:,]"
)
