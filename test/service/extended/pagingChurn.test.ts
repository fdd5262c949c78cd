import assert from 'node:assert/strict';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import type { FoundFile } from '../../support/contractRig.ts';
import { ServiceRig } from '../../support/serviceRig.ts';
import { bySize } from '../../support/testSize.ts';

const fileCount = bySize(3_000, 300_000);
const filesPerFolder = bySize(30, 1_000);
const pageSizes = bySize([300, 1_000], [1_000, 10_000]);
const orcid = '0000-0002-1825-0097';

interface Page {
  readonly resources: readonly FoundFile[];
  readonly cursor?: string;
}

/** Every fifth file is deleted during the search, or gets a new neighbor. */
function isStable(index: number): boolean {
  return index % 5 !== 0;
}

function getPath(index: number, prefix = 'f'): string {
  return `d${Math.floor(index / filesPerFolder)}/${prefix}${index}.txt`;
}

describe('Paging through a folder while a fifth of its files come and go (D9)', () => {
  let rig: ServiceRig;
  beforeEach(async () => {
    rig = await ServiceRig.start({});
    for (let from = 0; from < fileCount; from += filesPerFolder) {
      await fs.mkdir(nodePath.join(rig.source, nodePath.dirname(getPath(from))), { recursive: true });
      const indexes = Array.from({ length: filesPerFolder }, (_, at) => from + at);
      await Promise.all(indexes.map((index) => fs.writeFile(nodePath.join(rig.source, getPath(index)), 'x')));
    }
    await rig.restart();
    await rig.reachesFiles('', fileCount);
  });
  afterEach(async () => await rig.stop());

  /** Deletes or creates files throughout the folder, in turn, and waits until the service has noticed. */
  async function change(step: number, stepCount: number): Promise<void> {
    const unstable = Array.from({ length: fileCount / 5 }, (_, at) => at * 5);
    const changed = unstable.filter((index) => (index / 5) % stepCount === step);
    const deleteFile = async (index: number): Promise<void> => await fs.rm(nodePath.join(rig.source, getPath(index)));
    const createFile = async (index: number): Promise<void> =>
      await fs.writeFile(nodePath.join(rig.source, getPath(index, 'a')), 'x');
    await Promise.all(changed.map(step % 2 === 0 ? deleteFile : createFile));
    await rig.write({ [`marker${step}.txt`]: 'x' });
    await rig.reachesFiles(`marker${step}`, 1);
  }

  async function requestPage(query: string, limit: number, offset: number, cursor?: string): Promise<Page> {
    const position = cursor === undefined ? { offset } : { cursor };
    const request = { database: 'Source Data', orcid, query, limit, ...position };
    const { status, body } = await rig.call('POST', '/api/v1/files', request);
    assert.equal(status, 200, JSON.stringify(body));
    return body as Page;
  }

  for (const limit of pageSizes) {
    it(`finds each file that stays exactly once, with pages of ${limit} (D9)`, async () => {
      const stepCount = Math.ceil(fileCount / limit);
      const found = new Map<string, number>();
      let page: Page = { resources: [] };
      for (let step = 0; step === 0 || page.resources.length === limit; step += 1) {
        page = await requestPage('txt', limit, step * limit, page.cursor);
        for (const { path } of page.resources) found.set(path, (found.get(path) ?? 0) + 1);
        if (step < stepCount) await change(step, stepCount);
      }
      const stable = Array.from({ length: fileCount }, (_, index) => index).filter(isStable);
      const lost = stable.filter((index) => !found.has(getPath(index))).length;
      const doubles = [...found.values()].filter((count) => count > 1).length;
      assert.deepEqual({ lost, doubles }, { lost: 0, doubles: 0 });
    });
  }
});
