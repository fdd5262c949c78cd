import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEditor, type Editor } from '../../test/support/editor/editor.ts';
import { localServiceOf } from '../../test/support/editor/localServices.ts';
import { repositoryRoot } from '../../test/support/editor/places.ts';
import { until } from '../../test/support/editor/until.ts';
import type { TreeView } from '../../test/support/editor/treeView.ts';
import type { EditorWindow } from '../../test/support/editor/window.ts';
import { cameraSettings, type Camera } from './camera.ts';
import { HandClock } from './handClock.ts';
import { PictureService } from './pictureService.ts';

/** How a stage is set. */
export interface StageOptions {
  /** Services that are saved before the window opens; their key stands in a variable. */
  readonly connections?: readonly string[];
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly asksForTrust?: boolean;
}

const orcid = '0000-0002-1825-0097';

/** A window of the real editor with a service and a clock: where states are brought about. */
export class Stage {
  readonly service: PictureService;
  readonly clock: HandClock;
  readonly window: EditorWindow;
  readonly #editor: Editor;
  readonly #folder: string;

  private constructor(parts: Pick<Stage, 'service' | 'clock' | 'window'>, editor: Editor, folder: string) {
    this.service = parts.service;
    this.clock = parts.clock;
    this.window = parts.window;
    this.#editor = editor;
    this.#folder = folder;
  }

  /** Opens a window with the container of the extension; whoever opens it closes it. */
  static async open(
    camera: Camera,
    { connections = [], settings = {}, asksForTrust = false }: StageOptions,
  ): Promise<Stage> {
    const folder = await mkdtemp(join(tmpdir(), 'pictures-'));
    const clock = new HandClock(folder);
    const service = await PictureService.start();
    const editor = await startEditor({
      extensionPath: repositoryRoot,
      companions: [clock.extensionPath],
      environment: { ...clock.environment, PICTURE_KEY: 'the key of the pictures' },
      workspace: await makeWorkspace(folder),
      settings: { ...cameraSettings, ...settings },
      asksForTrust,
    });
    try {
      if (connections.length > 0) await saveConnections(editor, connections, service.http.address);
      const window = await editor.openWindow({ prepare: (page) => camera.prepare(page) });
      await window.openContainer('Data Transfer');
      return new Stage({ service, clock, window }, editor, folder);
    } catch (error) {
      await Promise.all([editor.close(), service.http.stop()]);
      throw error;
    }
  }

  get databases(): TreeView {
    return this.window.tree('Databases');
  }

  get results(): TreeView {
    return this.window.tree('Search Results');
  }

  get transfers(): TreeView {
    return this.window.tree('Transfers');
  }

  /** Drags the edge of the side bar until little room is left in it. */
  async narrow(): Promise<void> {
    const { page } = this.window;
    const bar = page.locator('.part.sidebar');
    const width = async (): Promise<number> => (await bar.boundingBox())?.width ?? 0;
    const before = await width();
    const edge = ((await bar.boundingBox())?.x ?? 0) + before + 2;
    await page.mouse.move(edge, 400);
    await page.mouse.down();
    await page.mouse.move(edge - 110, 400, { steps: 4 });
    await page.mouse.up();
    await until('the side bar to be narrow', async () => ((await width()) < before - 60 ? true : undefined));
  }

  /** Stops the local service as another window would. */
  async stopLocalService(): Promise<void> {
    const service = await localServiceOf(this.#editor.dataFolder);
    if (!service) throw new Error('No local service runs.');
    const headers = { authorization: `Bearer ${service.sharingToken}` };
    const { ok } = await fetch(new URL('/service', service.address), { method: 'DELETE', headers });
    if (!ok) throw new Error('The local service does not stop.');
  }

  async close(): Promise<void> {
    await this.#editor.close();
    await this.service.http.stop();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** These settings belong to the machine on which the extensions run. */
async function saveConnections({ dataFolder }: Editor, names: readonly string[], server: string): Promise<void> {
  const folder = join(dataFolder, 'data', 'Machine');
  const id = (name: string): string => name.toLowerCase().replaceAll(' ', '-');
  const connections = names.map((name) => ({ id: id(name), name, server, apiKeyVariable: 'PICTURE_KEY' }));
  const settings = { 'dataTransfer.connections': connections, 'dataTransfer.orcid': orcid };
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'settings.json'), JSON.stringify(settings));
}

async function makeWorkspace(folder: string): Promise<string> {
  const workspace = join(folder, 'Research');
  await mkdir(workspace);
  await writeFile(join(workspace, 'assembly.json'), '{\n  "type": "assembly",\n  "priority": "low"\n}\n');
  await writeFile(join(workspace, 'broken.json'), '{\n  "type": assembly\n}\n');
  await writeFile(join(workspace, 'ids.csv'), 'sample,file\n1,OBS:run-0001.fits\n2,OBS:run-0002.fits\n');
  return workspace;
}
