"""The texts of the corpus: statements, and questions that use other words."""

PLAIN: tuple[tuple[str, str], ...] = (
    ("The bakery on Elm Street shuts on Mondays.", "On which weekday can I not buy bread there?"),
    (
        "Backups run every night at half past two and are kept for ninety days.",
        "How long do we retain snapshots?",
    ),
    (
        "Deploys are frozen from Thursday noon until the weekend is over.",
        "When must nothing be released to production?",
    ),
    (
        "The dog takes one tablet against thyroid trouble before breakfast.",
        "What medicine does the pet get in the morning?",
    ),
    (
        "We picked PostgreSQL over MongoDB since the reports need joins.",
        "Why was the relational database chosen?",
    ),
    (
        "The spare house key lies under the third flower pot.",
        "Where can I find another way to unlock the front door?",
    ),
    ("Invoices above five thousand euros need two signatures.", "Who has to approve a large bill?"),
    (
        "The old laptop's battery swells when it is charged overnight.",
        "Which computer is a fire hazard?",
    ),
    (
        "Grandmother's lasagne uses nutmeg in the white sauce.",
        "What spice goes into the family pasta dish?",
    ),
    (
        "The mobile app crashes when the phone's language is Turkish.",
        "Which locale breaks our smartphone client?",
    ),
    (
        "Parking permits for visitors are handed out at the reception.",
        "How does a guest get to leave a car here?",
    ),
    (
        "The piano has to be tuned twice a year, in April and October.",
        "How often does the instrument need servicing?",
    ),
    (
        "Search was slow because nobody had indexed the created_at column.",
        "What made looking things up take so long?",
    ),
    (
        "The landlord pays for repairs of the heating, the tenant for small damage.",
        "Who covers a broken radiator?",
    ),
    (
        "Our style guide forbids abbreviations in public function names.",
        "What are we not allowed to shorten in the API?",
    ),
    (
        "Tomatoes do better on the south balcony than in the garden bed.",
        "Where should the vegetables be planted?",
    ),
    (
        "The nightly test run moved to the bigger runner after it timed out thrice.",
        "Why do we use a larger machine for CI?",
    ),
    (
        "Swimming lessons were cancelled for July while the pool is renovated.",
        "Why are the kids not in the water this summer?",
    ),
    (
        "Customers in Norway are billed in kroner, everybody else in euros.",
        "Which currency do Scandinavian clients pay with?",
    ),
    (
        "The coffee machine must be descaled when the red lamp blinks.",
        "What does the flashing light in the kitchen mean?",
    ),
    (
        "Password resets expire after twenty minutes.",
        "How much time does somebody have to recover an account?",
    ),
    (
        "The hiking group meets at the north gate, never at the station.",
        "Where do the walkers gather?",
    ),
    (
        "Logs with customer addresses are masked before they leave the cluster.",
        "How is personal data protected in our traces?",
    ),
    (
        "The accountant wants receipts as scans, not as photographs.",
        "In which form should I hand in proof of expenses?",
    ),
    (
        "Bedtime stories work best after the lights are dimmed.",
        "How do we get the toddler to fall asleep?",
    ),
    (
        "The vendor's support answers only in Spanish after six in the evening.",
        "What if I call their help line late?",
    ),
    (
        "The feature for sharing calendars was dropped, too few people wanted it.",
        "Which idea was abandoned for lack of demand?",
    ),
    (
        "The attic floor carries no more than two hundred kilos.",
        "How much weight can be stored upstairs?",
    ),
    (
        "All new services are written in Go, glue scripts may stay in Python.",
        "Which programming language for a fresh backend?",
    ),
    (
        "The violin teacher raises her fee in September.",
        "When do music classes become more expensive?",
    ),
    ("The intern's contract ends with the month of March.", "Until when does our trainee stay?"),
    (
        "Cache entries are dropped at midnight because prices change then.",
        "Why are stored results thrown away daily?",
    ),
    (
        "The ferry to the island does not run when the wind exceeds eight Beaufort.",
        "In what weather can we not cross by boat?",
    ),
    (
        "Meetings on Friday afternoons are discouraged.",
        "At what time of the week should we avoid calls?",
    ),
    (
        "The red folder holds the insurance papers and the passports.",
        "Where are our travel documents?",
    ),
    (
        "Retries back off exponentially and give up after the fifth one.",
        "What happens when a request keeps failing?",
    ),
    (
        "The roof was repaired with slate from the neighbouring village.",
        "What material covers the house?",
    ),
    (
        "The newsletter goes out on the first Tuesday, drafts are due a week earlier.",
        "What is the deadline for articles?",
    ),
    (
        "Feature flags older than a quarter are deleted in the spring clean-up.",
        "What becomes of stale toggles?",
    ),
    ("The bicycle's back tyre loses air within two days.", "What is wrong with my bike?"),
    (
        "The choir rehearses in the school's gym since the hall flooded.",
        "Where do the singers practise now?",
    ),
    (
        "The staging server has a third of production's memory.",
        "How does the pre-release environment differ?",
    ),
    (
        "Olives and capers are left off the pizza for the birthday.",
        "Which toppings should be avoided at the party?",
    ),
    (
        "The warehouse counts stock on the last working day of each month.",
        "When is the inventory taken?",
    ),
    (
        "Two-factor login became mandatory after the phishing wave.",
        "Why do employees need a second code to sign in?",
    ),
    (
        "The river path is closed for cyclists during the frog migration.",
        "Why can I not ride along the water in spring?",
    ),
    (
        "Video calls use less bandwidth when the background blur is off.",
        "How do I keep a conference from stuttering?",
    ),
    ("The museum is free for teachers who bring a class.", "Who gets in without a ticket?"),
    (
        "Error budgets are reviewed by the whole team, not by managers alone.",
        "Who looks at our reliability targets?",
    ),
    (
        "The tent leaks at the seam above the entrance.",
        "Which piece of camping gear needs mending?",
    ),
)

# about one person: what is stored, how it is asked for, and what may stand in it, separated by
# commas
ABOUT: tuple[tuple[str, str, str], ...] = (
    (
        "{who} breaks out in hives from {what}.",
        "What is {who} allergic to?",
        "peanuts, shellfish, penicillin, wasp stings",
    ),
    (
        "{who} grew up in {what}.",
        "Where did {who} spend childhood?",
        "Lisbon, Bergen, Osaka, Tucson",
    ),
    (
        "{who} edits code with {what}.",
        "Which text editor does {who} prefer?",
        "Helix, Emacs, Vim, Zed",
    ),
    (
        "{who} gets to the office by {what}.",
        "How does {who} commute?",
        "tram, bicycle, ferry, scooter",
    ),
    (
        "{who} looks after the {what} service.",
        "Which part of the system does {who} own?",
        "billing, search, login, mail",
    ),
    (
        "{who} is away every {what}.",
        "On which day is {who} not available?",
        "Monday, Tuesday, Wednesday, Thursday",
    ),
    (
        "{who} plays the {what} in an orchestra.",
        "What instrument does {who} perform on?",
        "cello, oboe, bassoon, viola",
    ),
    (
        "{who} has adopted two {what}.",
        "What pets live with {who}?",
        "cats, greyhounds, parrots, rabbits",
    ),
    (
        "{who} takes hot drinks as {what}.",
        "What should I brew for {who}?",
        "green tea, black coffee, cocoa, mint tea",
    ),
    (
        "{who} is paid on the {what} of the month.",
        "When does {who} receive a salary?",
        "first, tenth, fifteenth, twentieth",
    ),
    (
        "{who} studied {what} before joining us.",
        "What is the academic background of {who}?",
        "geology, law, physics, history",
    ),
    (
        "{who} signs off changes to the {what}.",
        "Which thing needs the approval of {who}?",
        "schema, budget, roadmap, handbook",
    ),
    ("{who} wears size {what} boots.", "How big are the feet of {who}?", "38, 41, 44, 36"),
    (
        "{who} lives on the {what} floor.",
        "How many stairs to the flat of {who}?",
        "second, fifth, ninth, ground",
    ),
    (
        "{who} speaks {what} at home.",
        "What is the mother tongue of {who}?",
        "Catalan, Finnish, Tamil, Welsh",
    ),
    (
        "{who} is married to {what}.",
        "Who is the spouse of {who}?",
        "a pilot, a nurse, a judge, a potter",
    ),
    (
        "{who} runs {what} kilometres before dawn.",
        "What exercise does {who} do in the morning?",
        "five, eight, ten, twelve",
    ),
    (
        "{who} reads only {what}.",
        "Which sort of books does {who} like?",
        "crime novels, poetry, biographies, comics",
    ),
    (
        "{who} will move to {what} next year.",
        "What are the relocation plans of {who}?",
        "Vienna, Nairobi, Dublin, Montréal",
    ),
    (
        "{who} broke the {what} while skiing.",
        "Which injury did {who} suffer on the slopes?",
        "wrist, collarbone, ankle, thumb",
    ),
)

# around one identifier: how it is made, what is stored, and how it is asked for
CODED: tuple[tuple[str, str, str], ...] = (
    (
        "ERR-{n5}",
        "{code} is raised when the {part} queue is full and was silenced last spring.",
        "What is {code}?",
    ),
    (
        "0x8007{h4}",
        "The {part} installer stops with {code} if its folder is read-only.",
        "Why does {code} appear?",
    ),
    (
        "PAY-{n5}",
        "Ticket {code} asked for a second approver in the {part} flow.",
        "What was {code} about?",
    ),
    (
        "src/{part}/{word}_{n3}.py",
        "The rounding bug sat in {code} and was mended by casting early.",
        "What was wrong in {code}?",
    ),
    (
        "{h7}",
        "Commit {code} removed the {part} cache because it served old prices.",
        "What did commit {code} do?",
    ),
    (
        "10.{n2}.{n2}.{n2}:{n4}",
        "The {part} replica listens on {code} behind the second firewall.",
        "What runs at {code}?",
    ),
    (
        "v{n1}.{n2}.{n3}",
        "Release {code} broke the {part} page for screen readers.",
        "What was the problem with {code}?",
    ),
    (
        "{PART}_{WORD}_{n3}_MS",
        "Raising {code} to four seconds stopped the time-outs.",
        "What does {code} do?",
    ),
    (
        "SN-{h4}-{h4}",
        "The {part} scanner with serial {code} jams on thin paper.",
        "Tell me about {code}",
    ),
    (
        "/etc/{part}/{word}-{n3}.conf",
        "Edits to {code} need a restart of the daemon.",
        "What must I know about {code}?",
    ),
)

FIRST = tuple(
    """
    Ada Bruno Chiara Dmitri Elif Farid Greta Hana Ivo Jelena Kofi Lena Mateo Nadia Oskar Priya
    Quentin Rosa Sven Tomás Uma Viktor Wanda Ximena Yusuf Zofia Anton Birgit Carlos Dalia Emil
    Fiona Gustav Helga Ibrahim Jonas Katya Luis Mira Niko
""".split()
)
LAST = tuple(
    """
    Abara Becker Costa Dahl Egger Fontaine Garcia Holm Ito Jansen Kowalski Lund Moreau Novak
    Okafor Petrov Quist Rossi Sato Tanaka Ueda Vogel Weiss Xu Yilmaz Zeman Alvarez Bianchi Conti
    Duarte Eriksen Fischer Gruber Hansen Ivanova Jokinen Keller Larsen Meyer Nilsson
""".split()
)
PARTS = (
    "billing",
    "search",
    "login",
    "mail",
    "export",
    "upload",
    "report",
    "audit",
    "stock",
    "route",
    "print",
    "sync",
)
WORDS = (
    "total",
    "parser",
    "limit",
    "window",
    "batch",
    "quota",
    "filter",
    "header",
    "replay",
    "lease",
    "token",
    "shard",
)
