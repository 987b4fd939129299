#!/usr/bin/env python3
"""embed.py TEMPLATE STYLE SCRIPT NOTICE OUTPUT: the page as one text, as a C++ source.

The template has the marks /*@style@*/ and /*@script@*/, and <!--@data@-->, which stays for the data of a file.
NOTICE is the licence of what stands in the script and comes from others.
"""

import pathlib
import sys

PIECE = 8000  # characters of a literal; compilers join them


def main():
    template, style, script, notice = (pathlib.Path(name).read_text(encoding="utf-8") for name in sys.argv[1:5])
    if "</script" in script.lower():
        sys.exit("the script would end the element that it stands in")
    if "-->" in notice:
        sys.exit("the notice would end the comment that it stands in")
    page = template.replace("/*@style@*/", style).replace("/*@script@*/", script)
    page = page.replace("<head>", f"<head>\n<!--\n{notice.strip()}\n-->", 1)
    pieces = [page[i : i + PIECE] for i in range(0, len(page), PIECE)]
    literals = "\n".join(f'    R"~page~({piece})~page~"' for piece in pieces)
    text = f'''// Made by embed.py from apps/studio/page when the program is built.
#include "studio/page.h"

namespace sestina::studio {{

std::string_view page_text() {{
  static const char kText[] =
{literals};
  return {{kText, sizeof kText - 1}};
}}

}}  // namespace sestina::studio
'''
    pathlib.Path(sys.argv[5]).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
