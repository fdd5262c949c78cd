import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '../../core/util/json.ts';

/** The address of a service, and the token that it generated when it started (D26: service HTTP behavior). */
export interface LocalServiceAccess {
  readonly address: string;
  readonly token: string;
}

/** The address and the secrets of a shared service (D29: shared service). */
export interface SharedServiceAccess extends LocalServiceAccess {
  /** Authorizes leases and stopping the service (D41: two secrets). In version 0.1, `token` does. */
  readonly sharingToken?: string;
}

/** The record that a running service writes for its user's windows and command line (D29: shared service). */
export interface ServiceRecord extends SharedServiceAccess {
  readonly pid: number;
  /** Name of the machine on which the service runs. */
  readonly host: string;
  readonly version: string;
  /** On Linux, the namespaces in which the process ID and the address are valid. */
  readonly namespaces: unknown;
  /** On Linux, the boot ID and the process's start time. They reveal a reused process ID. */
  readonly start: unknown;
}

/** Reads the service's record from the data folder. Returns undefined if the record can't be read or is invalid. */
export async function readServiceRecord(dataFolder: string): Promise<ServiceRecord | undefined> {
  try {
    return parseServiceRecord(await readFile(join(dataFolder, 'service.json'), 'utf8'));
  } catch {
    return undefined;
  }
}

function parseServiceRecord(text: string): ServiceRecord {
  const value: unknown = JSON.parse(text);
  const { address, token, sharingToken, pid, host, version, namespaces, start } = isJsonObject(value) ? value : {};
  const texts = { address, token, host, version };
  if (!areTexts(texts) || !Number.isInteger(pid)) throw new TypeError('Invalid service record');
  const shared = typeof sharingToken === 'string' ? { sharingToken } : {};
  return { ...texts, ...shared, pid: Number(pid), namespaces, start };
}

function areTexts<K extends string>(values: Record<K, unknown>): values is Record<K, string> {
  return Object.values(values).every((value) => typeof value === 'string');
}

/** Compares two version numbers: negative if `first` is older, positive if newer, 0 if equal. */
export function compareVersions(first: string, second: string): number {
  const [left, right] = [first, second].map((version) => version.split(/\D+/).map(Number));
  const length = Math.max(left?.length ?? 0, right?.length ?? 0);
  for (let index = 0; index < length; index += 1) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
