import * as fs from 'node:fs/promises';
import type { Catalog } from '../catalog/catalog.ts';
import { digestFile, resolveInside } from './hashing.ts';
import { meaningOf, TransferFailure } from './outcomes.ts';
import type { TransferFile } from './transferRecord.ts';

/** Where files are staged from. */
interface StagingSource {
  readonly folder: string;
  readonly catalog: Pick<Catalog, 'heldHash' | 'holdHash'>;
}

interface DeclaredHash {
  readonly algorithm: string;
  readonly hex: string;
}

const knownAlgorithms: ReadonlySet<string> = new Set(['md5', 'sha1', 'sha256', 'sha512']);

/**
 * Makes a file ready to be copied: its SHA-256 is known and agrees with the hash in its metadata (D23). The file is read
 * only when the catalogue does not hold its hash (D22). Throws {@link TransferFailure} or a suspension.
 */
export async function stageFile(source: StagingSource, file: TransferFile, signal: AbortSignal): Promise<TransferFile> {
  try {
    const realPath = await resolveInside(source.folder, file.path);
    const stats = await fs.stat(realPath);
    const seen = { path: file.path, bytes: stats.size, modifiedMs: stats.mtimeMs };
    const held = await source.catalog.heldHash(seen);
    if (held !== undefined) return { ...file, bytes: seen.bytes, sha256: held };
    const sha256 = await readHash(realPath, file, signal);
    await source.catalog.holdHash(seen, sha256);
    return { ...file, bytes: seen.bytes, sha256 };
  } catch (error) {
    throw await meaningOf(error, { act: 'read', path: file.path, root: source.folder, bytes: file.bytes });
  }
}

async function readHash(realPath: string, file: TransferFile, signal: AbortSignal): Promise<string> {
  const declared = declaredHash(file.resource.hash ?? '');
  const digests = await digestFile(realPath, signal, declared?.algorithm);
  if (declared !== undefined && declared.hex !== digests.other) {
    throw new TransferFailure(`${file.path} does not have the ${declared.algorithm} hash that its metadata states`);
  }
  return digests.sha256;
}

/** Understands `sha256:…` and the bare hex of MD5; another algorithm cannot be checked and is passed over. */
function declaredHash(text: string): DeclaredHash | undefined {
  const [algorithm = '', hex = ''] = text.includes(':')
    ? text.toLowerCase().split(':', 2)
    : ['md5', text.toLowerCase()];
  const name = algorithm.replace('-', '');
  return hex !== '' && knownAlgorithms.has(name) ? { algorithm: name, hex } : undefined;
}
