import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/core/util/clock.ts';
import { CliProcess } from '../support/cliProcess.ts';
import { eventually } from '../support/eventually.ts';
import { chooseBehavior, empty, json } from '../support/faultBehaviors.ts';
import { SoakWindow } from '../support/soak/soakWindow.ts';
import { TruthfulServer } from '../support/truthfulServer.ts';

interface ShownTransfer {
  readonly id?: string;
  readonly state: string;
}

describe('Two windows, the command line and a recipe on one ledger (D63)', () => {
  let server: TruthfulServer;
  let folder: string;
  let ledger: string;
  let recipe: string;
  let windows: SoakWindow[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ledger-shared-'));
    [ledger, recipe] = [join(folder, 'ledger'), join(folder, 'reads.transfer.json')];
    server = await TruthfulServer.start(systemClock);
    server.http.on('GET /api/v1/files/by-id', empty(405));
    server.http.on(
      'POST /api/v1/files/by-id',
      chooseBehavior(({ body }) => {
        const { file_ids: ids } = JSON.parse(body) as { readonly file_ids: readonly string[] };
        return json({ resources: ids.map((id) => ({ id, name: id, path: id, bytes: 1 })) });
      }),
    );
    const entry = { id: 'c', name: 'Test', server: server.http.address, apiKeyVariable: 'THE_KEY' };
    const connections = { orcid: '0000-0002-1825-0097', connections: [entry] };
    await writeFile(join(folder, 'connections.json'), JSON.stringify(connections));
    const from = { database: 'Alpha', ids: ['from-recipe'] };
    await writeFile(recipe, JSON.stringify({ from, to: { database: 'Beta' } }));
    windows = [await openWindow(), await openWindow()];
  });
  afterEach(async () => {
    for (const window of windows) await window.kill();
    await server.http.stop();
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  });

  async function openWindow(): Promise<SoakWindow> {
    const window = await SoakWindow.start(ledger);
    await window.run({ kind: 'serve', address: server.http.address, token: server.key });
    return window;
  }

  function start(...args: readonly string[]): CliProcess {
    const variables = { DATA_TRANSFER_LEDGER: ledger, DATA_TRANSFER_CONNECTIONS: join(folder, 'connections.json') };
    return new CliProcess(args, { environment: { ...variables, THE_KEY: server.key } });
  }

  /** Waits until a list shows every transfer on the server in the given state. */
  async function waitForAll(list: () => Promise<readonly ShownTransfer[]>, state: string): Promise<void> {
    const expected = server.transfers.map(({ id }) => `${id} ${state}`).sort();
    let shown: readonly string[] = [];
    const isShown = async (): Promise<true | undefined> => {
      shown = (await list()).map((one) => `${one.id ?? 'no ID'} ${one.state}`).sort();
      return shown.join() === expected.join() || undefined;
    };
    await eventually(isShown).catch(() => assert.deepEqual(shown, expected));
  }

  async function listHistory(): Promise<readonly ShownTransfer[]> {
    const { code, stdout, stderr } = await start('history', '--json').ended;
    assert.equal(code, 0, stderr);
    return (JSON.parse(stdout) as { readonly transfers: readonly ShownTransfer[] }).transfers;
  }

  async function submitEverywhere(): Promise<{ readonly transfer: CliProcess; readonly run: CliProcess }> {
    const transfer = start('transfer', 'Alpha', 'Beta', 'from-command', '--wait');
    const run = start('run', recipe, '--wait');
    for (const [number, window] of windows.entries())
      await window.send({ kind: 'submit', number, paths: [`from-window-${number}`] });
    await eventually(() => Promise.resolve(server.transfers.length === 4 || undefined));
    return { transfer, run };
  }

  it('submit each transfer once, and all show every transfer until it ends (D12, D34)', async () => {
    const { transfer, run } = await submitEverywhere();
    server.setStatus('active');
    for (const window of windows) await waitForAll(() => window.list(), 'active');
    await waitForAll(listHistory, 'active');
    const again = await start('run', recipe).ended;
    assert.deepEqual([again.code, /^Nothing was sent/.test(again.stderr)], [1, true], again.stderr);
    server.setStatus('succeeded');
    const ended = await Promise.all([transfer.ended, run.ended]);
    // The server reports the file as transferred in only every other response, so the exit codes aren't checked.
    for (const { stdout } of ended)
      assert.ok(
        server.transfers.some(({ id }) => id === stdout.trim()),
        stdout,
      );
    for (const window of windows) await waitForAll(() => window.list(), 'succeeded');
    await waitForAll(listHistory, 'succeeded');
    assert.deepEqual([server.submissions, server.maxConcurrentCount], [4, 1]);
    assert.deepEqual(await readdir(join(ledger, 'running')), []);
    const lock = await readFile(join(folder, 'reads.transfer.lock.json'), 'utf8');
    assert.ok(lock.includes(ended[1].stdout.trim()), lock);
  });

  it('lose no transfer when a window and the commands are killed, and submit none again (D12)', async () => {
    const { transfer, run } = await submitEverywhere();
    for (const { child } of [transfer, run]) child.kill('SIGKILL');
    await windows.shift()?.kill();
    await Promise.all([transfer.ended, run.ended]);
    windows.push(await openWindow());
    server.setStatus('succeeded');
    const isTrue = ({ id, state }: ShownTransfer): boolean =>
      state === 'notConfirmed' || (state === 'succeeded' && server.transfers.some((one) => one.id === id));
    for (const list of [...windows.map((window) => () => window.list()), listHistory])
      await eventually(async () => {
        const shown = await list();
        return (shown.length === 4 && shown.every(isTrue)) || undefined;
      });
    assert.equal(server.submissions, 4);
  });
});
