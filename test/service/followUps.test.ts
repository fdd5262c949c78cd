import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ProblemDocument } from '../../src/contract/contract.ts';
import { systemClock, type Clock } from '../../src/core/util/clock.ts';
import { CommandScripts } from '../support/commandScripts.ts';
import { eventually } from '../support/eventually.ts';
import { ServiceRig } from '../support/serviceRig.ts';

/** The follow-up of a transfer, in its status. */
interface ThenBody {
  readonly program?: string;
  readonly state: string;
  readonly exitCode?: number;
  readonly job?: string;
  readonly output?: string;
  readonly problem?: string;
}

const slow = { throttleBytesPerSecond: 20_000 };
const canRunScripts = process.platform !== 'win32';

if (canRunScripts)
  describe('What follows a transfer (D72)', () => {
    let rig: ServiceRig;
    let program: string;
    beforeEach(async () => {
      const wrongHash = JSON.stringify({ resources: [{ path: 'b.txt', hash: `sha1:${'0'.repeat(40)}` }] });
      const wrong = { 'wrong/datapackage.json': wrongHash, 'wrong/b.txt': 'b' };
      rig = await ServiceRig.start({ ...wrong, 'a.txt': 'content', 'big.bin': 'x'.repeat(100_000) });
      program = nodePath.join(rig.root, 'analyse.sh');
      await writeProgram('echo "$DATA_TRANSFER_FOLDER|$DATA_TRANSFER_MANIFEST|$DATA_TRANSFER_ID|$PWD" >> runs.txt');
    });
    afterEach(async () => await rig.stop());

    async function writeProgram(line: string, mode = 0o700): Promise<void> {
      await fs.writeFile(program, `#!/bin/sh\n${line}\n`);
      await fs.chmod(program, mode);
    }

    /** Returns the lines of the program's runs, in its own folder. */
    async function readRuns(): Promise<readonly string[]> {
      const text = await fs.readFile(nodePath.join(rig.root, 'runs.txt'), 'utf8').catch(() => '');
      return text.split('\n').filter(Boolean);
    }

    async function readThen(id: string): Promise<ThenBody | undefined> {
      return ((await rig.status(id)) as { then?: ThenBody }).then;
    }

    async function reaches(id: string, state: string): Promise<ThenBody> {
      return await eventually(async () => {
        const then = await readThen(id);
        return then?.state === state ? then : undefined;
      });
    }

    async function submit(fileIds: readonly string[], then: unknown = { program }): Promise<string> {
      return await rig.mustSubmit(fileIds, { instructions: { then, type: 'assembly' } });
    }

    async function assertRefused(then: unknown, status: number, detail: RegExp): Promise<void> {
      const answer = await rig.submit(['a.txt'], { instructions: { then } });
      assert.equal(answer.status, status);
      const [{ message } = {}] = (answer.body as ProblemDocument).errors ?? [];
      assert.match(message ?? '', detail);
    }

    it('is a program that is started once, with the place of the files, after the manifest stands', async () => {
      await writeProgram(
        'cat "$DATA_TRANSFER_MANIFEST"; env | sort >&2; echo "$DATA_TRANSFER_FOLDER" >> runs.txt; exit 3',
      );
      const id = await submit(['a.txt']);
      await rig.waitForStatus(id, 'succeeded');
      const { exitCode, output = '', program: path } = await reaches(id, 'ended');
      assert.deepEqual([exitCode, path], [3, program]);
      const folder = nodePath.join(await fs.realpath(rig.target), `dts-${id}`);
      assert.deepEqual(await readRuns(), [folder]);
      const printed = await fs.readFile(output, 'utf8');
      assert.match(printed, /"path":"a\.txt"/);
      assert.match(printed, new RegExp(`^DATA_TRANSFER_ID=${id}$`, 'm'));
      assert.match(printed, /"type": "assembly"/);
      // Neither the manifest nor the program learns more of this machine than it needs.
      assert.doesNotMatch(printed, /"then"|npm_|NODE_OPTIONS/);
      assert.equal((await fs.stat(output)).mode & 0o077, 0);
      await rig.restart();
      assert.equal((await readThen(id))?.exitCode, 3);
      assert.equal((await readRuns()).length, 1);
    });

    it('waits until the transfer has ended, over a restart of the service', async () => {
      await rig.restart(slow);
      const id = await submit(['big.bin']);
      assert.equal((await readThen(id))?.state, 'waiting');
      await rig.restart();
      await reaches(id, 'ended');
      assert.deepEqual(await readRuns(), [
        `${nodePath.join(rig.target, `dts-${id}`)}|${nodePath.join(rig.target, `dts-${id}`, 'manifest.json')}|${id}|${rig.root}`,
      ]);
    });

    it('knows the folder by its chosen name (D24)', async () => {
      const id = await rig.mustSubmit(['a.txt'], { instructions: { then: { program }, folder: 'run-42' } });
      await reaches(id, 'ended');
      const folder = nodePath.join(rig.target, 'run-42');
      assert.deepEqual(await readRuns(), [`${folder}|${folder}/manifest.json|${id}|${rig.root}`]);
    });

    it('is not started after a transfer that was canceled or failed', async () => {
      await rig.restart(slow);
      const id = await submit(['big.bin']);
      await rig.cancel(id);
      await rig.waitForStatus(id, 'failed');
      assert.equal((await rig.cancel(id)).status, 202);
      assert.deepEqual(await readThen(id), { program, state: 'notStarted', problem: 'the transfer was canceled' });
      const failing = await submit(['wrong/b.txt']);
      await rig.waitForStatus(failing, 'failed');
      assert.equal((await readThen(failing))?.problem, 'the transfer failed');
      await rig.restart();
      assert.deepEqual(await readRuns(), []);
    });

    it('is refused with the submission if it cannot be started', async () => {
      const gone = new RegExp(`names "${program}\\.gone", which can't be started: it can't be read \\(ENOENT\\)`);
      await assertRefused({ program: `${program}.gone` }, 422, gone);
      await assertRefused({ program: rig.root }, 422, /it is not a file/);
      await assertRefused({ program: 'analyse.sh' }, 422, /must have an absolute path/);
      await writeProgram('true', 0o600);
      if (process.getuid?.() !== 0) await assertRefused({ program }, 422, /it is not executable/);
      for (const value of [{}, 'x', { program, sbatch: program }, { shell: 'ls' }, { program: '' }, { program: [] }])
        await assertRefused(value, 422, /instructions\.then must be /);
    });

    it('is refused by a service that others may use, which does not announce it', async () => {
      const isAnnounced = async (): Promise<boolean> =>
        ((await rig.call('GET', '/')).body as { features: readonly string[] }).features.includes('instructions.then');
      assert.equal(await isAnnounced(), true);
      await rig.restart({ followUps: 'unset' });
      assert.equal(await isAnnounced(), false);
      await assertRefused({ program }, 403, /^This service starts nothing after a transfer/);
      await rig.restart({ followUps: 'unset', shared: true });
      assert.equal(await isAnnounced(), true);
    });

    it('leaves its transfer successful if it cannot be started later', async () => {
      await rig.restart(slow);
      const id = await submit(['big.bin']);
      await fs.rm(program);
      await rig.waitForStatus(id, 'succeeded');
      assert.deepEqual(await readThen(id), {
        program,
        state: 'notStarted',
        problem: "it can't be read (ENOENT)",
      });
    });

    it('is not started again if it may have been started before a crash (D12)', async () => {
      const id = await submit(['a.txt']);
      await reaches(id, 'ended');
      const setStatus = (status: object) => (): void => {
        const journal = new DatabaseSync(nodePath.join(rig.root, 'data', 'journal.db'));
        const value = JSON.stringify({ kind: 'program', path: program, ...status });
        journal.prepare('UPDATE follow_ups SET status = ? WHERE transfer = ?').run(value, id);
        journal.close();
      };
      await rig.restart({ whileStopped: setStatus({ state: 'waiting', isStarting: true }) });
      await reaches(id, 'unclear');
      assert.equal((await readRuns()).length, 1);
      // The transfer had succeeded, but nothing was begun.
      await rig.restart({ whileStopped: setStatus({ state: 'waiting' }) });
      await reaches(id, 'ended');
      assert.equal((await readRuns()).length, 2);
    });

    it('says that its end is not known if the service was stopped while it ran', async () => {
      await writeProgram('while [ ! -e go ]; do sleep 0.1; done');
      const id = await submit(['a.txt']);
      const { output } = await reaches(id, 'started');
      await rig.restart();
      const problem = 'the service was stopped meanwhile';
      assert.deepEqual(await readThen(id), { program, state: 'started', output, problem });
      await fs.writeFile(nodePath.join(rig.root, 'go'), '');
    });

    it('is found by its name at the next start if sbatch hung when the service stopped (D12)', async () => {
      const commands = new CommandScripts(nodePath.join(rig.root, 'commands'));
      commands.replace('squeue', 'exit 0');
      commands.replace('sbatch', `touch ${commands.folder}/called; sleep 20; echo 17`);
      try {
        const id = await submit(['a.txt'], { sbatch: program });
        await eventually(async () => await fs.stat(nodePath.join(commands.folder, 'called')).catch(() => undefined));
        const { service } = rig;
        await rig.restart({ whileStopped: () => commands.replace('squeue', 'echo 19') });
        assert.equal(await service.ended, 'clean');
        assert.equal((await reaches(id, 'submitted')).job, '19');
      } finally {
        commands.restore();
      }
    });

    it('is not started once the configuration forbids it', async () => {
      await rig.restart(slow);
      const id = await submit(['big.bin']);
      await rig.restart({ followUps: false });
      await rig.waitForStatus(id, 'succeeded');
      assert.match((await readThen(id))?.problem ?? '', /the service starts nothing any more/);
      assert.deepEqual(await readRuns(), []);
      assert.equal((await rig.cancel(id)).status, 409);
    });

    it('keeps a shared service running until it has ended (D29)', async () => {
      const idleMs = 12_345;
      let idle: (() => void) | undefined;
      const clock: Clock = {
        now: () => systemClock.now(),
        after: (ms, callback) => {
          if (ms !== idleMs) return systemClock.after(ms, callback);
          idle = callback;
          return { dispose: () => (idle = undefined) };
        },
      };
      await rig.restart({ shared: true, configured: true, idleMs, clock });
      await writeProgram('while [ ! -e go ]; do sleep 0.1; done');
      const id = await submit(['a.txt']);
      await reaches(id, 'started');
      await eventually(async () => ((await rig.status(id)).status === 'succeeded' ? true : undefined));
      assert.equal(idle, undefined);
      await fs.writeFile(nodePath.join(rig.root, 'go'), '');
      await reaches(id, 'ended');
      await eventually(async () => await Promise.resolve(idle && true));
    });

    it('is forgotten with its transfer and its output', async () => {
      const id = await submit(['a.txt']);
      const { output = '' } = await reaches(id, 'ended');
      await rig.restart({ retentionDays: 0 });
      await eventually(async () =>
        fs.access(output).then(
          () => undefined,
          () => true,
        ),
      );
      assert.equal((await rig.call('GET', `/api/v1/transfers/${id}`)).status, 404);
    });
  });
