"""Characters as a person sees them, for the tests of cuts in texts"""

CLUSTERS = [
    "a", "東", "e\u0301", "👨‍👩‍👧", "🇩🇪", "👍🏽", "1️⃣", "กำ", "क्षि", "각", "\u1112\u1161\u11ab", "a\u0323\u0302",
]  # fmt: skip
