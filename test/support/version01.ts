import { webcrypto } from 'node:crypto';
import { cp, mkdir, readFile, readdir, rename, truncate, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from 'playwright-core';

const fixture = join(import.meta.dirname, '..', 'fixtures', '0.1');
const extensionId = 'data-transfer-explorer.data-transfer-explorer';

/** The ID that version 0.1 gave to the saved connection. */
export const savedConnectionId = '99ba412f3058d000';
/** The name of this machine, as used in file names and connection IDs. */
export const machine = hostname().replaceAll(/[^\w.-]/g, '_');

/**
 * The time at which the fixture was captured, in milliseconds since 1970. The times in its files are close to this
 * time.
 */
const capturedAt = 1_767_229_200_000;
/** The modification time of the served files. */
const changedAt = new Date('2026-01-02T03:04:05Z');

/** Values that replace the placeholders in the fixture for a test run. */
export interface FixtureValues {
  /** The address of the saved connection. */
  readonly server: string;
  /** The folder that contains the served folder `archive` and the workspace `project`. */
  readonly home: string;
  /** The global storage folder of the extension. */
  readonly storage: string;
}

/** Returns the extension's global storage folder in the data folder of an editor. */
export function getStorageFolder(dataFolder: string): string {
  return join(dataFolder, 'data', 'User', 'globalStorage', extensionId);
}

/** Returns the local service's folder in a global storage folder. */
export function getServiceFolder(storage: string): string {
  return join(storage, 'local-service', machine);
}

/** Creates the user's folders with files: the served folder `archive` and the workspace `project`. */
export async function createHome(home: string): Promise<void> {
  const archive = join(home, 'archive');
  await mkdir(join(home, 'project'), { recursive: true });
  await mkdir(archive);
  await writeFile(join(home, 'project', 'notes.txt'), 'Notes of the workspace\n');
  await writeFile(join(archive, 'table.csv'), 'name,count\none,1\n');
  await writeFile(join(archive, 'letter.txt'), 'A letter of the archive\n');
  await writeFile(join(archive, 'movie.bin'), '');
  await truncate(join(archive, 'movie.bin'), 2 ** 26);
  for (const name of await readdir(archive)) await utimes(join(archive, name), changedAt, changedAt);
}

/** Installs the global storage of version 0.1, as if that version had just been used. */
export async function installStorage(values: FixtureValues): Promise<void> {
  const { storage } = values;
  await cp(join(fixture, 'global-storage'), storage, { recursive: true });
  await rename(join(storage, 'local-service', 'MACHINE'), getServiceFolder(storage));
  const asking = join(storage, 'transfers', 'asking');
  await rename(join(asking, 'local%40MACHINE.lock'), join(asking, `${encodeURIComponent(`local@${machine}`)}.lock`));
  for (const entry of await readdir(storage, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    if (entry.isFile() && !entry.name.endsWith('.db'))
      await writeFile(file, fill(await readFile(file, 'utf8'), values));
  }
  const journal = new DatabaseSync(join(getServiceFolder(storage), 'journal.db'));
  journal.exec(await readFixture('journal.sql', values));
  journal.close();
}

/** Writes the machine settings, in which version 0.1 stored connections, served folders and the ORCID iD. */
export async function installSettings(dataFolder: string, values: FixtureValues): Promise<void> {
  const folder = join(dataFolder, 'data', 'Machine');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'settings.json'), await readFixture('machine-settings.json', values));
}

/** Returns the values that version 0.1 stored in the editor's own state. */
export async function readGlobalState(values: FixtureValues): Promise<Record<string, unknown>> {
  return JSON.parse(await readFixture('global-state.json', values)) as Record<string, unknown>;
}

/** Returns the state stored by the transfer page of version 0.1. */
export async function readTransferPageState(values: FixtureValues): Promise<unknown> {
  return JSON.parse(await readFixture('transfer-page-state.json', values));
}

/** Stores the editor state of version 0.1 and an API key in the browser. Must be called before a window is opened. */
export async function seedBrowser(page: Page, origin: string, values: FixtureValues, apiKey: string): Promise<void> {
  const seedAddress = `${origin}/seed`;
  await page.route(seedAddress, (route) => route.fulfill({ contentType: 'text/html', body: '<title>Seed</title>' }));
  await page.goto(seedAddress);
  const secret = JSON.stringify({ origin: new URL(values.server).origin, key: apiKey });
  const name = JSON.stringify({ extensionId, key: `dataTransfer.apiKey.${savedConnectionId}` });
  const seed = {
    state: JSON.stringify(await readGlobalState(values)),
    secrets: await sealSecrets(JSON.stringify({ [name]: secret })),
  };
  await page.evaluate(`(async ({ state, secrets }) => {
    localStorage.setItem('secrets.provider', secrets);
    await new Promise((resolve, reject) => {
      const opening = indexedDB.open('vscode-web-state-db-global', 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore('ItemTable');
      opening.onerror = () => reject(opening.error);
      opening.onsuccess = () => {
        const transaction = opening.result.transaction('ItemTable', 'readwrite');
        transaction.objectStore('ItemTable').put(state, '${extensionId}');
        transaction.onerror = () => reject(transaction.error);
        transaction.oncomplete = () => {
          opening.result.close();
          resolve();
        };
      };
    });
  })(${JSON.stringify(seed)})`);
  await page.unroute(seedAddress);
}

/**
 * Encrypts secrets as the editor does in a browser. The key combines a random part and a part from the server; in the
 * tests, all bytes of the server's part are 7.
 */
async function sealSecrets(text: string): Promise<string> {
  const clientPart = webcrypto.getRandomValues(new Uint8Array(32));
  const iv = webcrypto.getRandomValues(new Uint8Array(12));
  const key = await webcrypto.subtle.importKey(
    'raw',
    clientPart.map((byte) => byte ^ 7),
    'AES-GCM',
    false,
    ['encrypt'],
  );
  const sealed = await webcrypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, new TextEncoder().encode(text));
  return Buffer.concat([clientPart, iv, new Uint8Array(sealed)]).toString('base64');
}

async function readFixture(name: string, values: FixtureValues): Promise<string> {
  return fill(await readFile(join(fixture, name), 'utf8'), values);
}

/** Replaces the placeholders in a text, and shifts its times by the time since the capture. */
function fill(text: string, values: FixtureValues): string {
  const replacements: Readonly<Record<string, string>> = {
    ...values,
    machine,
    host: hostname(),
    service: 'http://127.0.0.1:1',
    token: 'a-token-that-opens-nothing',
  };
  const later = Date.now() - capturedAt;
  return text
    .replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => JSON.stringify(replacements[name] ?? '').slice(1, -1))
    .replaceAll(/\b17672\d{8}\b/g, (time) => String(Number(time) + later));
}
