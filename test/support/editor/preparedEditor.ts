import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type EditorServer, startServer } from './editorServer.ts';
import { endLocalServices } from './localServices.ts';
import { readPlaces } from './places.ts';
import { type ThemeName, quietSettings, themeSettings } from './settings.ts';

/** Options of an editor, which either runs one extension under development or has extensions installed. */
export interface EditorOptions {
  readonly extensionPath?: string;
  /** A folder of installed extensions, which several editors may share. */
  readonly extensions?: string;
  /**
   * Opens windows as extension development hosts, in which extension tests can run. Such windows, unlike those of
   * users, show no notifications. If false, the extension at `extensionPath` is installed instead.
   */
  readonly isDevelopmentHost?: boolean;
  /** Folders of additional extensions to install. */
  readonly companions?: readonly string[];
  /** Names of the built-in extensions to include; all of them by default. */
  readonly builtIns?: readonly string[];
  /** Makes windows ask whether to trust the workspace. They start in Restricted Mode. */
  readonly asksForTrust?: boolean;
  /** The folder that windows open; defaults to a new, empty one. */
  readonly workspace?: string;
  /** User settings; they take precedence over {@link quietSettings} and the settings of the theme. */
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly theme?: ThemeName;
  /** Settings with the scope `machine`, which the editor reads from a separate file. */
  readonly machineSettings?: Readonly<Record<string, unknown>>;
  /** Environment variables for the extension host. */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * Milliseconds by which every write to the browser's IndexedDB, where the editor stores its state, is delayed, as on
   * a slow disk.
   */
  readonly storageDelayMs?: number;
  /** Shows the windows in a full browser, for tests in which the focus moves between windows. */
  readonly needsFullBrowser?: boolean;
}

/** The environment variable, set in the editors of all journeys, that contains the API key of the saved connection. */
export const journeyKey = { variable: 'JOURNEY_KEY', value: 'the-key' };

/** The folders of a server; `root` contains the other two. */
export interface EditorFolder {
  readonly root: string;
  readonly data: string;
  readonly workspace: string;
}

/** A running server. Any browser can open it, including the user's own. */
export interface PreparedEditor {
  readonly server: EditorServer;
  readonly folder: EditorFolder;
  /** Stops the server and removes its data. */
  close(): Promise<void>;
}

/** Starts a server without a browser, with a new data folder and on a free port. */
export async function prepareEditor(options: EditorOptions = {}): Promise<PreparedEditor> {
  const folder = await makeFolder(options);
  const { isDevelopmentHost = false, asksForTrust = false, environment = {}, extensions } = options;
  const builtIns = options.builtIns && (await linkBuiltIns(options.builtIns, join(folder.root, 'built-in')));
  const installed = isDevelopmentHost ? undefined : options.extensionPath;
  for (const path of [installed, ...(options.companions ?? [])])
    if (path !== undefined) await linkExtension(path, folder.data);
  const dataFolder = folder.data;
  const server = await startServer({ dataFolder, environment, extensions, builtIns, isDevelopmentHost, asksForTrust });
  const close = async (): Promise<void> => {
    await server.close();
    await endLocalServices(folder.data);
    await rm(folder.root, { recursive: true, force: true, maxRetries: 5 });
  };
  return { server, folder, close };
}

/** Creates a folder with links to a selection of the built-in extensions and returns its path. */
async function linkBuiltIns(names: readonly string[], folder: string): Promise<string> {
  await mkdir(folder);
  for (const name of names)
    await symlink(join(readPlaces().server, 'extensions', name), join(folder, name), 'junction');
  return folder;
}

/** Links an extension into the folder of installed extensions, under the name that an installation would use. */
async function linkExtension(extensionPath: string, dataFolder: string): Promise<void> {
  const text = await readFile(join(extensionPath, 'package.json'), 'utf8');
  const { publisher, name, version } = JSON.parse(text) as Record<'publisher' | 'name' | 'version', string>;
  const extensions = join(dataFolder, 'extensions');
  await mkdir(extensions, { recursive: true });
  await symlink(extensionPath, join(extensions, `${publisher}.${name}-${version}`), 'junction');
}

async function makeFolder(options: EditorOptions): Promise<EditorFolder> {
  const root = await mkdtemp(join(tmpdir(), 'data-transfer-editor-'));
  const folder = { root, data: join(root, 'server'), workspace: join(root, 'workspace') };
  await fillFolder(folder, options);
  return folder;
}

/** Creates an empty workspace and writes the settings for an editor. */
export async function fillFolder({ data, workspace }: EditorFolder, options: EditorOptions): Promise<void> {
  await mkdir(workspace);
  await mkdir(join(data, 'data', 'User'), { recursive: true });
  const settings = { ...quietSettings, ...themeSettings(options.theme ?? 'light'), ...options.settings };
  await writeFile(settingsFile(data), JSON.stringify(settings, undefined, 2));
  if (options.machineSettings) {
    await mkdir(dirname(machineSettingsFile(data)), { recursive: true });
    await writeFile(machineSettingsFile(data), JSON.stringify(options.machineSettings));
  }
}

/** Returns the path of the file with the machine settings, such as the ORCID iD, in a server's data folder. */
export function machineSettingsFile(dataFolder: string): string {
  return join(dataFolder, 'data', 'Machine', 'settings.json');
}

/** Returns the path of the file with the user settings in a server's data folder. */
export function settingsFile(dataFolder: string): string {
  return join(dataFolder, 'data', 'User', 'settings.json');
}
