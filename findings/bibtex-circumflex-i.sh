#!/usr/bin/env bash
# No TeX command for the "î" of "Benoît" is read right by both of two much used readers of BibTeX in JavaScript.
#
# Most people would guess that both commands which LaTeX takes for it, `{\^i}` and `{\^\i}`, give one letter, as they
# do in print, and that another accent is at worst left out. citation-js makes a dotless letter and a combining accent
# of the second, which is another name when names are compared. biblatex-csl-converter knows accents only by a table of
# whole letters. For one that isn't there, it leaves a bare "^", or puts the accent before its letter, and so on the
# letter before that: "aǦ" becomes "ǎG". Neither reports an error. The letter itself, in UTF-8, is read by both.
#
# Seen with: biblatex-csl-converter 3.6.0, citation-js 0.7.21.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund biblatex-csl-converter@3.6.0 \
  @citation-js/core@0.7.21 @citation-js/plugin-bibtex@0.7.21 >/dev/null 2>&1

cat >probe.mjs <<'PROBE'
import { createRequire } from 'node:module';
import { parse } from 'biblatex-csl-converter';

const require = createRequire(import.meta.url);
const { Cite } = require('@citation-js/core');
require('@citation-js/plugin-bibtex');

const show = (name) => [...name].map((letter) => (letter < '\x7f' ? letter : `<${letter.codePointAt(0).toString(16)}>`));
for (const name of [String.raw`Beno{\^i}t`, String.raw`Beno{\^\i}t`, 'Beno\u00eet', String.raw`a{\v{G}}`, String.raw`a{\v{s}}`]) {
  const text = `@misc{key, author = {Doe, ${name}}, title = {Rain}, year = {2020}}`;
  const { entries, errors, warnings } = parse(text);
  const one = entries[1].fields.author[0].given.map((part) => part.text).join('');
  const other = new Cite(text).data[0].author[0].given;
  console.log(`${show(name).join('')}: ${show(one).join('')} (${errors.length + warnings.length}), ${show(other).join('')}`);
}
PROBE
seen=$(node probe.mjs)
echo "$seen"

expected='Beno{\^i}t: Beno^it (0), Beno<ee>t
Beno{\^\i}t: Beno<ee>t (0), Beno<131><302>t
Beno<ee>t: Beno<ee>t (0), Beno<ee>t
a{\v{G}}: a<30c>G (0), a<1e6>
a{\v{s}}: a<161> (0), a<161>'
[[ $seen == "$expected" ]] || { echo "The behavior has changed. Expected:" && echo "$expected" && exit 1; }
