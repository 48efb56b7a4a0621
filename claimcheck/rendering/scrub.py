"""HTML to inert HTML. Runs as a program of its own: deep nesting costs the parser quadratic time
(200,000 open <div> took half an hour), so it works under limits and can be killed.

Imports nothing of ours: it is started by its path, in isolated mode.
"""

import json
import resource
import sys

import nh3

CPU_SECONDS = 2
MEMORY = 1 << 30
ADDRESSES = 200
WORDS = """
a abbr address article aside b bdi bdo blockquote br caption center cite code col colgroup dd del details
dfn div dl dt em figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li main mark
nav ol p pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot
th thead time tr tt u ul var wbr
"""
TAGS = frozenset(WORDS.split())
DROPPED = frozenset({"script", "style", "svg", "math", "template", "noscript", "iframe", "object", "embed", "title"})
ATTRIBUTES = {
    "*": {"dir", "lang", "title"},
    "a": {"href"},
    "img": {"alt", "src"},
    "ol": {"start", "reversed"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
}
POINTERS = {("a", "href"): "link", ("img", "src"): "picture"}
NUMBERS = frozenset({"colspan", "rowspan", "start"})


def clean(html: str) -> tuple[str, list[str]]:
    """The cleaned page, and where its links and pictures pointed. Nothing in the page points anywhere.

    Idempotent: cleaning a clean page changes nothing.
    """
    addresses: dict[str, None] = {}

    def kept(element: str, name: str, value: str) -> str | None:
        if (element, name) in POINTERS:
            addresses.setdefault(f"{POINTERS[element, name]}: {value.strip()[:500]}")
            return None
        return attribute(name, value)

    cleaned = nh3.clean(
        html,
        tags=set(TAGS),
        clean_content_tags=set(DROPPED),
        attributes=ATTRIBUTES,
        attribute_filter=kept,
        link_rel=None,
        # Every scheme reaches the filter, which drops them all and keeps them on record.
        url_schemes={"http", "https", "mailto", "tel", "data", "cid", "javascript", "file", "ftp"},
    )
    return cleaned, list(addresses)[:ADDRESSES]


def attribute(name: str, value: str) -> str | None:
    """An attribute's value, None where it may not stand."""
    return None if name in NUMBERS and not _small(value) else value


def _small(value: str) -> bool:
    return value.isdecimal() and len(value) < 4


def main() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    html, addresses = clean(sys.stdin.buffer.read().decode())
    json.dump({"html": html, "addresses": addresses}, sys.stdout)


if __name__ == "__main__":
    main()
