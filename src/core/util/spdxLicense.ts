/** SPDX IDs of the licenses that data repositories use, apart from Creative Commons licenses. */
const otherSpdxIds = [
  ...['ODbL-1.0', 'ODC-By-1.0', 'PDDL-1.0', 'MIT', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'Unlicense'],
  ...['GPL-2.0-only', 'GPL-2.0-or-later', 'GPL-3.0-only', 'GPL-3.0-or-later', 'LGPL-3.0-only', 'LGPL-3.0-or-later'],
  ...['AGPL-3.0-only', 'AGPL-3.0-or-later', 'MPL-2.0', 'EUPL-1.2', 'OGL-UK-3.0', 'CDLA-Permissive-1.0'],
];

const spdxIds = new Map(otherSpdxIds.map((id) => [id.toLowerCase(), id]));

const commonsName = /^cc[\s-]?(by(?:[\s-]nc)?(?:[\s-](?:sa|nd))?)[\s-]v?([1-4]\.0|2\.5)$/i;
const commonsAddress =
  /^https?:\/\/(?:www\.)?creativecommons\.org\/(licenses|publicdomain)\/([a-z-]+)\/([1-4]\.0|2\.5)/i;
const spdxAddress = /^https?:\/\/(?:www\.)?spdx\.org\/licenses\/([\w.+-]+?)(?:\.html|\.json)?$/i;

/** Finds the SPDX ID of a license by its name or its address at Creative Commons or SPDX; undefined if unknown. */
export function findSpdxId(text: string): string | undefined {
  const [, kind, element = '', version = ''] = commonsAddress.exec(text) ?? [];
  if (kind !== undefined) return nameCommonsLicense(element, version);
  const name = spdxAddress.exec(text)?.[1] ?? text;
  const [, elements = '', edition = ''] = commonsName.exec(name) ?? [];
  if (elements !== '') return nameCommonsLicense(elements, edition);
  if (/^cc[\s-]?0(?:[\s-]v?1\.0)?$/i.test(name)) return 'CC0-1.0';
  return spdxIds.get(name.toLowerCase().replaceAll(' ', '-'));
}

function nameCommonsLicense(elements: string, version: string): string | undefined {
  if (elements.toLowerCase() === 'zero') return 'CC0-1.0';
  const written = elements.toUpperCase().replaceAll(' ', '-');
  return /^BY(?:-NC)?(?:-SA|-ND)?$/.test(written) ? `CC-${written}-${version}` : undefined;
}
