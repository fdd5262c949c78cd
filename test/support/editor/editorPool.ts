import { takeFailedSetup } from '../failedSetups.ts';
import { atEndOfTests } from '../mochaHooks.ts';
import { ensureInstalled } from '../prepared.ts';
import { isDeep } from '../testSize.ts';
import { Editor, runningEditors, startEditor } from './editor.ts';
import { saveFailureArtifacts } from './failureArtifacts.ts';
import { findInstalled, installedExtensions, installPacked } from './installed.ts';
import { type EditorOptions, journeyKey } from './preparedEditor.ts';
import { RunningEditor } from './runningEditor.ts';

/** The built-in extensions that the journeys need. Others would slow down every window. */
const fewBuiltIns = ['theme-defaults', 'json', 'markdown-basics', 'markdown-language-features'];

/** A running server and browser that no test is using, and the options that they were started with, as JSON. */
interface IdleEditor {
  readonly start: string;
  readonly running: RunningEditor;
}

let idle: IdleEditor | undefined;

/** Editor options that a journey can choose. */
export type JourneyOptions = Pick<
  EditorOptions,
  | 'workspace'
  | 'settings'
  | 'theme'
  | 'machineSettings'
  | 'environment'
  | 'storageDelayMs'
  | 'needsFullBrowser'
  | 'asksForTrust'
>;

/**
 * Opens an editor with the packed extension installed and empty storage. After the editor is closed, its server and
 * browser are reused, unless a test has failed in it.
 */
export async function openEditor(options: JourneyOptions = {}): Promise<Editor> {
  ensureInstalled(installPacked);
  const environment = { [journeyKey.variable]: journeyKey.value, ...options.environment };
  const { needsFullBrowser, asksForTrust } = options;
  const start = JSON.stringify({ environment, needsFullBrowser, asksForTrust });
  const running = await takeIdle(start, options);
  const builtIns = isDeep ? {} : { builtIns: fewBuiltIns };
  const chosen = { ...options, ...builtIns, environment, extensions: installedExtensions };
  const used = running ?? (await RunningEditor.start(chosen));
  return new Editor(used, options, async (editor) => {
    if (idle || editor.isSuspect || !(await isCleared(used))) await used.close();
    else idle = { start, running: used };
  });
}

/**
 * Opens an editor with the packed extension and additional ones (paths of folders). The editor isn't shared with other
 * tests.
 */
export async function openEditorWith(companions: readonly string[], options: JourneyOptions = {}): Promise<Editor> {
  ensureInstalled(installPacked);
  const environment = { [journeyKey.variable]: journeyKey.value, ...options.environment };
  const extensionPath = findInstalled();
  return await startEditor({ ...options, builtIns: fewBuiltIns, environment, extensionPath, companions });
}

/**
 * Closes the editors that a test has opened, if any. If the setup of the test failed, saves their screenshots and logs
 * first.
 */
export async function closeEditors(): Promise<void> {
  const failedSetup = takeFailedSetup();
  try {
    if (failedSetup !== undefined) await saveFailureArtifacts(failedSetup);
  } finally {
    for (const editor of runningEditors()) await editor.close();
  }
}

atEndOfTests(closeIdleEditor);

async function closeIdleEditor(): Promise<void> {
  const last = idle;
  idle = undefined;
  await last?.running.close();
}

async function takeIdle(start: string, options: EditorOptions): Promise<RunningEditor | undefined> {
  if (idle?.start !== start) await closeIdleEditor();
  const running = idle?.running;
  idle = undefined;
  await running?.prepareFor(options);
  return running;
}

async function isCleared(running: RunningEditor): Promise<boolean> {
  try {
    await running.clear();
    return true;
  } catch (error) {
    console.log(`An editor is not used again: ${String(error)}`);
    return false;
  }
}
