/** Returns a file's metadata in the public server's format. */
export function createResource(id: string, bytes: number): Record<string, unknown> {
  return { id, name: id.toLowerCase(), path: `data/${id}.csv`, bytes, credit: {} };
}

/** Returns the public server's message for a transfer that has just started, with the total size of its files. */
export function describeStaging(transferId: string, sizes: readonly number[]): string {
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return `Transfer ${transferId}: staging ${String(sizes.length)} file(s) (${(bytes / 1e9).toFixed(2)} GB)`;
}
