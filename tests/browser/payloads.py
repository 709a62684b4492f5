"""Texts that would do harm if any of them were ever taken for HTML, a link or a template."""

from typing import Any

PAYLOADS = [
    "<img src=x onerror=alert(1)>",
    "<script>alert(2)</script>",
    '"><svg onload=alert(3)>',
    "<iframe srcdoc='<script>parent.alert(4)</script>'></iframe>",
    "javascript:alert(5)",
    "[x](javascript:alert(6)) ![y](data:text/html,<script>alert(7)</script>)",
    "</textarea><b onmouseover=alert(8)>",
    "{{constructor.constructor('alert(9)')()}}",
]
HARM = "script, iframe, img, object, embed, svg[onload], b[onmouseover], [style*=url]"


def assert_harmless(page: Any) -> None:
    """Find no element that a payload asks for, no listener written as an attribute, and no link that runs something."""
    assert page.locator("#main, dialog, .toasts").locator(HARM).count() == 0
    told = "(nodes) => nodes.flatMap((node) => node.getAttributeNames()).filter((name) => name.startsWith('on'))"
    assert page.locator("#main *, dialog *, .toasts *").evaluate_all(told) == []
    links = page.locator("#main a[href], dialog a[href]").evaluate_all(
        "(nodes) => nodes.map((node) => node.protocol)"
    )
    assert set(links) <= {"http:", "https:", "mailto:"}
