import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EditorWindow } from './editor/window.ts';

/** The inputs of the main workflow: a window, a service with the demo's databases, and the destination folder. */
export interface MainJobOptions {
  readonly window: EditorWindow;
  readonly address: string;
  readonly token: string;
  /** The folder that the service serves as `My Data`. */
  readonly destinationFolder: string;
  /** Called before each step with its description. */
  onStep?(step: string): void;
}

/** The results of the main workflow. */
export interface MainJobResult {
  readonly databases: number;
  readonly found: number;
  readonly transferred: number;
  readonly verified: number;
  readonly cancelled: boolean;
}

const orcid = '0000-0002-1825-0097';
const fileNames = ['seattle-weather.csv', 'weather.csv', 'weekly-weather.json'];

/**
 * Connects, lists, searches, views metadata, transfers, waits for success, and cancels a second transfer, as a user
 * would.
 */
export async function runMainJob(options: MainJobOptions): Promise<MainJobResult> {
  const job = new MainJob(options);
  const databases = await job.connect();
  const found = await job.search();
  await job.viewMetadata();
  const transferred = await job.transfer();
  const verified = await job.verify();
  const cancelled = await job.cancelAnother();
  return { databases, found, transferred, verified, cancelled };
}

class MainJob {
  private readonly options: MainJobOptions;
  private readonly window: EditorWindow;

  constructor(options: MainJobOptions) {
    this.options = options;
    this.window = options.window;
  }

  async connect(): Promise<number> {
    const { window, options } = this;
    this.reportStep('Connecting to the service');
    await window.openContainer('Data Transfer');
    await window.command('Data Transfer: Connect to a Service…');
    await window.quickInput.input(options.address, /1\/3/);
    await window.quickInput.input(options.token, /2\/3/);
    await window.quickInput.input(orcid, /3\/3/);
    const tree = window.tree('Databases');
    await tree.waitFor('the databases', (rows) => rows.some(({ label }) => label === 'My Data'));
    return (await tree.rows()).filter(({ icon }) => icon === 'database').length;
  }

  async search(): Promise<number> {
    this.reportStep('Searching Vega Datasets for weather');
    const found = await this.find('weather');
    for (const name of fileNames) await (await this.results.row(name)).toggleCheck();
    return found;
  }

  async viewMetadata(): Promise<void> {
    this.reportStep('Viewing the metadata of a file');
    await (await this.results.row('seattle-weather.csv')).click();
    const page = await this.window.pageFrame('seattle-weather.csv');
    await page.getByRole('table').getByText('temp_max').first().waitFor();
    await page.getByText('text/csv').first().waitFor();
  }

  async transfer(): Promise<number> {
    this.reportStep(`Transferring ${fileNames.length} files to My Data`);
    await this.submitChecked(fileNames.length);
    const tree = this.window.tree('Transfers');
    await tree.waitFor('the transfer to finish', (rows) => rows.some(({ label }) => label === 'Finished'), 60_000);
    await (await tree.row('Finished')).expand();
    await tree.waitFor('success', (rows) =>
      rows.some(({ spoken }) => spoken.startsWith(`→ My Data, succeeded, ${fileNames.length} files`)),
    );
    await this.window.statusBar(/All transfers finished/);
    await (await tree.row('→ My Data')).click();
    const page = await this.window.pageFrame(/My Data/);
    await page.getByText('Succeeded').first().waitFor();
    return fileNames.length;
  }

  /**
   * Compares the hashes of the transferred files with those in their manifest; resolves to the number of files. Throws
   * if a file is missing or differs.
   */
  async verify(): Promise<number> {
    this.reportStep('Verifying the files that arrived');
    const { destinationFolder } = this.options;
    const folders = (await readdir(destinationFolder)).filter((name) => name.startsWith('dts-'));
    if (folders.length !== 1) throw new Error(`One transfer should have arrived, not ${folders.length}.`);
    const folder = join(destinationFolder, folders[0] ?? '');
    const manifest = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as Manifest;
    const arrived = await Promise.all(
      manifest.resources.map(async ({ path, hash }) => {
        const content = await readFile(join(folder, path));
        const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
        if (digest !== hash) throw new Error(`${path} did not arrive whole: ${digest} instead of ${hash}.`);
        return path;
      }),
    );
    const missing = fileNames.filter((name) => !arrived.some((path) => path.endsWith(name)));
    if (missing.length > 0) throw new Error(`Not in the manifest: ${missing.join(', ')}.`);
    return arrived.length;
  }

  async cancelAnother(): Promise<boolean> {
    this.reportStep('Starting a large transfer and canceling it');
    await this.find('flights-3m');
    await (await this.results.row('flights-3m.parquet')).toggleCheck();
    await this.submitChecked(1);
    await this.window.statusBar(/1 transfer ·/);
    const tree = this.window.tree('Transfers');
    const row = await tree.row(/→ My Data$/);
    await tree.waitFor('movement', (rows) => rows.some(({ spoken }) => spoken.includes('→ My Data, active, 1 file')));
    await row.action('Cancel Transfer');
    await this.window.notifications.answer('Cancel Transfer');
    await tree.waitFor('the end', (rows) => rows.some(({ spoken }) => spoken.includes('→ My Data, canceled, 1 file')));
    return true;
  }

  private get results(): ReturnType<EditorWindow['tree']> {
    return this.window.tree('Search Results');
  }

  /** Searches Vega Datasets and waits for results; resolves to the number of files found. */
  private async find(words: string): Promise<number> {
    const { window, results } = this;
    await window.command('Data Transfer: Search Files…');
    await window.quickInput.pick('Vega Datasets');
    await window.quickInput.input(words, /leave empty to list all files/);
    const isIt = ({ label, description }: { label: string; description: string }): boolean =>
      label === `“${words}”` && /^\d+\+? ·/.test(description);
    await results.waitFor('results', (rows) => rows.some(isIt));
    const row = (await results.rows()).find(isIt);
    return Number(/^(\d+)/.exec(row?.description ?? '')?.[1] ?? 0);
  }

  private async submitChecked(count: number): Promise<void> {
    const { window } = this;
    await window.command('Data Transfer: Transfer Checked Files…');
    await window.quickInput.pick('My Data', /1\/2/);
    await window.quickInput.pick('Description…', /2\/2/);
    await window.quickInput.input('Weather for a **first look**', 'Purpose of this transfer');
    await window.quickInput.pick('Continue', /2\/2/);
    const { message } = await window.notifications.dialog();
    if (!message.startsWith(`Transfer ${count} file`)) throw new Error(`The summary asks: ${message}`);
    await window.notifications.answer('Transfer');
  }

  private reportStep(step: string): void {
    this.options.onStep?.(step);
  }
}

interface Manifest {
  readonly resources: readonly { readonly path: string; readonly hash: string }[];
}
