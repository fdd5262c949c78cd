import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { systemClock, wait } from '../../../src/core/util/clock.ts';
import { builtProgram, startLocalService, type StartedService } from '../localService.ts';
import { brokenPath, soakFiles, windowCount } from './soakPlan.ts';
import { SoakWindow } from './soakWindow.ts';

const bytesPerSecond = 600_000;

/**
 * The environment of a soak test: folders, the built service that serves them, and windows that share a ledger. The
 * service and the windows can be killed.
 */
export class SoakEnvironment {
  readonly kills = { service: 0, window: 0 };
  private readonly root: string;
  private readonly windows: SoakWindow[] = [];
  private service: StartedService | undefined;

  private constructor(root: string) {
    this.root = root;
  }

  static async create(): Promise<SoakEnvironment> {
    const environment = new SoakEnvironment(await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-soak-')));
    await environment.makeFiles();
    await environment.startService(true);
    for (let place = 0; place < windowCount; place++) await environment.startWindow(place);
    return environment;
  }

  get ledgerFolder(): string {
    return nodePath.join(this.root, 'transfers');
  }

  get dataFolder(): string {
    return nodePath.join(this.root, 'data');
  }

  get target(): string {
    return nodePath.join(this.root, 'target');
  }

  /** Returns the window with the given index, even if it was killed and hasn't been replaced yet. */
  window(place: number): SoakWindow {
    const window = this.windows[place];
    if (!window) throw new Error(`There is no window ${String(place)}`);
    return window;
  }

  allWindows(): readonly SoakWindow[] {
    return this.windows;
  }

  /** Kills the service and restarts it after `pauseMs` milliseconds. */
  async killService(pauseMs: number): Promise<void> {
    this.kills.service += 1;
    await this.service?.kill();
    this.service = undefined;
    await wait(systemClock, pauseMs);
    await this.startService(true);
  }

  /** Kills a window and replaces it after `pauseMs` milliseconds. */
  async killWindow(place: number, pauseMs: number): Promise<void> {
    this.kills.window += 1;
    await this.window(place).kill();
    await wait(systemClock, pauseMs);
    await this.startWindow(place);
  }

  /**
   * Starts the service, throttled if `isSlow`, and sends its address to all windows. The extension's real windows, by
   * contrast, find the address on their own.
   */
  async startService(isSlow: boolean): Promise<void> {
    const { dataFolder, target } = this;
    const databases = [
      { name: 'Source', folder: nodePath.join(this.root, 'source') },
      { name: 'Target', folder: target },
    ];
    const config = { databases, dataFolder, ...(isSlow && { throttleBytesPerSecond: bytesPerSecond }) };
    this.service = await startLocalService(config, { program: builtProgram });
    for (const window of this.windows) await this.sendAddress(window, !isSlow);
  }

  async stopService(): Promise<void> {
    await this.service?.stop();
    this.service = undefined;
  }

  async end(): Promise<void> {
    for (const window of this.windows) await window.kill();
    await this.stopService();
    await fs.rm(this.root, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  }

  private async startWindow(place: number): Promise<void> {
    const window = await SoakWindow.start(this.ledgerFolder);
    this.windows[place] = window;
    await this.sendAddress(window, false);
  }

  private async sendAddress(window: SoakWindow, isAwaited: boolean): Promise<void> {
    const { service } = this;
    if (!service) return;
    const command = { kind: 'serve', address: service.address, token: service.token } as const;
    await (isAwaited ? window.run(command) : window.send(command));
  }

  private async makeFiles(): Promise<void> {
    const source = nodePath.join(this.root, 'source');
    await fs.mkdir(this.target, { recursive: true });
    for (const [path, content] of soakFiles()) {
      await fs.mkdir(nodePath.join(source, nodePath.dirname(path)), { recursive: true });
      await fs.writeFile(nodePath.join(source, path), content);
    }
    const hash = createHash('sha256').update('something else').digest('hex');
    const resources = [{ name: 'broken', path: brokenPath, hash: `sha256:${hash}` }];
    await fs.writeFile(nodePath.join(source, 'datapackage.json'), JSON.stringify({ name: 'source', resources }));
  }
}
