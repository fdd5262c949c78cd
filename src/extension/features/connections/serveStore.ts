import { commands, env, l10n, Uri, window } from 'vscode';
import { isStore, type Database } from '../../../core/model/databaseModel.ts';
import type { Clock } from '../../../core/util/clock.ts';
import { Lifetime, type Disposable } from '../../../core/util/lifetime.ts';
import {
  findRclonePath,
  getRemoteName,
  isRcloneTooOld,
  joinRemotePath,
  oldestRclone,
  readRcloneVersion,
} from '../../../core/util/remote.ts';
import { CommandFailure, CommandHint } from '../../editor/commandBoundary.ts';
import { setRcloneMissing } from '../../editor/contextKeys.ts';
import type { DatabaseNode } from '../../editor/contributions.ts';
import { createAddStoreStep, createServeStoreStep } from '../../editor/nextSteps.ts';
import { withProgress, type NotificationAction } from '../../editor/notifications.ts';
import { chooseOne, createSingleStep, pickOne, type InputResult } from '../../editor/quickInput.ts';
import type { Settings } from '../../editor/settings.ts';
import { countStoreFiles, listRemotes, listStoreFolders } from '../../localService/rclone.ts';
import { getDialogTitle } from '../../words/commandTitles.ts';
import { describeError, toPlainLine } from '../../words/plainText.ts';
import { describeStoreContent } from '../../words/serviceNames.ts';
import type { CommandServices } from '../services.ts';
import { isLocalConnectionActive, refreshLocalDatabases } from './connectionOpener.ts';
import { serveLocation } from './serveFolder.ts';

/** A folder in a store, and the names of its subfolders. */
interface StoreFolder {
  readonly remote: string;
  readonly folders: readonly string[];
}

/** Opens a terminal in which rclone prompts for the settings of a new remote. */
export async function addStore({ settings }: CommandServices): Promise<void> {
  const program = await requireRclone(settings);
  window.createTerminal({ name: 'rclone', shellPath: program, shellArgs: ['config'] }).show();
}

/** Serves a store's folder as a database (D62: stores through rclone). Asks for remote, folder and name. */
export async function serveStore(services: CommandServices): Promise<void> {
  const program = await requireRclone(services.settings);
  const found = await askStoreFolder(program);
  if (!found) return;
  const count = await runWithProgress(found.remote, (signal) =>
    countStoreFiles(program, found.remote, maxCounted, signal),
  );
  if (count === undefined) return;
  const content = describeStoreContent(found.folders.length, count, maxCounted);
  const prompt = l10n.t('Database name for {0} ({1})', toPlainLine(found.remote), content);
  await serveLocation(
    services,
    { name: suggestName(found.remote), remote: found.remote },
    { title: getTitle(), prompt },
  );
}

/** Maximum number of files to count at the top level of a store before its first scan. */
const maxCounted = 1_000;

function getTitle(): string {
  return getDialogTitle('dataTransfer.serveStore');
}

function suggestName(remote: string): string {
  const path = remote.slice(remote.indexOf(':') + 1);
  return path.split('/').findLast((part) => part !== '') ?? getRemoteName(remote);
}

/** Asks for a remote and a folder in it. Resolves to undefined if the user cancels. */
async function askStoreFolder(program: string): Promise<StoreFolder | undefined> {
  for (;;) {
    const remote = await askRemote(program);
    if (remote === undefined) return undefined;
    const folder = await browse(program, remote);
    if (folder === 'cancel') return undefined;
    if (folder !== 'back') return folder.value;
  }
}

async function askRemote(program: string): Promise<string | undefined> {
  const remotes = await findRemotes(program);
  if (remotes.length === 0) throw new CommandHint(l10n.t('rclone has no stores configured yet.'), createAddStoreStep());
  return await chooseOne(getTitle(), {
    placeholder: l10n.t('Select a store from your rclone configuration'),
    choices: remotes.map(({ remote, type }) => ({ label: toPlainLine(remote), description: type, value: remote })),
  });
}

async function findRemotes(program: string): ReturnType<typeof listRemotes> {
  try {
    return await listRemotes(program);
  } catch (error) {
    throw new CommandFailure(
      l10n.t('Could not list the stores in your rclone configuration: {0}', describeError(error)),
      createAddStoreStep(),
    );
  }
}

/** Lets the user browse a remote one level at a time, also back, and choose a folder. */
async function browse(program: string, start: string): Promise<InputResult<StoreFolder>> {
  const visited = [start];
  for (;;) {
    const remote = visited.at(-1) ?? start;
    const folders = await runWithProgress(remote, (signal) => listStoreFolders(program, remote, signal));
    if (!folders) return 'cancel';
    const answer = await askFolder({ remote, folders });
    if (answer === 'cancel' || (answer === 'back' && visited.length === 1)) return answer;
    if (answer === 'back') visited.pop();
    else if (answer.value === '') return { value: { remote, folders } };
    else visited.push(joinRemotePath(remote, answer.value));
  }
}

/** Asks for a subfolder to open. Resolves to its name; to an empty string for the current folder. */
async function askFolder({ remote, folders }: StoreFolder): Promise<InputResult<string>> {
  const shown = toPlainLine(remote);
  return await pickOne(
    { ...createSingleStep(getTitle()), canGoBack: true },
    {
      placeholder: l10n.t('Open a folder, or serve {0}', shown),
      choices: [
        { label: l10n.t('Serve {0}', shown), value: '' },
        ...folders.map((name) => ({ label: toPlainLine(name), description: l10n.t('folder'), value: name })),
      ],
    },
  );
}

/**
 * Runs an operation with a cancelable progress notification. Resolves to undefined if the user cancels. Throws a {@link
 * CommandFailure} if the operation fails.
 */
async function runWithProgress<T>(remote: string, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
  const name = toPlainLine(remote);
  return await withProgress(l10n.t('Connecting to {0}', name), async (signal) => {
    try {
      return await work(signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      throw new CommandFailure(l10n.t('Could not list {0} ({1})', name, describeError(error)), createAddStoreStep());
    }
  });
}

const installationGuide = 'https://rclone.org/install/';

/** Returns the path of a usable rclone, or throws a {@link CommandFailure} that offers an installation guide. */
async function requireRclone({ rclonePath }: Settings): Promise<string> {
  const path = findRclonePath(rclonePath);
  setRcloneMissing(path === undefined);
  if (path === undefined) throw new CommandHint(describeMissingRclone(rclonePath), ...createRcloneSteps());
  const version = await readRcloneVersion(path);
  if (version !== undefined && !isRcloneTooOld(version)) return path;
  throw new CommandFailure(describeUnusableRclone(path, version), ...createRcloneSteps());
}

function describeUnusableRclone(path: string, version: string | undefined): string {
  if (version === undefined) return l10n.t("{0} can't be run or isn't rclone.", toPlainLine(path));
  return l10n.t('rclone {0} is too old. Install version {1} or later.', version, oldestRclone);
}

function describeMissingRclone(configured: string | undefined): string {
  const setting = 'dataTransfer.rclone.path';
  if (configured !== undefined)
    return l10n.t("rclone wasn't found at {0}. Check the {1} setting.", toPlainLine(configured), setting);
  const missing = l10n.t("Stores need rclone, which wasn't found.");
  return [missing, describeInstallation[process.platform]?.()].filter(Boolean).join(' ');
}

const describeInstallation: Readonly<Partial<Record<NodeJS.Platform, () => string>>> = {
  darwin: () => l10n.t('Install it, for example with: brew install rclone'),
  linux: () => l10n.t('Install it, for example with: sudo apt install rclone'),
  win32: () => l10n.t('Install it, for example with: winget install Rclone.Rclone'),
};

function createRcloneSteps(): NotificationAction[] {
  return [
    {
      label: l10n.t('Installation Guide'),
      run: () => env.openExternal(Uri.parse(installationGuide)),
    },
    {
      label: l10n.t('Set Path'),
      run: () => commands.executeCommand('workbench.action.openSettings', 'dataTransfer.rclone.path'),
    },
  ];
}

/** Rescans a store on request, because stores don't report changes (D62: stores through rclone). */
export async function scanStore(services: CommandServices, node: DatabaseNode | undefined): Promise<void> {
  const stores = findStores(services);
  const store = node ? stores.find(({ name }) => name === node.name) : await askStore(stores);
  if (!store) return;
  try {
    await services.localService.scan(store.id);
  } catch (error) {
    throw new CommandFailure(l10n.t('Could not scan {0}: {1}', toPlainLine(store.name), describeError(error)));
  }
  await refreshLocalDatabases(services);
}

function findStores(services: CommandServices): readonly Database[] {
  if (!isLocalConnectionActive(services)) return [];
  return services.connectionStore.listing.databases.filter(isStore);
}

async function askStore(stores: readonly Database[]): Promise<Database | undefined> {
  if (stores.length === 0)
    throw new CommandHint(
      l10n.t(
        "No stores to scan. Only the local service's stores can be scanned, and only while it's the active connection.",
      ),
      createServeStoreStep(),
    );
  return await chooseOne(l10n.t('Scan a Store Again'), {
    placeholder: l10n.t('Select the store to scan again'),
    choices: stores.map((value) => ({ label: toPlainLine(value.name), value })),
  });
}

const intervalMs = 2_000;

/**
 * Reloads the list of databases repeatedly while the active connection's local service, which may be one that somebody
 * started, scans a store, or a folder that can't be searched yet, because only the list reports the progress.
 */
export function watchStoreScans(services: CommandServices, clock: Clock): Disposable {
  const lifetime = new Lifetime();
  let timer: Disposable | undefined;
  const refresh = (): void => {
    timer = undefined;
    if (isLocalService()) void services.connectFlow.refreshDatabases();
  };
  const isLocalService = (): boolean => services.sessions.active?.service.hasFullPages === true;
  const update = (): void => {
    const { databases, isLoading } = services.connectionStore.listing;
    const isScanning = isLocalService() && databases.some(({ listing }) => listing?.state === 'scanning');
    if (isScanning && !isLoading) timer ??= clock.after(intervalMs, refresh);
  };
  lifetime.track(services.connectionStore.onDidChange(update));
  lifetime.track({ dispose: () => timer?.dispose() });
  return lifetime;
}
