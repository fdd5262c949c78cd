import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEditor, type Editor } from '../../test/support/editor/editor.ts';
import { repositoryRoot } from '../../test/support/editor/places.ts';
import { journeyKey } from '../../test/support/editor/preparedEditor.ts';
import type { EditorWindow } from '../../test/support/editor/window.ts';
import { writeStudy } from '../../test/support/studyFolder.ts';
import { createPng } from '../../test/support/tinyImages.ts';
import { cameraSettings, prepare, restPointer } from './camera.ts';
import { SteppedClock } from './steppedClock.ts';
import { startScreenshotService, toId, type ScreenshotService } from './screenshotService.ts';

/** Selector for the status bar item that is shown while extensions are being activated. */
const activationProgress = '.statusbar-item[id="status.progress"]';

/** Options for opening a stage. */
export interface SceneOptions {
  /** Names of the saved connections. If there is only one, it is opened. */
  readonly connections: readonly string[];
  readonly asksForTrust: boolean;
  /** The display language, if it isn't English. */
  readonly language: 'fr' | undefined;
}

/** A window of the real editor, together with a service and a clock. */
export interface Stage {
  readonly editor: Editor;
  readonly window: EditorWindow;
  readonly service: ScreenshotService;
  readonly clock: SteppedClock;
  /**
   * Hovers over an element with a tooltip. Called again after each theme change, because a change hides the tooltip.
   */
  hover: (() => Promise<unknown>) | undefined;
  close(): Promise<void>;
}

/** Opens a window that shows the extension's views. The caller must close the stage. */
export async function openStage({ connections, asksForTrust, language }: SceneOptions): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), 'screenshots-'));
  const clock = new SteppedClock(folder);
  const service = await startScreenshotService();
  const editor = await startEditor({
    extensionPath: repositoryRoot,
    needsFullBrowser: true,
    companions: [clock.extensionPath],
    environment: { ...clock.environment, [journeyKey.variable]: journeyKey.value },
    workspace: await makeWorkspace(folder),
    settings: cameraSettings,
    machineSettings: saveConnections(connections, service.http.address),
    asksForTrust,
  });
  const close = async (): Promise<void> => {
    await editor.close();
    await service.http.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    const window = await editor.openWindow({ prepare, ...(language && { language }) });
    await window.openContainer(language ? 'Transfert de données' : 'Data Transfer');
    await restPointer(window.page);
    await window.page.locator(activationProgress).waitFor({ state: 'detached' });
    if (connections.length === 1) await window.tree('Databases').see('Vega Datasets');
    return { editor, window, service, clock, hover: undefined, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function saveConnections(names: readonly string[], server: string): Readonly<Record<string, unknown>> {
  if (names.length === 0) return {};
  const connections = names.map((name) => ({ id: toId(name), name, server, apiKeyVariable: journeyKey.variable }));
  return { 'dataTransfer.connections': connections, 'dataTransfer.orcid': '0000-0002-1825-0097' };
}

async function makeWorkspace(folder: string): Promise<string> {
  const workspace = join(folder, 'Research');
  await mkdir(workspace);
  await writeFile(join(workspace, 'assembly.json'), '{\n  "type": "assembly",\n  "priority": "low"\n}\n');
  await writeFile(join(workspace, 'broken.json'), '{\n  "type": assembly\n}\n');
  await writeFile(join(workspace, 'ids.csv'), 'sample,file\n1,OBS:run-0001.fits\n2,OBS:run-0002.fits\n');
  await writeFile(join(workspace, 'temperature.png'), createPlot(640, 400));
  await writeStudy(workspace);
  return workspace;
}

/** Creates a plot as programs save it: black axes and a colored curve on a transparent ground. */
function createPlot(width: number, height: number): Buffer {
  const curve = (x: number): number => height / 2 - Math.sin(x / 60) * (height / 3);
  return createPng(width, height, { width, height }, (x, y) => {
    if (Math.abs(x - 40) < 2 || Math.abs(y - (height - 40)) < 2) return 0x000000ff;
    return x > 40 && Math.abs(y - curve(x)) < 4 ? 0x1f77b4ff : 0;
  });
}
