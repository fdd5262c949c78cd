import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeEditors, openEditor } from '../../support/editor/editorPool.ts';
import { saveFailureArtifacts } from '../../support/editor/failureArtifacts.ts';
import { fillTransfer, searchDatabase } from '../../support/editor/journeySteps.ts';
import type { TreeView } from '../../support/editor/treeView.ts';
import { until } from '../../support/editor/until.ts';
import type { EditorWindow } from '../../support/editor/window.ts';
import { canRunSlurm, SlurmServers } from '../../support/slurmServers.ts';

const fileCount = 40;
const place = 'cluster, partition xfer, up to 8 tasks at a time';

if (canRunSlurm)
  describe('A user on a cluster', () => {
    let folder: string;
    let servers: SlurmServers;
    let window: EditorWindow;
    let transfers: TreeView;

    before(async () => {
      servers = await SlurmServers.start();
    });
    after(async () => await servers.stop());

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'cluster-'));
      for (const name of ['scratch', 'project', 'work']) await mkdir(join(folder, name));
      for (let index = 0; index < fileCount; index += 1)
        await writeFile(join(folder, 'scratch', `run-${index}.bin`), Buffer.alloc(100_000, index));
      const databases = ['Scratch', 'Project'].map((name) => ({ name, folder: join(folder, name.toLowerCase()) }));
      // With two nodes, some of eight tasks always wait. Each takes longer than the service waits between its questions.
      const node = join(folder, 'slow-node');
      await writeFile(node, `#!/bin/sh\nsleep 3\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 });
      const slurm = { folder: join(folder, 'tasks'), partition: 'xfer', tasks: 8, minFiles: 10, node };
      await writeAnalysis();
      const editor = await openEditor({
        workspace: join(folder, 'work'),
        environment: { SLURM_CONF: servers.configFile },
        machineSettings: {
          'dataTransfer.localService.databases': databases,
          'dataTransfer.localService.cluster': { slurm },
        },
      });
      window = await editor.openWindow();
      transfers = window.tree('Transfers');
      await window.openContainer('Data Transfer');
    });
    afterEach(async function () {
      if (this.currentTest?.state === 'failed') await saveFailureArtifacts(this.currentTest.title);
      await closeEditors();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    });

    async function writeAnalysis(): Promise<void> {
      const script = '#!/bin/sh\ncp "$DATA_TRANSFER_MANIFEST" copy.json\nmv copy.json analysed.json\n';
      await writeFile(join(folder, 'work', 'analyse.sbatch'), script);
      const from = { database: 'Scratch', search: { query: 'run' } };
      const ends = { from, to: { database: 'Project' }, then: { sbatch: 'analyse.sbatch' } };
      const recipe = { version: 1, service: 'local', ...ends };
      await writeFile(join(folder, 'work', 'reads.transfer.json'), JSON.stringify(recipe));
    }

    function countTasks(): number {
      return servers.run('squeue', '--noheader', '--array').split('\n').filter(Boolean).length;
    }

    async function seeTasks(): Promise<void> {
      const page = await window.pageFrame('Transfer to Project');
      await page.getByText(/\d of 8 tasks on dtn[12](?:, dtn[12])?; \d pending \([\w, ]+\)/).waitFor();
      await page.getByText(place).waitFor();
    }

    it('transfers files there, sees the nodes, pauses, reloads and resumes', async () => {
      await window.command('Data Transfer: Start Local Service');
      await searchDatabase(window, 'Scratch', 'run');
      await (await window.tree('Search Results').row('“run”')).menu('Check All Files');
      await window.command('Data Transfer: Transfer Checked Files…');
      await fillTransfer(window, 'Project');
      const { detail } = await window.notifications.dialog();
      assert.ok(detail.split('\n').includes(`Runs on: ${place}`), detail);
      await window.notifications.answer('Transfer');
      await (await transfers.spokenRow(/→ Project, (?:staging|active), 40 files/)).click();
      await seeTasks();

      await (await transfers.row(/→ Project$/)).menu('Pause Transfer');
      await transfers.spokenRow('→ Project, paused, 40 files');
      await until('the tasks to end', async () => (await Promise.resolve(countTasks())) === 0 || undefined);
      await window.reload();
      await transfers.spokenRow('→ Project, paused, 40 files');
      await (await transfers.spokenRow('→ Project, paused, 40 files')).action('Resume Transfer');
      await seeTasks();
      await transfers.waitFor('the end', (rows) =>
        rows.some(({ spoken }) => spoken.startsWith('→ Project, succeeded, 40 files')),
      );
      const [received = ''] = await readdir(join(folder, 'project'));
      assert.equal((await readdir(join(folder, 'project', received))).length, fileCount + 1);
    });

    it('has a recipe start the analysis afterwards, and sees its job on the page', async () => {
      await window.command('Data Transfer: Start Local Service');
      await (await window.tree('Recipes').row('reads')).action('Run Recipe…');
      const { detail } = await window.notifications.dialog();
      const lines = detail.split('\n');
      assert.ok(lines.includes(`Runs on: ${place}`), detail);
      assert.ok(lines.includes(`Afterwards: submit the job ${join(folder, 'work', 'analyse.sbatch')}`), detail);
      await window.notifications.answer('Transfer');
      await (await transfers.spokenRow(/→ Project, (?:staging|active), 40 files/)).click();
      const page = await window.pageFrame('Transfer to Project');
      await page.getByText('submit the job analyse.sbatch').waitFor();
      await seeTasks();
      await page.getByText(/^submitted analyse\.sbatch as job \d+$/).waitFor();
      await transfers.waitFor('the end', (rows) =>
        rows.some(({ spoken }) => spoken.startsWith('→ Project, succeeded, 40 files')),
      );
      const manifest = await until('the analysis', async () => {
        const text = await readFile(join(folder, 'work', 'analysed.json'), 'utf8').catch(() => '');
        return text === '' ? undefined : (JSON.parse(text) as { readonly resources: readonly unknown[] });
      });
      assert.equal(manifest.resources.length, fileCount);
    });
  });
