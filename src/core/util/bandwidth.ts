const unitBytes: Readonly<Record<string, number>> = { B: 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };

/**
 * Parses a bandwidth limit in rclone's units, such as `10M`. Returns bytes per second; undefined if `text` is invalid.
 */
export function parseBandwidth(text: string): number | undefined {
  const [, amount = '', unit = ''] = /^(\d+(?:\.\d+)?)([BKMG])$/.exec(text.trim()) ?? [];
  const bytesPerSecond = Number(amount) * (unitBytes[unit] ?? 0);
  return Number.isFinite(bytesPerSecond) && bytesPerSecond >= 1 ? bytesPerSecond : undefined;
}
