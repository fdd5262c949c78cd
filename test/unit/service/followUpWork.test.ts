import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import type { CatalogThread } from '../../../src/service/catalog/catalog.ts';
import { FollowUps } from '../../../src/service/transfers/followUps.ts';
import type { StoredFollowUp } from '../../../src/service/transfers/followUpTable.ts';
import { TransferJournal, type TransferRecord } from '../../../src/service/transfers/journal.ts';
import { CommandScripts } from '../../support/commandScripts.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { createQueueRig } from './queueRig.ts';

const id = '11111111-1111-4111-8111-111111111111';

if (process.platform !== 'win32')
  describe('The work on a job that follows a transfer (D72)', () => {
    let folder: string;
    let commands: CommandScripts;
    let clock: ManualClock;
    let journal: TransferJournal;
    let thread: CatalogThread;
    let followUps: FollowUps;
    let createFollowUps: () => FollowUps;
    beforeEach(async () => {
      folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-follow-up-'));
      clock = new ManualClock();
      const logger = new MemoryLog();
      const rig = await createQueueRig(folder, clock, logger);
      thread = rig.thread;
      journal = new TransferJournal(nodePath.join(folder, 'journal.db'));
      const { databases } = rig;
      createFollowUps = () => new FollowUps({ journal, databases, clock, logger, dataFolder: folder, isAllowed: true });
      followUps = createFollowUps();
      await fs.mkdir(nodePath.join(folder, `dts-${id}`));
      await fs.writeFile(nodePath.join(folder, `dts-${id}`, 'manifest.json'), '{}');
      await fs.writeFile(nodePath.join(folder, 'a.sbatch'), '#!/bin/sh\n');
      execFileSync('mkfifo', [nodePath.join(folder, 'go')]);
      commands = new CommandScripts(folder);
      commands.replace('squeue', 'exit 0');
      commands.replace('sbatch', `echo submitted >> ${folder}/submitted; echo 17`);
      await addEndedTransfer();
    });
    afterEach(async () => {
      commands.restore();
      await followUps.close();
      journal.close();
      await thread.end();
      await fs.rm(folder, { recursive: true });
    });

    /** Makes a command that answers once the test calls {@link answer}, and leaves a file when it is called. */
    function writeSlowCommand(name: string): void {
      commands.replace(name, `touch ${folder}/called; read -r line < ${folder}/go; echo "$line"`);
    }

    async function waitForCall(): Promise<void> {
      await eventually(async () => await fs.stat(nodePath.join(folder, 'called')).catch(() => undefined));
    }

    async function answer(line = ''): Promise<void> {
      await fs.writeFile(nodePath.join(folder, 'go'), `${line}\n`);
    }

    async function addEndedTransfer(): Promise<void> {
      const followUp = { kind: 'sbatch', path: nodePath.join(folder, 'a.sbatch') } as const;
      const person = { orcid: '0000-0002-1825-0097', sourceId: 's', destinationId: 'd', destinationPlace: folder };
      const counts = { fileCount: 0, sizeBytes: 0, movedCount: 0, createdAtMs: 1, endedAtMs: 2 };
      const state = { status: 'succeeded', message: '', isCancelRequested: false, followUp } as const;
      const record: TransferRecord = { id, ...person, ...counts, ...state };
      await journal.add(record, []);
      journal.followUps.put(id, { ...followUp, state: 'waiting' });
    }

    async function isSubmitted(): Promise<boolean> {
      return await fs.stat(nodePath.join(folder, 'submitted')).then(
        () => true,
        () => false,
      );
    }

    async function reaches(isReached: (followUp: StoredFollowUp) => boolean): Promise<StoredFollowUp> {
      return await eventually(async () => {
        const followUp = journal.followUps.get(id);
        return await Promise.resolve(followUp && isReached(followUp) ? followUp : undefined);
      });
    }

    async function settles(): Promise<void> {
      await eventually(async () => await Promise.resolve(followUps.activeCount === 0 || undefined));
    }

    it('can be canceled while Slurm is asked for the job', async () => {
      writeSlowCommand('squeue');
      followUps.begin(id);
      await waitForCall();
      assert.equal(followUps.cancel(id), 'accepted');
      await answer();
      await settles();
      const { state, problem } = await reaches(() => true);
      assert.deepEqual([state, problem, await isSubmitted()], ['notStarted', 'canceled', false]);
      assert.equal(followUps.cancel(id), 'ended');
    });

    it('cannot be canceled while the job is submitted', async () => {
      writeSlowCommand('sbatch');
      followUps.begin(id);
      await waitForCall();
      assert.equal(followUps.cancel(id), 'starting');
      await answer('18');
      assert.equal((await reaches(({ state }) => state === 'submitted')).job, '18');
    });

    it('is not canceled if that cannot be written', async () => {
      commands.replace('squeue', 'exit 1');
      followUps.begin(id);
      await reaches(({ problem }) => problem !== undefined);
      await eventually(async () => await Promise.resolve(clock.waitingCount === 1 || undefined));
      const put = journal.followUps.put.bind(journal.followUps);
      Object.assign(journal.followUps, { put: () => assert.fail('disk is full') });
      assert.throws(() => followUps.cancel(id), /disk is full/);
      Object.assign(journal.followUps, { put });
      commands.replace('squeue', 'exit 0');
      await clock.pass(5_000);
      assert.equal((await reaches(({ state }) => state !== 'waiting')).state, 'submitted');
    });

    it('ends with the service, while Slurm is asked, and waits for the next start', async () => {
      writeSlowCommand('squeue');
      followUps.begin(id);
      await waitForCall();
      await followUps.close();
      assert.equal(journal.followUps.get(id)?.problem, undefined);
      assert.equal(journal.followUps.get(id)?.state, 'waiting');
    });

    /** Closes the service as it submits the job, and lets `passedMs` pass. */
    async function closeWhileSubmitting(passedMs: number): Promise<void> {
      followUps.begin(id);
      await waitForCall();
      const closing = followUps.close();
      await clock.pass(passedMs);
      await closing;
      await settles();
    }

    const slowScript = (text: string): string => `touch ${folder}/called; ${text}; sleep 20; echo 17`;
    // The script stays the parent of what hangs, as the wrappers of some sites do.
    for (const [name, text] of [
      ['hangs', ':'],
      ['hangs after it tried in vain', `echo 'sbatch: error: Connection refused' >&2`],
    ] as const)
      it(`is looked for at the next start if sbatch ${name} when the service ends (D12)`, async () => {
        commands.replace('sbatch', slowScript(text));
        await closeWhileSubmitting(2_000);
        const { state, isStarting } = await reaches(() => true);
        assert.deepEqual([state, isStarting], ['waiting', true]);
        commands.replace('squeue', 'echo 19');
        followUps = createFollowUps();
        followUps.start();
        assert.equal((await reaches((one) => one.state !== 'waiting')).job, '19');
      });

    it('is unclear at the next start, and not submitted again, if Slurm knows no job of its name (D12)', async () => {
      commands.replace('sbatch', slowScript(':'));
      await closeWhileSubmitting(2_000);
      commands.replace('sbatch', `echo submitted >> ${folder}/submitted; echo 17`);
      followUps = createFollowUps();
      followUps.start();
      assert.equal((await reaches((one) => one.state !== 'waiting')).state, 'unclear');
      assert.equal(await isSubmitted(), false);
    });

    it('is submitted if sbatch answers soon enough while the service ends', async () => {
      writeSlowCommand('sbatch');
      followUps.begin(id);
      await waitForCall();
      const closing = followUps.close();
      await clock.pass(1_900);
      await answer('18');
      await closing;
      const { state, job } = await reaches(() => true);
      assert.deepEqual([state, job], ['submitted', '18']);
    });

    const failed = 'sbatch: error: Batch job submission failed:';
    const refusals = [
      `${failed} Invalid partition name specified`,
      `${failed} Requested node configuration is not available`,
      `${failed} Job violates accounting/QOS policy (job submit limit, user's size and/or time limits)`,
      `${failed} Access/permission denied`,
      `sbatch: error: No account given: contact hpc@example.org\n${failed} Invalid account or account/partition combination`,
      `${failed} Requested time limit is invalid (missing or exceeds some limit)`,
      'sbatch: error: This does not look like a batch script.  The first\nsbatch: error: For instance: #!/bin/sh',
      "sbatch: unrecognized option '--nonsense'",
    ];
    for (const text of refusals)
      it(`is not started if Slurm refuses it: ${text}`, async () => {
        commands.replace('sbatch', `cat >&2 <<'END'\n${text}\nEND\nexit 1`);
        followUps.begin(id);
        assert.equal((await reaches(({ state }) => state !== 'waiting')).state, 'notStarted');
      });

    const doubts = [
      `${failed} Zero Bytes were transmitted or received`,
      `${failed} Socket timed out on send/recv operation`,
      `${failed} Unable to contact slurm controller (receive failure)`,
      `${failed} Unable to contact slurm controller (send failure)`,
      `${failed} Unable to contact slurm controller (shutdown failure)`,
      `${failed} Unspecified error`,
      `${failed} Broken pipe`,
    ];
    for (const text of doubts)
      it(`is looked for if it may have been started: ${text}`, async () => {
        commands.replace('sbatch', `cat >&2 <<'END'\n${text}\nEND\nexit 1`);
        followUps.begin(id);
        assert.equal((await reaches(({ problem }) => problem !== undefined)).isStarting, true);
        await eventually(async () => await Promise.resolve(clock.waitingCount === 1 || undefined));
        commands.replace('squeue', 'echo 19');
        await clock.pass(5_000);
        assert.equal((await reaches(({ state }) => state !== 'waiting')).job, '19');
      });

    it('is submitted later if Slurm has no process to submit it to', async () => {
      commands.replace('sbatch', `echo '${failed} Unable to contact slurm controller (connect failure)' >&2; exit 1`);
      followUps.begin(id);
      await reaches(({ problem }) => problem !== undefined);
      await eventually(async () => await Promise.resolve(clock.waitingCount === 1 || undefined));
      commands.replace('sbatch', 'echo 20');
      await clock.pass(5_000);
      assert.equal((await reaches(({ state }) => state !== 'waiting')).job, '20');
    });
  });
