import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '../../core/util/json.ts';

/** Where a service listens, and the token it made at its start (D26). */
export interface LocalServiceAccess {
  readonly address: string;
  readonly token: string;
}

/** Address and secrets by which the windows that share a service reach it (D29). */
export interface SharedServiceAccess extends LocalServiceAccess {
  /** Opens leases and stop (D41). A service of version 0.1 has none: there the token does. */
  readonly sharingToken?: string;
}

/** A service as it tells of itself in its data folder, for all windows of its owner (D29). */
export interface ServiceRecord extends SharedServiceAccess {
  readonly pid: number;
  /** Name of the machine that it runs on. */
  readonly host: string;
  readonly version: string;
}

/** What the file in the data folder says; undefined when there is none, or none that can be understood. */
export async function readServiceRecord(dataFolder: string): Promise<ServiceRecord | undefined> {
  try {
    return parseServiceRecord(await readFile(join(dataFolder, 'service.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

/** Reads a record from JSON. Throws when it is none. */
function parseServiceRecord(text: string): ServiceRecord {
  const value: unknown = JSON.parse(text);
  const { address, token, sharingToken, pid, host, version } = isJsonObject(value) ? value : {};
  const texts = { address, token, host, version };
  if (!areTexts(texts) || !Number.isInteger(pid)) throw new TypeError('This does not describe a service.');
  return { ...texts, ...(typeof sharingToken === 'string' ? { sharingToken } : {}), pid: Number(pid) };
}

function areTexts<K extends string>(values: Record<K, unknown>): values is Record<K, string> {
  return Object.values(values).every((value) => typeof value === 'string');
}

/** Below zero when `one` is the older version, above when it is the newer, by the numbers in them. */
export function compareVersions(one: string, other: string): number {
  const [left, right] = [one, other].map((version) => version.split(/\D+/).map(Number));
  const length = Math.max(left?.length ?? 0, right?.length ?? 0);
  for (let place = 0; place < length; place += 1) {
    const difference = (left?.[place] ?? 0) - (right?.[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
