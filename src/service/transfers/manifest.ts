import * as fs from 'node:fs/promises';
import type { JsonObject } from '../../core/util/json.ts';
import { landingFolderOf, manifestName, otherManifestName } from '../../core/util/landedNames.ts';
import { BadFile } from './fileWork.ts';
import { LandingFolders, partPathOf } from './landing.ts';
import { meaningOf, TransferFailure } from './outcomes.ts';
import type { TransferFile, TransferRecord } from './transferRecord.ts';

/** What the manifest says of the two databases. */
interface ManifestEnds {
  readonly source: { readonly id: string; readonly name: string };
  readonly destination: { readonly id: string; readonly name: string };
}

/** How many resources are made text at a time; a transfer may have very many. */
const pieceSize = 500;

const usualResourceBytes = 1_000;

/** The text of the Frictionless Data Package that describes what a transfer landed (D24), piece by piece. */
function* manifestText(record: TransferRecord, ends: ManifestEnds, files: readonly TransferFile[]): Generator<string> {
  const head = JSON.stringify(headOf(record, ends), undefined, 2);
  yield `${head.slice(0, head.lastIndexOf('\n'))},\n  "resources": [\n`;
  const names = new Map<string, number>();
  for (let start = 0; start < files.length; start += pieceSize) {
    const lines = files.slice(start, start + pieceSize).map((file) => `    ${JSON.stringify(resourceOf(file, names))}`);
    yield `${start === 0 ? '' : ',\n'}${lines.join(',\n')}`;
  }
  yield '\n  ]\n}\n';
}

function headOf(record: TransferRecord, ends: ManifestEnds): JsonObject {
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
  };
}

function resourceOf(file: TransferFile, names: Map<string, number>): JsonObject {
  const name = freeName(file.resource.name ?? 'file', names);
  return { ...file.resource, name, path: file.path, bytes: file.bytes, hash: `sha256:${file.sha256 ?? ''}` };
}

/** Names are unique within a Data Package; `names` has for each the number that was last put behind it. */
function freeName(name: string, names: Map<string, number>): string {
  let number = names.get(name) ?? 0;
  let free = name;
  while (names.has(free)) free = `${name}-${++number + 1}`;
  names.set(name, number);
  names.set(free, names.get(free) ?? 0);
  return free;
}

/** The manifest's file name: a transfer that brings its own `manifest.json`, file or folder, gets another one. */
export function manifestNameOf(transferId: string, files: readonly TransferFile[]): string {
  const isTaken = files.some((file) => file.path.split('/', 1)[0]?.toLowerCase() === manifestName);
  return isTaken ? otherManifestName(transferId) : manifestName;
}

/** Writes the manifest beside its name and renames it. Throws a failure or a suspension. */
export async function writeManifest(
  destination: string,
  record: TransferRecord,
  ends: ManifestEnds,
  files: readonly TransferFile[],
): Promise<void> {
  const name = manifestNameOf(record.id, files);
  try {
    const folders = new LandingFolders(destination, landingFolderOf(record.id), record.destinationPlace);
    const folder = folders.make('.');
    const finalPath = `${folder}/${name}`;
    const part = partPathOf(finalPath, record.id);
    await fs.rm(part, { force: true });
    await fs.writeFile(part, manifestText(record, ends, files), { flush: true, flag: 'wx' });
    folders.check(folder);
    await fs.rename(part, finalPath);
  } catch (error) {
    if (error instanceof BadFile) throw new TransferFailure(`could not write ${name}: ${error.message}`);
    const bytes = files.length * usualResourceBytes;
    throw await meaningOf(error, { act: 'write', path: name, root: destination, bytes });
  }
}
