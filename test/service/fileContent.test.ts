import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as nodePath from 'node:path';
import { maxContentBytes } from '../../src/core/util/fileContent.ts';
import { ServiceRig } from '../support/serviceRig.ts';

const secret = 'the secret content of a file';

describe('The content of a file in a served folder', () => {
  let rig: ServiceRig;
  const lines: string[] = [];

  before(async () => {
    const files = {
      'data/a.csv': 'id,name\n1,ä\n',
      'empty.txt': '',
      'secret.txt': secret,
      '.hidden': 'h',
      'k.txt': 'k',
    };
    rig = await ServiceRig.start(files, { onAccess: (line) => lines.push(line) });
    await fs.writeFile(nodePath.join(rig.source, 'large.bin'), Buffer.alloc(3 * maxContentBytes, 'x'));
    await fs.writeFile(nodePath.join(rig.root, 'outside.txt'), secret);
    await rig.reachesFiles('', 5);
  });
  after(async () => await rig.stop());

  async function get(id: string, headers: Record<string, string> = {}, database = 'source-data') {
    const url = `${rig.service.address}/databases/${database}/content?id=${encodeURIComponent(id)}`;
    const authorization = `Bearer ${rig.service.token}`;
    const response = await fetch(url, { headers: { authorization, range: 'bytes=0-1048575', ...headers } });
    const bytes = Buffer.from(await response.arrayBuffer());
    await rig.checked('GET', new URL(url).pathname, {
      status: response.status,
      headers: response.headers,
      text: bytes.toString(),
    });
    return { status: response.status, headers: response.headers, bytes, text: bytes.toString() };
  }

  for (const [range, part] of [
    ['bytes=0-6', 'id,name'],
    ['bytes=8-', '1,ä\n'],
    ['bytes=-5', '1,ä\n'],
    ['bytes=-100', 'id,name\n1,ä\n'],
    ['bytes=8-1000', '1,ä\n'],
  ] as const) {
    it(`returns ${range}`, async () => {
      const { status, text, headers } = await get('data/a.csv', { range });
      assert.deepEqual([status, text], [206, part]);
      assert.match(headers.get('content-range') ?? '', /^bytes \d+-\d+\/13$/);
    });
  }

  it('is data that no browser interprets, and that nothing stores', async () => {
    const { headers } = await get('data/a.csv');
    const names = ['content-type', 'x-content-type-options', 'cache-control'];
    assert.deepEqual(
      names.map((name) => headers.get(name)),
      ['application/octet-stream', 'nosniff', 'no-store'],
    );
  });

  it('has at most 1 MiB in a response, and continues with the next range', async () => {
    const { bytes, headers } = await get('large.bin', { range: 'bytes=5-' });
    assert.equal(bytes.length, maxContentBytes);
    assert.equal(headers.get('content-range'), `bytes 5-${maxContentBytes + 4}/${3 * maxContentBytes}`);
  });

  it('responds with 416 and the size to a range beyond the end, and to any of an empty file', async () => {
    const beyond = await get('data/a.csv', { range: 'bytes=13-' });
    assert.deepEqual([beyond.status, beyond.headers.get('content-range')], [416, 'bytes */13']);
    const empty = await get('empty.txt');
    assert.deepEqual([empty.status, empty.headers.get('content-range')], [416, 'bytes */0']);
  });

  for (const range of [
    '',
    'bytes=',
    'bytes=-',
    'bytes=3-1',
    'lines=0-1',
    'bytes=0-1,2-3',
    'bytes=-0x10',
    'bytes=0.5-1',
  ]) {
    it(`responds with 422 to the range "${range}"`, async () => {
      assert.equal((await get('data/a.csv', { range })).status, 422);
    });
  }

  it('responds with 412 once the file has changed, and reads the new one without a condition', async () => {
    const before = (await get('k.txt')).headers.get('etag') ?? '';
    assert.equal((await get('k.txt', { 'if-match': `"other", ${before}` })).status, 206);
    await fs.writeFile(nodePath.join(rig.source, 'k.txt'), 'l');
    const refused = await get('k.txt', { 'if-match': before });
    assert.equal(refused.status, 412);
    assert.equal(refused.text.includes('"l"'), false);
    const now = await get('k.txt');
    assert.deepEqual([now.text, refused.headers.get('etag')], ['l', now.headers.get('etag')]);
  });

  it('is only that of files that a search finds: no hidden one, folder, path upwards, or absolute path', async () => {
    const ids = ['.hidden', 'data', '../outside.txt', 'data/../secret.txt', nodePath.join(rig.root, 'outside.txt'), ''];
    for (const id of ids) assert.equal((await get(id)).status, 404, id);
    assert.equal((await get('secret.txt', {}, 'target')).status, 404);
  });

  it('needs the token, and is refused to web pages', async () => {
    assert.equal((await get('secret.txt', { authorization: 'Bearer wrong' })).status, 401);
    assert.equal((await get('secret.txt', { origin: 'https://example.org' })).status, 403);
  });

  it('is in no log, nor is its ID', async () => {
    assert.equal((await get('secret.txt')).text, secret);
    const logged = [...rig.logged, ...lines].join('\n');
    assert.ok(logged.includes('/databases/{database}/content'));
    assert.equal(logged.includes('secret'), false);
  });

  if (process.platform !== 'win32') {
    for (const [what, replace] of [
      ['a link that leads outside', async (path: string) => await fs.symlink('../outside.txt', path)],
      ['a pipe', async (path: string) => void execFileSync('mkfifo', [path])],
      ['a folder', async (path: string) => await fs.mkdir(path)],
    ] as const) {
      it(`isn't read once ${what} has replaced the file`, async () => {
        const path = nodePath.join(rig.source, 'replaced.txt');
        await fs.writeFile(path, 'r');
        await rig.reachesFiles('path:replaced.txt', 1);
        await fs.rm(path);
        await replace(path);
        const { status, text } = await get('replaced.txt');
        assert.ok([404, 409].includes(status), String(status));
        assert.equal(text.includes(secret), false);
        await fs.rm(path, { recursive: true });
      });
    }
  }
});
