import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import type { JsonObject } from '../../core/util/json.ts';
import { makeFolder, partPathOf } from './landing.ts';
import { meaningOf } from './outcomes.ts';
import { landingFolderOf, type TransferFile, type TransferRecord } from './transferRecord.ts';

/** What the manifest says of the two databases. */
interface ManifestEnds {
  readonly source: { readonly id: string; readonly name: string };
  readonly destination: { readonly id: string; readonly name: string };
}

/** The Frictionless Data Package that describes what a transfer landed (D24). */
export function manifestOf(record: TransferRecord, ends: ManifestEnds, files: readonly TransferFile[]): JsonObject {
  const names = new Set<string>();
  return {
    profile: 'data-package',
    name: 'manifest',
    id: record.id,
    created: new Date(record.createdAtMs).toISOString(),
    keywords: ['dts', 'manifest'],
    ...(record.description === undefined ? {} : { description: record.description }),
    ...(record.instructions === undefined ? {} : { instructions: record.instructions }),
    orcid: record.orcid,
    source: ends.source,
    destination: ends.destination,
    resources: files.map((file) => resourceOf(file, names)),
  };
}

function resourceOf(file: TransferFile, names: Set<string>): JsonObject {
  const name = freeName(file.resource.name ?? 'file', names);
  return { ...file.resource, name, path: file.path, bytes: file.bytes, hash: `sha256:${file.sha256 ?? ''}` };
}

/** Names are unique within a Data Package. */
function freeName(name: string, names: Set<string>): string {
  let free = name;
  for (let number = 2; names.has(free); number += 1) free = `${name}-${number}`;
  names.add(free);
  return free;
}

/** The manifest's file name: a transfer that brings its own `manifest.json` gets another one. */
export function manifestNameOf(transferId: string, files: readonly TransferFile[]): string {
  const isTaken = files.some((file) => file.path.toLowerCase() === 'manifest.json');
  return isTaken ? `manifest-${transferId}.json` : 'manifest.json';
}

/** Writes the manifest beside its name and renames it. Throws a failure or a suspension. */
export async function writeManifest(
  destination: string,
  record: TransferRecord,
  manifest: JsonObject,
  files: readonly TransferFile[],
): Promise<void> {
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
  const name = manifestNameOf(record.id, files);
  try {
    const folder = await makeFolder(destination, landingFolderOf(record.id));
    const finalPath = nodePath.join(folder, name);
    const part = partPathOf(finalPath, record.id);
    await fs.writeFile(part, text, { flush: true });
    await fs.rename(part, finalPath);
  } catch (error) {
    throw await meaningOf(error, { act: 'write', path: name, root: destination, bytes: text.length });
  }
}
