import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CatalogThread } from '../../../src/service/catalog/catalog.ts';
import { ClusterChoice } from '../../../src/service/cluster/cluster.ts';
import type { DatabaseRegistry } from '../../../src/service/databases/databaseRegistry.ts';
import { FollowUps } from '../../../src/service/transfers/followUps.ts';
import { TransferJournal } from '../../../src/service/transfers/journal.ts';
import { TransferQueue } from '../../../src/service/transfers/transferQueue.ts';
import { CommandScripts } from '../../support/commandScripts.ts';
import { eventually } from '../../support/eventually.ts';
import { ManualClock } from '../../support/manualClock.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { createQueueRig } from './queueRig.ts';

const orcid = '0000-0002-1825-0097';
const silence = 'Unable to contact slurm controller';
// The script stays the parent of what hangs, as the wrappers of some sites do.
const hang = 'sleep 20; exit 1';

if (process.platform !== 'win32')
  describe('A transfer on a cluster whose Slurm does not respond', () => {
    let root: string;
    let commands: CommandScripts;
    let clock: ManualClock;
    let log: MemoryLog;
    let journal: TransferJournal;
    let thread: CatalogThread;
    let databases: DatabaseRegistry;
    let queue: TransferQueue;

    beforeEach(async () => {
      root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'dts-silent-')));
      for (const name of ['source', 'target']) fs.mkdirSync(join(root, name));
      fs.writeFileSync(join(root, 'source', 'a'), 'a');
      commands = new CommandScripts(join(root, 'commands'));
      commands.replace('scontrol', `echo 'MaxArraySize = 1001'`);
      commands.replace('sbatch', 'echo 17');
      commands.replace('squeue', `echo asked >> ${join(root, 'asked')}; echo '${silence}' >&2; exit 1`);
      commands.replace('scancel', hang);
      [clock, log] = [new ManualClock(), new MemoryLog()];
      journal = new TransferJournal(join(root, 'journal.db'));
      const rig = await createQueueRig(root, clock, log);
      ({ thread, databases } = rig);
      const names = ['source', 'target'];
      await databases.serve(names.map((name) => ({ name, folder: join(root, name) })));
      const followUps = new FollowUps({ journal, clock, logger: log, databases, dataFolder: root, isAllowed: false });
      const cluster = new ClusterChoice({ slurm: { folder: join(root, 'tasks'), minFiles: 1 } }, clock);
      const limits = { retentionMs: 86_400_000, retryDelayMs: 100 };
      queue = new TransferQueue({
        journal,
        databases,
        clock,
        logger: log,
        followUps,
        cluster,
        daemon: rig.daemon,
        ...limits,
      });
    });
    afterEach(async () => {
      await queue.close();
      await databases.close();
      await thread.end();
      journal.close();
      commands.restore();
      fs.rmSync(root, { recursive: true });
    });

    /** Lets time pass until a condition is met. */
    async function passUntil(isMet: () => boolean): Promise<void> {
      await eventually(async () => {
        await clock.pass(100);
        return isMet() || undefined;
      });
    }

    async function submit(): Promise<string> {
      return await queue.submit({ orcid, source: 'source', destination: 'target', file_ids: ['a'] });
    }

    function getMessage(id: string): string {
      return (queue.get(id)?.message ?? '').slice(`Transfer ${id}: `.length);
    }

    async function submitAndWait(): Promise<string> {
      const id = await submit();
      await passUntil(() => queue.get(id)?.status === 'inactive');
      return id;
    }

    function countQuestions(): number {
      const file = join(root, 'asked');
      return fs.existsSync(file) ? fs.readFileSync(file, 'utf8').trim().split('\n').length : 0;
    }

    it('waits in one state and with the reason until the queue is known again', async () => {
      const id = await submitAndWait();
      const before = log.lines.length;
      await passUntil(() => countQuestions() === 4);
      assert.equal(getMessage(id), `waiting: Slurm can't be used: ${silence}`);
      assert.deepEqual(log.lines.slice(before), []);
      commands.replace('squeue', `echo '17|0|tasks-${id}-stage-1|RUNNING|None|dtn1'`);
      await passUntil(() => queue.get(id)?.status === 'staging');
      await passUntil(() => getMessage(id) === 'staging 1 file (1 B); 1 of 1 tasks on dtn1');
    });

    it('ends at once when it is canceled, and its tasks when Slurm responds', async () => {
      const id = await submitAndWait();
      assert.equal(queue.cancel(id, orcid), 'accepted');
      await clock.pass(500);
      assert.equal(getMessage(id), 'canceled');
      assert.equal(journal.listLeftovers().length, 1);
      commands.replace('scancel', `printf '%s\\n' "$@" > ${join(root, 'canceled')}`);
      commands.replace('squeue', 'exit 0');
      await passUntil(() => journal.listLeftovers().length === 0);
      assert.equal(fs.readFileSync(join(root, 'canceled'), 'utf8'), '--quiet\n17\n');
      assert.deepEqual(
        fs.readdirSync(join(root, 'tasks')).filter((name) => name.startsWith('tasks-')),
        [],
      );
    });

    it('ends some seconds after it is canceled if Slurm has just stopped responding', async () => {
      commands.replace('squeue', `echo '17|0|name|RUNNING|None|dtn1'`);
      const id = await submit();
      await passUntil(() => getMessage(id).startsWith('staging 1 file (1 B); '));
      commands.replace('squeue', hang);
      queue.cancel(id, orcid);
      await clock.pass(500);
      assert.notEqual(getMessage(id), 'canceled');
      await clock.pass(5_000);
      assert.equal(getMessage(id), 'canceled');
    });

    it('leaves nothing for the next start if its end could be stored only later', async () => {
      const id = await submitAndWait();
      commands.replace('scancel', 'exit 1');
      const endWithLeftovers = journal.endWithLeftovers.bind(journal);
      Object.assign(journal, { endWithLeftovers: () => assert.fail('disk is full') });
      queue.cancel(id, orcid);
      await passUntil(() => getMessage(id) === 'canceled');
      // Its leftovers would have been removed by now.
      await clock.pass(60_000);
      assert.equal(queue.cancel(id, orcid), 'accepted');
      Object.assign(journal, { endWithLeftovers });
      await passUntil(() => journal.listLeftovers().length === 1);
      commands.replace('scancel', 'exit 0');
      commands.replace('squeue', 'exit 0');
      await passUntil(() => journal.listLeftovers().length === 0);
    });

    it('ends as soon as its cancellation can be stored', async () => {
      const id = await submitAndWait();
      const endWithLeftovers = journal.endWithLeftovers.bind(journal);
      Object.assign(journal, { endWithLeftovers: () => assert.fail('disk is full') });
      queue.cancel(id, orcid);
      await passUntil(() => log.errors.some((line) => line.includes('disk is full')));
      assert.notEqual(getMessage(id), 'canceled');
      Object.assign(journal, { endWithLeftovers });
      await clock.pass(100);
      assert.equal(getMessage(id), 'canceled');
    });

    it('does not delay the end of the service, which loses nothing', async () => {
      const id = await submitAndWait();
      queue.cancel(id, orcid);
      await queue.close();
      const { isCancelRequested } = journal.get(id) ?? {};
      assert.equal(isCancelRequested, true);
      assert.equal(fs.existsSync(join(root, 'tasks', `tasks-${id}`, 'stage-1')), true);
    });

    for (const command of ['sbatch', 'squeue'])
      it(`does not delay the end of the service while it waits for ${command}`, async () => {
        commands.replace(command, `echo asked >> ${join(root, 'asked')}; ${hang}`);
        const id = await submit();
        await passUntil(() => countQuestions() > 0);
        await queue.close();
        assert.equal(journal.get(id)?.status, 'staging');
        assert.equal(fs.existsSync(join(root, 'tasks', `tasks-${id}`, 'stage-1')), true);
      });
  });
