import type { TransferFile } from '../model/transfer.ts';
import type { LandedReport } from './landedCheck.ts';
import type { LandedManifest } from './landedManifest.ts';

/** What has to be known of a transfer to tell whether a manifest is its own. */
interface KnownTransfer {
  readonly id?: string;
  readonly order: { readonly files: readonly TransferFile[] };
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a manifest can be that of a transfer: it names no other one, and not only files of others. */
export function canBeManifestOf({ id, files }: LandedManifest, transfer: KnownTransfer): boolean {
  if (id !== undefined && uuid.test(id) && transfer.id !== undefined) {
    return id.toLowerCase() === transfer.id.toLowerCase();
  }
  const named = new Set(files.map((file) => file.id));
  const { files: asked } = transfer.order;
  return named.has(undefined) || named.size === 0 || asked.length === 0 || asked.some((file) => named.has(file.id));
}

/** The files that were asked for and that the manifest does not name; none where it names its files in another way. */
export function filesNotNamed(manifest: LandedManifest, asked: readonly TransferFile[]): readonly TransferFile[] {
  const ids = [...manifest.files, ...manifest.troubles].flatMap(({ id }) => (id === undefined ? [] : [id]));
  if (ids.length === 0) return [];
  const named = new Set(ids);
  return asked.filter(({ id }) => !named.has(id));
}

/** Those of the files asked for that did not land as they were sent: missing, changed, or not in the manifest at all. */
export function filesToSendAgain(report: LandedReport, asked: readonly TransferFile[]): readonly TransferFile[] {
  const wanted = new Set(
    report.findings.flatMap(({ file, outcome }) =>
      isAmiss.has(outcome.kind) && file.id !== undefined ? [file.id] : [],
    ),
  );
  for (const { id } of filesNotNamed(report.manifest, asked)) wanted.add(id);
  return asked.filter(({ id }) => wanted.has(id));
}

const isAmiss: ReadonlySet<string> = new Set(['missing', 'size', 'hash']);
