import assert from 'node:assert/strict';
import { findRemoteProblem } from '../../../src/core/util/remote.ts';
import { ConfigError, parseConfig } from '../../../src/service/config.ts';

describe('A store in the configuration of the service (D62)', () => {
  function parse(...databases: object[]): ReturnType<typeof parseConfig> {
    return parseConfig(JSON.stringify({ dataFolder: 'data', databases }), '/base');
  }

  it('is a configured remote of rclone with a path', () => {
    const stores = ['lab:', 'lab:bucket/prefix', 'my lab+x@y.z:a, b', 'lab:/absolute/path', 'Ümlaut:x'];
    const { databases } = parse(...stores.map((remote) => ({ name: remote, remote, rescanMinutes: 5 })));
    assert.deepEqual(
      databases.map(({ remote }) => remote),
      stores,
    );
    assert.deepEqual(
      databases.map(({ folder }) => folder),
      stores.map(() => undefined),
    );
  });

  const refused = [
    ":sftp,ssh='touch /tmp/x',pass=planted:path",
    ':local:/etc',
    'lab,option=value:path',
    'lab',
    '/folder',
    '--config:x',
    'lab:../outside',
    'lab:a/./b',
    'lab:a\nb',
    'lab:a]b',
    'lab :x',
    '',
  ];
  for (const remote of refused) {
    it(`is not a connection string or a path: ${JSON.stringify(remote)}`, () => {
      assert.throws(
        () => parse({ name: 'A', remote }),
        (error) => {
          assert.ok(error instanceof ConfigError);
          assert.doesNotMatch(error.message, /planted/);
          return error.message.startsWith('config.databases.0.remote must ');
        },
      );
    });
  }

  it('has a name of more than one letter on Windows, where one letter is a drive', () => {
    const isRefused = (remote: string, platform: NodeJS.Platform): boolean =>
      findRemoteProblem(remote, platform) !== undefined;
    assert.deepEqual(
      ['c:x', 'Z:', '7:', 'cc:x', 'é:x'].map((remote) => isRefused(remote, 'win32')),
      [true, true, false, false, false],
    );
    assert.equal(isRefused('c:x', 'linux'), false);
  });

  it('has either a folder or a remote, once', () => {
    assert.throws(() => parse({ name: 'A', folder: 'a', remote: 'lab:' }), /must have a folder or a remote, not both/);
    assert.throws(() => parse({ name: 'A' }), /config\.databases\.0 must have a folder or an rclone remote/);
    assert.throws(() => parse({ name: 'A', folder: 'a', rescanMinutes: 5 }), /is for stores only/);
    const twice = [
      { name: 'A', remote: 'lab:x' },
      { name: 'B', remote: 'lab:x' },
    ];
    assert.throws(() => parse(...twice), /config\.databases\.1\.remote is also the remote of the database A: lab:x/);
  });

  it('may permit transfers to restore archived objects, which folders do not have (D67)', () => {
    const restores = [{ days: 1 }, { days: 365, priority: 'Bulk' }];
    const { databases } = parse(
      ...restores.map((restore, index) => ({ name: `${index}`, remote: `lab:${index}`, restore })),
    );
    assert.deepEqual(
      databases.map(({ restore }) => restore),
      restores,
    );
    const folder = { name: 'A', folder: 'a', restore: { days: 7 } };
    assert.throws(() => parse(folder), /config\.databases\.0\.restore is for stores only/);
  });

  const invalidRestores: [restore: unknown, field: string][] = [
    [true, 'restore'],
    [{}, 'restore.days'],
    [{ days: 0 }, 'restore.days'],
    [{ days: 366 }, 'restore.days'],
    [{ days: 1.5 }, 'restore.days'],
    [{ days: '7' }, 'restore.days'],
    [{ days: 7, priority: 'bulk' }, 'restore.priority'],
    [{ days: 7, tier: 'Bulk' }, 'restore'],
  ];
  for (const [restore, field] of invalidRestores) {
    it(`does not restore objects by ${JSON.stringify(restore)} (D67)`, () => {
      assert.throws(
        () => parse({ name: 'A', remote: 'lab:', restore }),
        (error) => error instanceof ConfigError && error.message.startsWith(`config.databases.0.${field} `),
      );
    });
  }
});
