#!/usr/bin/env python3
"""The site: one static folder with the pages of docs/, a first page that moves, navigation and search.

  scripts/site.py [DIRECTORY]     build/site if none is named

Needs python3-markdown, and what make docs and scripts/web-host write (make site runs them). Pages request nothing of others.
"""
import html
import json
import os
import re
import shutil
import sys

import markdown

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
NAV = [("Begin", ["guide", "porting", "view", "follow", "client", "emulators"]),
       ("Languages", ["python", "lua", "cpp", "rust", "web-host"]),
       ("Look up", ["blending", "replay", "displays", "present-at-a-time", "servers", "waiting", "commands", "measures",
                    "captures", "lab", "ci", "how-it-works", "architecture", "verification", "dependencies", "migration"])]
INDEX = """# Smooth motion for games

<canvas id="lanes" role="img" aria-label="Two squares cross the page: the upper one in jumps, the lower one evenly"></canvas>

Evenstep is a C library. It decides when to update, when to draw, and which instant each frame shows. Above, it is
WebAssembly and follows the refreshes of your display. [Which unevenness do you see?](perception.html)

"""

PERCEPTION = """# Which lane is rougher?

The bars of one lane are drawn at uneven times, by a random part of some milliseconds. Say which. It becomes harder until you
guess, in about 30 answers. The result says how much unevenness you see on this display. Nothing is sent: paste it where you like.

<canvas id="lanes-test" role="img" aria-label="Two lanes of moving bars, of which one is uneven"></canvas>
<p id="question" aria-live="polite"></p>
<p><button id="upper">The upper one</button> <button id="lower">The lower one</button></p>
<p><label for="result">Result</label><br><textarea id="result" rows="3" readonly></textarea></p>
<script type="module" src="perception.mjs"></script>
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def linked(text, names):
    """Links of the Markdown files become those of the site."""
    def to(match):
        before, target, anchor = match.group(1), match.group(2), match.group(3) or ""
        name, kind = os.path.splitext(os.path.basename(target))
        inside = re.match(r"^(\./|\.\./docs/|docs/)?[^/]*$", target)
        if target == "" or target.startswith("http"):
            return match.group(0)
        if kind in (".md", ".html") and name in names and inside:
            return "%s%s.html%s)" % (before, name, anchor)
        if kind in (".svg", ".png", ".gif"):
            return "%s%s)" % (before, re.sub(r"^(\.\./)?docs/", "", target))
        if re.match(r"^(\.\./)?include/evenstep/[a-z]+\.h$", target):
            return "%sreference/%s.html)" % (before, name)
        return before + "source.html)"
    return re.sub(r"(!?\[[^\]]*\]\()([^)\s#]*)(#[^)\s]*)?\)", to, text)


def navigation(titles, here):
    out = []
    for heading, names in NAV:
        items = "".join('<li><a href="%s.html"%s>%s</a>' % (n, ' aria-current="page"' if n == here else "", html.escape(titles[n].split(":")[0]))
                        for n in names if n in titles)
        out.append("<h2>%s</h2><ul>%s</ul>" % (heading, items))
    return "".join(out) + '<ul><li><a href="reference/index.html">All functions</a></ul>'


def main():
    target = sys.argv[1] if len(sys.argv) > 1 else os.path.join(ROOT, "build", "site")
    os.makedirs(target, exist_ok=True)
    docs = os.path.join(ROOT, "docs")
    names = [n for _, group in NAV for n in group]
    texts = {n: read(os.path.join(docs, n + ".md")) for n in names}
    titles = {n: re.search(r"^# (.+)$", t, re.M).group(1) for n, t in texts.items()}
    readme = read(os.path.join(ROOT, "README.md"))
    texts["index"] = INDEX + readme[readme.index("```c"):]
    texts["source"] = "# The source\n\nThis link leads to a file of Evenstep's source, which comes with the library.\n"
    texts["perception"] = PERCEPTION
    titles["perception"] = "Which lane is rougher?"
    titles.update({"index": "Evenstep: smooth motion for games", "source": "The source"})
    frame, found = read(os.path.join(ROOT, "web", "site", "page.html")), []
    for name, text in texts.items():
        converter = markdown.Markdown(extensions=["tables", "fenced_code", "toc", "sane_lists"])
        body = converter.convert(linked(text, set(texts)))
        page = frame.replace("@title@", html.escape(titles[name])).replace("@root@", "")
        page = page.replace("@nav@", navigation(titles, name)).replace("@body@", body)
        with open(os.path.join(target, name + ".html"), "w", encoding="utf-8") as file:
            file.write(page)
        if name != "source":
            words = re.sub(r"<[^>]+>", " ", body)
            found.append({"path": name + ".html", "title": titles[name], "text": " ".join(html.unescape(words).lower().split())})
    with open(os.path.join(target, "search.json"), "w", encoding="utf-8") as file:
        json.dump(found, file, ensure_ascii=False)
    for name in ("style.css", "site.mjs", "perception.mjs"):
        shutil.copy(os.path.join(ROOT, "web", "site", name), target)
    shutil.copy(os.path.join(ROOT, "build", "web-host", "evenstep.mjs"), target)
    for folder, _, files in os.walk(docs):
        for name in files:
            if name.endswith((".svg", ".png", ".gif")):
                to = os.path.join(target, os.path.relpath(folder, docs))
                os.makedirs(to, exist_ok=True)
                shutil.copy(os.path.join(folder, name), to)
    shutil.copytree(os.path.join(ROOT, "build", "docs"), os.path.join(target, "reference"), dirs_exist_ok=True)
    print("%s: %d pages" % (target, len(texts)))


main()
