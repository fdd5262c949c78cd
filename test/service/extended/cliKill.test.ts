import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, wait } from '../../../src/core/util/clock.ts';
import { CliProcess, type CliResult } from '../../support/cliProcess.ts';
import { eventually } from '../../support/eventually.ts';
import { json } from '../../support/faultBehaviors.ts';
import { SeededRandom } from '../../support/random.ts';
import { bySize } from '../../support/testSize.ts';
import { TruthfulServer } from '../../support/truthfulServer.ts';

const rounds = bySize(6, 20);
const seed = Number(process.env['CRASH_SEED'] ?? Date.now() % 1_000_000);

describe('The command line, killed at random moments', () => {
  let server: TruthfulServer;
  let ledger: string;
  before(async () => {
    ledger = await mkdtemp(join(tmpdir(), 'cli-kill-'));
    server = await TruthfulServer.start(systemClock);
  });
  after(async () => {
    await server.http.stop();
    await rm(ledger, { recursive: true });
  });

  function start(...args: readonly string[]): CliProcess {
    const connection = ['--server', server.http.address, '--orcid', '0000-0002-1825-0097', '--key-variable', 'THE_KEY'];
    const environment = { THE_KEY: server.key, DATA_TRANSFER_LEDGER: ledger };
    return new CliProcess([...args, ...connection, '--json'], { environment });
  }

  async function run(...args: readonly string[]): Promise<CliResult> {
    return await start(...args).ended;
  }

  /**
   * Starts a transfer command with --wait and kills it `delayMs` after its start, or after its submission if
   * `isSubmitted`. Returns the IDs that the server assigned in the meantime.
   */
  async function killOne(file: string, isSubmitted: boolean, delayMs: number): Promise<readonly string[]> {
    const before = server.transfers.length;
    const victim = start('transfer', 'Alpha', 'Beta', file, '--wait');
    const exited = once(victim.child, 'exit');
    if (isSubmitted) await eventually(() => Promise.resolve(server.transfers.length > before || undefined));
    await wait(systemClock, delayMs);
    victim.child.kill('SIGKILL');
    await exited;
    return server.transfers.slice(before).map(({ id }) => id);
  }

  it(`never starts a second transfer, and status finds each one (seed ${seed}) (D12)`, async () => {
    const random = new SeededRandom(seed);
    for (let round = 0; round < rounds; round++) {
      const file = `file-${round}`;
      server.http.on('GET /api/v1/files/by-id', json({ resources: [{ id: file, name: file, path: file, bytes: 1 }] }));
      server.http.on('POST /api/v1/files/by-id', json({ resources: [{ id: file, name: file, path: file, bytes: 1 }] }));
      const submissionsBefore = server.submissions;
      // Every second process is killed only after it has submitted its transfer, even on a slow machine.
      const isSubmitted = round % 2 === 1;
      const started = await killOne(file, isSubmitted, random.below(isSubmitted ? 100 : 1500));
      const submissions = server.submissions - submissionsBefore;
      assert.ok(submissions <= 1 && started.length === submissions, `round ${round}: ${submissions} submissions`);
      const status = await run('status');
      assert.equal(status.code, 0, status.stderr);
      const { transfers } = JSON.parse(status.stdout) as { transfers: { id?: string; state: string }[] };
      const [id] = started;
      assert.ok(id !== undefined || !isSubmitted, `round ${round}: nothing was submitted`);
      const isFound = transfers.some((one) => one.id === id || one.state === 'notConfirmed');
      assert.ok(id === undefined || isFound, `round ${round}: ${status.stdout}`);
      if (id === undefined) continue;
      // A script that runs again doesn't submit the transfer again.
      assert.equal((await run('transfer', 'Alpha', 'Beta', file)).code, 1);
      assert.equal(server.submissions, submissionsBefore + 1);
    }
  });
});
