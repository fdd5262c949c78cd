import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../src/core/util/clock.ts';
import { ClusterChoice } from '../../../src/service/cluster/cluster.ts';
import { TaskArray } from '../../../src/service/cluster/taskFiles.ts';
import { CommandScripts } from '../../support/commandScripts.ts';

if (process.platform !== 'win32')
  describe('The tasks of transfers on a cluster that is replaced while the service runs', () => {
    let root: string;
    let commands: CommandScripts;
    let choice: ClusterChoice;
    beforeEach(async () => {
      root = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), 'dts-choice-')));
      commands = new CommandScripts(join(root, 'commands'));
      commands.replace('scancel', `printf '%s\\n' "$@" >> ${join(root, 'canceled')}`);
      commands.replace('squeue', 'exit 0');
      choice = new ClusterChoice(describeCluster('first'), systemClock);
      const side = { location: { folder: root } };
      const job = { transferId: 'A', source: side, destination: side, files: [], isFlushed: true };
      const folder = await choice.current?.createTransferFolder('A');
      await (await TaskArray.create(folder ?? '', 1, [{ kind: 'move', job }])).confirm('17');
    });
    afterEach(() => {
      commands.restore();
      fs.rmSync(root, { recursive: true });
    });

    function describeCluster(name: string) {
      return { slurm: { folder: join(root, name) } };
    }

    for (const [change, names] of [
      ['replaced', ['second']],
      ['replaced and removed', ['second', undefined]],
    ] as const)
      it(`can be ended after it was ${change}`, async () => {
        for (const name of names) choice.configure(name && describeCluster(name));
        assert.equal(await choice.endTasks('A'), true);
        assert.equal(fs.readFileSync(join(root, 'canceled'), 'utf8'), '--quiet\n17\n');
        assert.deepEqual(fs.readdirSync(join(root, 'first')), []);
      });

    it('may still work if Slurm does not respond', async () => {
      choice.configure(describeCluster('second'));
      commands.replace('scancel', 'exit 1');
      assert.equal(await choice.endTasks('A'), false);
    });

    it('are none on a former cluster whose folder cannot be read, which keeps nothing else from being removed', async () => {
      fs.symlinkSync('loop', join(root, 'loop'));
      choice.configure(describeCluster('loop'));
      assert.equal(await choice.endTasks('B'), false);
      choice.configure(describeCluster('second'));
      assert.equal(await choice.endTasks('B'), true);
    });

    it('are followed by a transfer that has waited for its databases since the start', async () => {
      const first = choice.current;
      assert.equal(await choice.replace(undefined), true);
      assert.equal(await choice.replace(describeCluster('second')), true);
      assert.equal(await choice.replace(describeCluster('second')), false);
      assert.equal(choice.take('A'), first);
      assert.equal(choice.take('B'), undefined);
    });

    it('are followed again by a transfer that waited for its databases', () => {
      const first = choice.current;
      choice.keep('A', first);
      choice.configure(describeCluster('second'));
      assert.equal(choice.take('A'), first);
      assert.equal(choice.take('A'), undefined);
      choice.configure(describeCluster('first'));
      assert.equal(choice.current, first);
    });
  });
