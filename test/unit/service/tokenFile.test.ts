import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { ConfigError } from '../../../src/service/config.ts';
import { readTokenFile } from '../../../src/service/accessFiles.ts';

const token = 'a'.repeat(32);

describe('The token file of the local service (D40)', () => {
  let folder: string;
  let file: string;

  beforeEach(async () => {
    folder = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-token-'));
    file = nodePath.join(folder, 'token');
  });
  afterEach(() => fs.rm(folder, { recursive: true }));

  function assertRefused(message: RegExp): void {
    assert.throws(
      () => readTokenFile(file, () => token),
      (error) => error instanceof ConfigError && message.test(error.message) && !error.message.includes(token),
    );
  }

  it('is created for its owner only, and read the next time', async () => {
    assert.equal(
      readTokenFile(file, () => token),
      token,
    );
    assert.equal((await fs.stat(file)).mode & 0o777, 0o600);
    assert.equal(
      readTokenFile(file, () => 'b'.repeat(64)),
      token,
    );
  });

  it('may be a link, be read-only, and have whitespace around the token', async () => {
    const place = nodePath.join(folder, 'place');
    await fs.writeFile(place, ` ${token}\r\n\n`, { mode: 0o400 });
    await fs.symlink(place, file);
    assert.equal(
      readTokenFile(file, () => 'b'.repeat(64)),
      token,
    );
  });

  for (const mode of [0o640, 0o604, 0o660, 0o601]) {
    it(`is rejected with mode ${mode.toString(8)}, with a command that fixes it`, async () => {
      await fs.writeFile(file, token);
      await fs.chmod(file, mode);
      assertRefused(/config\.tokenFile .* is accessible to other users; run "chmod 600 .*token"$/);
    });
  }

  const contents: [what: string, text: string][] = [
    ['nothing', ''],
    ['a short token', 'a'.repeat(31)],
    ['two words', `${token} ${token}`],
    ['characters that are invalid in a header', `${token}é`],
    ['a very long token', token.repeat(1_000)],
  ];
  for (const [what, text] of contents) {
    it(`is rejected with ${what} in it`, async () => {
      await fs.writeFile(file, text, { mode: 0o600 });
      assertRefused(/must hold one token of at least 32 ASCII characters without spaces/);
    });
  }

  it('is rejected when it is a folder or a FIFO, without blocking', async () => {
    await fs.mkdir(file);
    assertRefused(/isn't a regular file/);
    await fs.rmdir(file);
    execFileSync('mkfifo', ['-m', '600', file]);
    assertRefused(/isn't a regular file/);
  });

  it('is rejected in a missing folder', () => {
    file = nodePath.join(folder, 'nowhere', 'token');
    assertRefused(/config\.tokenFile can't be read or created: ENOENT/);
  });
});
