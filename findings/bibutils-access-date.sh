#!/usr/bin/env bash
# bibutils makes the day on which somebody read a web page (RIS: Y2) the month in which a work was published.
#
# Most people would guess that an access date is kept as one, as RIS defines the field and reference managers write it,
# or is left out. That happens only if the year of publication has a month. If it is a bare year, the usual case for
# articles and data, ris2xml joins the two to one invalid date, "2021-2024/05/06" in MODS, and from there xml2bib makes
# a month of it and xml2ris a date of publication. Only the access date that is left out causes a warning.
#
# Seen with: bibutils 7.2-2 (Debian 12).
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
apt-get download bibutils=7.2-2 libbibutils8=7.2-2 >/dev/null 2>&1 ||
  { echo "The packages aren't available." && exit 1; }
for package in ./*.deb; do dpkg -x "$package" package; done
export PATH=$folder/package/usr/bin:$PATH LD_LIBRARY_PATH=$folder/package/usr/lib/x86_64-linux-gnu

convert() {
  printf '%s\n' 'TY  - JOUR' 'AU  - Doe, Jane' 'TI  - Rain' "$@" 'ER  - ' | ris2xml 2>warnings.txt >reference.xml
  echo "$(grep -oP '<(dateIssued|dateCaptured)>\K[^<]+' reference.xml | xargs)," \
    "$(grep -q 'unused tags' warnings.txt && echo 'a warning' || echo 'no warning')"
}
show() {
  xml2bib reference.xml 2>/dev/null | grep -E '^(year|month|urldate)' | tr -d '\n'
  echo " $(xml2ris reference.xml 2>/dev/null | grep -E '^(PY|DA|Y2)' | tr -s ' ' | xargs)"
}
seen="no access date: $(convert 'PY  - 2021')
the same in BibTeX and RIS: $(show)
with an access date: $(convert 'PY  - 2021' 'Y2  - 2024/05/06')
the same in BibTeX and RIS: $(show)
month and access date: $(convert 'PY  - 2021/11' 'Y2  - 2024/05/06')
the same in BibTeX and RIS: $(show)"
echo "$seen"

expected='no access date: 2021, no warning
the same in BibTeX and RIS: year="2021" PY - 2021 DA - 2021//
with an access date: 2021-2024/05/06, no warning
the same in BibTeX and RIS: year="2021",month="2024/05/06" PY - 2021 DA - 2021/2024/05/06/
month and access date: 2021-11, a warning
the same in BibTeX and RIS: year="2021",month="Nov" PY - 2021 DA - 2021/11/'
[[ $seen == "$expected" ]] || { echo "The behavior has changed. Expected:" && echo "$expected" && exit 1; }
