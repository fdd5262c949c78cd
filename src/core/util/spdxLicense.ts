import spdxIds from 'spdx-license-ids/index.json' with { type: 'json' };

const idsByName = new Map(spdxIds.map((id) => [id.toLowerCase(), id]));

const commonsAddress =
  /^https?:\/\/(?:www\.)?creativecommons\.org\/(?:licenses|publicdomain)\/([a-z-]+)\/(\d\.\d)(?:\/(igo|scotland|[a-z]{2}))?(?=[/?#]|$)/;
/** Matches addresses that end with the name of a license: of SPDX, the Open Source Initiative and Open Definition. */
const namedAddress =
  /^https?:\/\/(?:www\.)?(?:spdx\.org\/licenses|opensource\.org\/licenses?|opendefinition\.org\/licenses)\/([\w.+-]+?)(?:\.html|\.json|\.php)?\/?$/;
const openDataAddress = /^https?:\/\/(?:www\.)?opendatacommons\.org\/licenses\/(by|odbl|pddl)(?![a-z])(?!\/[2-9])/;
/** Matches the names of the licenses of Open Data Commons, of which there is one version each. */
const openDataName = /^(?:odc-(by)|(?:odc-)?(odbl|pddl))(?:-1\.0)?$/;

function findSpdxId(text: string): string | undefined {
  const name = text.toLowerCase();
  if (!name.startsWith('http')) return idsByName.get(name) ?? findNamedId(name);
  const [, elements, version = '', port = ''] = commonsAddress.exec(name) ?? [];
  if (elements !== undefined) return findCommonsId(elements, version, port);
  const [, openData] = openDataAddress.exec(name) ?? [];
  return findNamedId(openData === undefined ? (namedAddress.exec(name)?.[1] ?? '') : `odc-${openData}`);
}

/**
 * Finds the SPDX ID of a license by its name and its address; undefined if it has none or the version is missing. The
 * address of a license that was adapted to a jurisdiction decides, because its name often doesn't mention that.
 */
export function identifyLicense(name: string, address: string): string | undefined {
  if (address === '') return findSpdxId(name);
  return (isPortedLicense(address) ? undefined : findSpdxId(name)) ?? findSpdxId(address);
}

/** Returns true for the address of a Creative Commons license that was adapted to a jurisdiction. */
export function isPortedLicense(address: string): boolean {
  return commonsAddress.exec(address.toLowerCase())?.[3] !== undefined;
}

const commonsNames: Readonly<Record<string, string>> = { zero: 'cc0', mark: 'cc-pdm', 'by-nd-nc': 'cc-by-nc-nd' };

function findCommonsId(elements: string, version: string, port: string): string | undefined {
  const name = `${commonsNames[elements] ?? `cc-${elements}`}-${version}`;
  return idsByName.get(port === '' ? name : `${name}-${port}`);
}

function findNamedId(written: string): string | undefined {
  const dashed = written.replaceAll(/[\s_]+/g, '-').replace(/-v(?=\d)/, '-');
  const name = dashed.replace(/^ccby(?=-)/, 'cc-by').replace(/-(?:international|unported|universal)$/, '');
  const [, by, other = by] = openDataName.exec(name) ?? [];
  if (other !== undefined) return idsByName.get(`${by === undefined ? other : 'odc-by'}-1.0`);
  if (/^cc-?0(?:-1\.0)?$/.test(name)) return 'CC0-1.0';
  return idsByName.get(name) ?? idsByName.get(name.replace(/(\d)-(\d)$/, '$1.$2'));
}
