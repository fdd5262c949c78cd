import { isJsonObject, type JsonObject } from './json.ts';
import { isTransferManifest } from './transferFolderNames.ts';

/**
 * Returns the fields that the resources of a data package inherit. Without licenses, `license` of early packages
 * counts. A transfer's manifest has none: its fields describe the transfer.
 */
export function getInheritedFields(parent: JsonObject): JsonObject {
  if (isTransferManifest(parent)) return {};
  const { licenses = toLicenseList(parent['license']), sources, contributors } = parent;
  const about = describePackage(parent);
  return { licenses, sources, contributors, ...(about && { package: about }) };
}

/** Adds the fields of a package to those of one of its resources, which take precedence. */
export function addInheritedFields(resource: JsonObject, { licenses, ...inherited }: JsonObject): JsonObject {
  const isLicensed = licenses === undefined || resource['license'] !== undefined;
  return { ...inherited, ...(!isLicensed && { licenses }), ...resource };
}

function toLicenseList(license: unknown): readonly JsonObject[] | undefined {
  if (isJsonObject(license)) return [license];
  return typeof license === 'string' && license !== '' ? [{ name: license }] : undefined;
}

const packageTexts = ['title', 'id', 'doi', 'homepage', 'version', 'created'];

/** Returns undefined if a package has none of the fields that describe it, or only `created`. */
function describePackage(parent: JsonObject): JsonObject | undefined {
  const texts = packageTexts.filter((name) => isText(parent[name])).map((name) => [name, parent[name]] as const);
  const keywords = Array.isArray(parent['keywords']) ? parent['keywords'].filter(isText) : [];
  const about: JsonObject = { ...Object.fromEntries(texts), ...(keywords.length > 0 && { keywords }) };
  if (!Object.keys(about).some((name) => name !== 'created')) return undefined;
  return about['title'] === undefined && isText(parent['name']) ? { name: parent['name'], ...about } : about;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
