import { l10n, workspace } from 'vscode';
import type { Connection } from '../../core/model/connection.ts';
import type { Disposable } from '../../core/util/lifetime.ts';
import { isJsonObject, type JsonObject } from '../../core/util/json.ts';
import { formatList } from '../words/localeFormats.ts';
import { toPlainLine } from '../words/plainText.ts';

/** The valid connections in the setting, and an error message for each invalid entry. */
export interface SavedConnections {
  readonly connections: readonly Connection[];
  /** IDs of the invalid entries that have a readable ID. */
  readonly brokenIds: readonly string[];
  readonly problems: readonly string[];
}

/** Parses the connections setting, which users may edit by hand. An invalid entry does not affect the others. */
export function readConnections(value: unknown): SavedConnections {
  if (value === undefined || value === null) return { connections: [], brokenIds: [], problems: [] };
  if (!Array.isArray(value)) return { connections: [], brokenIds: [], problems: [l10n.t('it must be a list')] };
  const connections: Connection[] = [];
  const brokenIds: string[] = [];
  const problems: string[] = [];
  for (const [index, entry] of value.entries()) {
    const problem = describeProblem(entry) ?? describeDuplicateId(entry, connections);
    if (problem === undefined) connections.push(entry as Connection);
    else {
      problems.push(l10n.t('entry {0}: {1}', getEntryName(entry, index), problem));
      if (isJsonObject(entry) && typeof entry['id'] === 'string') brokenIds.push(entry['id']);
    }
  }
  return { connections, brokenIds, problems };
}

/** Returns true if an entry of the setting is valid and has the given ID. */
export function isEntryForConnection(entry: unknown, id: string): boolean {
  return describeProblem(entry) === undefined && (entry as Connection).id === id;
}

/** Calls a listener when the setting changes, including changes made by hand or in other windows. */
export function watchSavedConnections(listener: () => void): Disposable {
  return workspace.onDidChangeConfiguration((change) => {
    if (change.affectsConfiguration('dataTransfer.connections')) listener();
  });
}

interface Field {
  readonly isRequired?: boolean;
  isValid(value: unknown): boolean;
  describeExpected(): string;
}

const text: Field = {
  isRequired: true,
  isValid: (value) => typeof value === 'string' && value.trim() !== '',
  describeExpected: () => l10n.t('must be a non-empty string'),
};

const fields: Readonly<Record<string, Field>> = {
  id: text,
  name: text,
  server: {
    isRequired: true,
    isValid: (value) => typeof value === 'string' && /^https?:\/\//i.test(value) && URL.canParse(value),
    describeExpected: () => l10n.t('must be an address that starts with http:// or https://'),
  },
  port: {
    isValid: (value) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535,
    describeExpected: () => l10n.t('must be a whole number from 1 to 65535'),
  },
  scheme: oneOf('base64', 'plain'),
  transport: oneOf('direct', 'editor'),
  allowInsecureHttp: {
    isValid: (value) => typeof value === 'boolean',
    describeExpected: () => l10n.t('must be true or false'),
  },
  apiKeyVariable: {
    isValid: isVariableName,
    describeExpected: () => l10n.t('must be the name of an environment variable'),
  },
};

function oneOf(...values: readonly string[]): Field {
  const list = formatList(values.map((value) => `"${value}"`));
  return {
    isValid: (value) => typeof value === 'string' && values.includes(value),
    describeExpected: () => l10n.t('must be one of {0}', list),
  };
}

/** Returns true if a value is a valid environment variable name on all systems. */
export function isVariableName(value: unknown): boolean {
  return typeof value === 'string' && /^[A-Za-z_][A-Za-z\d_]*$/.test(value);
}

function describeProblem(entry: unknown): string | undefined {
  if (!isJsonObject(entry)) return l10n.t('it must be an object');
  for (const [name, field] of Object.entries(fields)) {
    const value = entry[name];
    if (value === undefined && !field.isRequired) continue;
    if (value === undefined) return l10n.t('{0} is missing', `"${name}"`);
    if (!field.isValid(value)) return `"${name}" ${field.describeExpected()}`;
  }
  return undefined;
}

function describeDuplicateId(entry: unknown, others: readonly Connection[]): string | undefined {
  const { id } = entry as Connection;
  const other = others.find((one) => one.id === id);
  return other && l10n.t('its ID is already used by {0}', toPlainLine(other.name));
}

function getEntryName(entry: unknown, index: number): string {
  const { name, server }: JsonObject = isJsonObject(entry) ? entry : {};
  const label = [name, server].map((one) => (typeof one === 'string' ? toPlainLine(one) : '')).find(Boolean);
  return label === undefined ? String(index + 1) : `${index + 1} (${label})`;
}
