/** Updates CHANGELOG.md for a release. */

const heading = '## [Unreleased]';

/**
 * Returns the changelog with its unreleased entries under `version` and `day` (YYYY-MM-DD), below a new, empty
 * "Unreleased" section. Throws if there is no "Unreleased" section, or if it is empty.
 */
export function releaseEntries(changelog, version, day) {
  const start = changelog.indexOf(`${heading}\n`);
  if (start < 0) throw new Error(`CHANGELOG.md has no section "${heading}".`);
  const rest = changelog.slice(start + heading.length);
  const end = rest.indexOf('\n## ');
  const entries = end < 0 ? rest : rest.slice(0, end);
  if (!/^- /m.test(entries)) throw new Error(`CHANGELOG.md has no entry under "${heading}".`);
  return `${changelog.slice(0, start)}${heading}\n\n## [${version}] - ${day}${rest}`;
}

/** Returns true if `next` is a later `major.minor.patch` version than `current`. */
export function isLaterVersion(next, current) {
  if (!/^\d+\.\d+\.\d+$/.test(next)) return false;
  const parts = (version) => version.split('.').map(Number);
  const [a, b] = [parts(next), parts(current)];
  const place = a.findIndex((part, index) => part !== b[index]);
  return place >= 0 && a[place] > b[place];
}
