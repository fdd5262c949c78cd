import { l10n, workspace } from 'vscode';
import type { Connection } from '../core/model/connection.ts';
import type { Disposable } from '../core/util/lifetime.ts';
import { isJsonObject, type JsonObject } from '../core/util/json.ts';
import { listText, plainLine } from './words.ts';

/** What the setting holds: the connections that can be used, and a sentence for each entry that cannot. */
export interface SavedConnections {
  readonly connections: readonly Connection[];
  /** Ids of the entries that cannot be used, where they can be read: they are meant, only not right. */
  readonly brokenIds: readonly string[];
  readonly troubles: readonly string[];
}

/** Reads the setting as a person may have written it; one broken entry does not lose the others. */
export function readConnections(value: unknown): SavedConnections {
  if (value === undefined || value === null) return { connections: [], brokenIds: [], troubles: [] };
  if (!Array.isArray(value)) return { connections: [], brokenIds: [], troubles: [l10n.t('it must be a list')] };
  const connections: Connection[] = [];
  const brokenIds: string[] = [];
  const troubles: string[] = [];
  for (const [index, entry] of value.entries()) {
    const trouble = troubleOf(entry) ?? sameIdTrouble(entry, connections);
    if (trouble === undefined) connections.push(entry as Connection);
    else {
      troubles.push(l10n.t('entry {0}: {1}', nameOf(entry, index), trouble));
      if (isJsonObject(entry) && typeof entry['id'] === 'string') brokenIds.push(entry['id']);
    }
  }
  return { connections, brokenIds, troubles };
}

/** Whether an entry of the setting is that of a connection with this id, and can be used. */
export function isEntryOf(entry: unknown, id: string): boolean {
  return troubleOf(entry) === undefined && (entry as Connection).id === id;
}

/** Calls when the setting with the connections was changed, also by hand or by another window. */
export function watchSavedConnections(act: () => void): Disposable {
  return workspace.onDidChangeConfiguration((change) => {
    if (change.affectsConfiguration('dataTransfer.connections')) act();
  });
}

interface Field {
  readonly isNeeded?: boolean;
  isRight(value: unknown): boolean;
  wanted(): string;
}

const text: Field = {
  isNeeded: true,
  isRight: (value) => typeof value === 'string' && value.trim() !== '',
  wanted: () => l10n.t('must be a text that is not empty'),
};

const fields: Readonly<Record<string, Field>> = {
  id: text,
  name: text,
  server: {
    isNeeded: true,
    isRight: (value) => typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value),
    wanted: () => l10n.t('must be an address that begins with http:// or https://'),
  },
  port: {
    isRight: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535,
    wanted: () => l10n.t('must be a whole number from 1 to 65535'),
  },
  scheme: oneOf('base64', 'plain'),
  transport: oneOf('direct', 'editor'),
  allowInsecureHttp: {
    isRight: (value) => typeof value === 'boolean',
    wanted: () => l10n.t('must be true or false'),
  },
  apiKeyVariable: {
    isRight: isVariableName,
    wanted: () => l10n.t('must be the name of an environment variable'),
  },
};

function oneOf(...values: readonly string[]): Field {
  const list = listText(values.map((value) => `"${value}"`));
  return { isRight: (value) => values.includes(String(value)), wanted: () => l10n.t('must be one of {0}', list) };
}

/** Whether this can be the name of an environment variable on every system. */
export function isVariableName(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z_][A-Za-z\d_]*$/.test(value);
}

function troubleOf(entry: unknown): string | undefined {
  if (!isJsonObject(entry)) return l10n.t('it must be an object');
  for (const [name, field] of Object.entries(fields)) {
    const value = entry[name];
    if (value === undefined && !field.isNeeded) continue;
    if (value === undefined) return l10n.t('{0} is missing', `"${name}"`);
    if (!field.isRight(value)) return `"${name}" ${field.wanted()}`;
  }
  return undefined;
}

function sameIdTrouble(entry: unknown, others: readonly Connection[]): string | undefined {
  const { id } = entry as Connection;
  const other = others.find((one) => one.id === id);
  return other && l10n.t('its id is also that of {0}, which is used', plainLine(other.name));
}

function nameOf(entry: unknown, index: number): string {
  const { name, server }: JsonObject = isJsonObject(entry) ? entry : {};
  const called = [name, server].map((one) => (typeof one === 'string' ? plainLine(one) : '')).find(Boolean);
  return called === undefined ? String(index + 1) : `${index + 1} (${called})`;
}
