import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { startLocalService, type StartedService } from '../../support/localService.ts';
import { ServiceRig } from '../../support/serviceRig.ts';
import { waitForScans } from '../../support/waitForScans.ts';

const orcid = '0000-0002-1825-0097';
const count = 100_000;
/**
 * Maximum growth in memory. Holding the whole response would take several times as much: rows, copies for another
 * thread, and text.
 */
const maxGrowthBytes = 100 * 1024 * 1024;

interface FileList {
  readonly database: string;
  readonly resources: readonly { readonly path: string }[];
}

describe('A search without a limit (§4.3, D21)', () => {
  let root: string;
  let service: StartedService;

  before(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-many-'));
    await fs.mkdir(nodePath.join(root, 'source'));
    const sh = `seq -f 'f%06g.txt' ${count} | xargs touch`;
    execFileSync('sh', ['-c', sh], { cwd: nodePath.join(root, 'source') });
    const databases = [{ name: 'Source', folder: nodePath.join(root, 'source') }];
    service = await startLocalService({ databases, dataFolder: nodePath.join(root, 'data') });
    await waitForScans(service);
  });

  after(async () => {
    await service.stop();
    await fs.rm(root, { recursive: true });
  });

  async function search(more: object): Promise<FileList> {
    const response = await fetch(`${service.address}/api/v1/files`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ database: 'Source', orcid, ...more }),
    });
    assert.equal(response.status, 200);
    return (await response.json()) as FileList;
  }

  async function peakBytes(): Promise<number> {
    const status = await fs.readFile(`/proc/${service.pid}/status`, 'utf8');
    return 1_024 * Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]);
  }

  it('returns all 100,000 files of a database in one document, without holding all in memory', async () => {
    const before = await peakBytes();
    const { database, resources } = await search({ query: '' });
    const growth = (await peakBytes()) - before;
    assert.deepEqual([database, resources.length], ['Source', count]);
    assert.ok(resources.every(({ path }, index) => path === `f${String(index + 1).padStart(6, '0')}.txt`));
    assert.ok(growth < maxGrowthBytes, `it took ${Math.round(growth / 1024 / 1024)} MB`);
  });

  it('returns all files from an offset in the requested order, or exactly the requested page', async () => {
    const { resources } = await search({ query: 'f', specific: { sort: 'name', order: 'desc' }, offset: 5 });
    assert.equal(resources.length, count - 5);
    assert.deepEqual([resources[0]?.path, resources.at(-1)?.path], ['f099995.txt', 'f000001.txt']);
    const page = await search({ query: 'f', offset: 10_000, limit: 20_000 });
    assert.equal(page.resources.length, 20_000);
    assert.deepEqual([page.resources[0]?.path, page.resources.at(-1)?.path], ['f010001.txt', 'f030000.txt']);
  });
});

describe('A search whose database disappears during the response (D21)', () => {
  it('aborts the connection, so that the response is visibly incomplete, and logs that (D40)', async () => {
    const lines: string[] = [];
    const names = Array.from({ length: 400 }, (_, index) => `file-${index}.txt`);
    const resources = names.map((path) => ({ path, description: 'x'.repeat(100_000) }));
    const rig = await ServiceRig.start(
      {
        ...Object.fromEntries(names.map((name) => [name, 'a'])),
        'datapackage.json': JSON.stringify({ resources }),
      },
      { onAccess: (line) => void lines.push(line) },
    );
    try {
      await rig.find('file-1.txt');
      const response = await fetch(`${rig.service.address}/api/v1/files`, {
        method: 'POST',
        headers: { authorization: `Bearer ${rig.service.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ database: 'Source Data', orcid, query: '' }),
      });
      assert.equal(response.status, 200);
      await fs.rename(rig.source, `${rig.source}-away`);
      await assert.rejects(response.text());
      assert.match(rig.logged.join('\n'), /cannot be read/);
      const line = await eventually(async () => await Promise.resolve(lines.find((text) => text.includes('aborted'))));
      const { route, status, aborted } = JSON.parse(line) as Readonly<Record<string, unknown>>;
      assert.deepEqual([route, status, aborted], ['/api/v1/files', 200, true]);
    } finally {
      await rig.stop();
    }
  });
});
