import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Deletes the plans in a ledger's folder, but not the folder itself, because windows watch it. */
export async function deletePlans(ledgerFolder: string): Promise<void> {
  const folder = join(ledgerFolder, 'plans');
  for (const name of await readdir(folder).catch(() => [])) await rm(join(folder, name), { force: true });
}
