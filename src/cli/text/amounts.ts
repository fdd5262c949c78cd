const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** Formats a number of bytes with a decimal unit: `1.5 MB`. */
export function formatBytes(sizeBytes: number): string {
  const power = sizeBytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(sizeBytes) / 3));
  const amount = sizeBytes / 1000 ** power;
  return `${power === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[power] ?? ''}`;
}

/** Formats a count with its noun: `1 file`, `2 files`. */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
