import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as nodePath from 'node:path';
import { ConfigError, parseConfig } from '../../../src/service/config.ts';

const base = nodePath.resolve('/base');
const good = { dataFolder: 'data', databases: [{ name: 'A', folder: 'a' }] };

describe('The configuration of the local service', () => {
  it('resolves relative folders against the folder of the file', () => {
    const config = parseConfig(JSON.stringify(good), base);
    assert.equal(config.dataFolder, nodePath.join(base, 'data'));
    assert.equal(config.databases[0]?.folder, nodePath.join(base, 'a'));
  });

  it('accepts hosts with and without a port, and resolves the token file', () => {
    const trustedHosts = ['data.example.org', 'data.example.org:8443', 'localhost', '[::1]:8443', '10.0.0.1'];
    const config = parseConfig(JSON.stringify({ ...good, tokenFile: 'token', trustedHosts }), base);
    assert.deepEqual(config.trustedHosts, trustedHosts);
    assert.equal(config.tokenFile, nodePath.join(base, 'token'));
  });

  it('rejects two names for one folder, even through a link', async () => {
    const folder = await mkdtemp(nodePath.join(tmpdir(), 'dts-config-'));
    await mkdir(nodePath.join(folder, 'a'));
    await symlink('a', nodePath.join(folder, 'link'));
    const databases = [...good.databases, { name: 'B', folder: 'link' }];
    assert.throws(
      () => parseConfig(JSON.stringify({ ...good, databases }), folder),
      /also the folder of the database A/,
    );
    await rm(folder, { recursive: true });
  });

  it('rejects two names for a missing folder below a link', async () => {
    const folder = await mkdtemp(nodePath.join(tmpdir(), 'dts-config-'));
    await mkdir(nodePath.join(folder, 'disk'));
    await symlink('disk', nodePath.join(folder, 'link'));
    const databases = [
      { name: 'A', folder: 'disk/later' },
      { name: 'B', folder: 'link/later' },
    ];
    const text = JSON.stringify({ ...good, databases });
    assert.throws(() => parseConfig(text, folder), /also the folder of the database A/);
    await rm(folder, { recursive: true });
  });

  it('rejects a token file and a data folder inside a database through links', async () => {
    const folder = await mkdtemp(nodePath.join(tmpdir(), 'dts-config-'));
    await mkdir(nodePath.join(folder, 'a'));
    await symlink('a', nodePath.join(folder, 'link'));
    await writeFile(nodePath.join(folder, 'a', 'token'), '');
    await symlink(nodePath.join('a', 'token'), nodePath.join(folder, 'token'));
    const places: [field: string, place: string, served: string][] = [
      ['tokenFile', 'link/token', 'a'],
      ['tokenFile', 'a/not/there', 'link'],
      ['tokenFile', 'token', 'a'],
      ['dataFolder', 'link/data', 'a'],
      ['dataFolder', 'a', 'link'],
    ];
    for (const [field, place, served] of places) {
      const config = { ...good, databases: [{ name: 'A', folder: served }], [field]: place };
      const expected = `config.${field} must not be inside the folder of the database A`;
      assert.throws(() => parseConfig(JSON.stringify(config), folder), { message: expected }, `${field} ${place}`);
    }
    await rm(folder, { recursive: true });
  });

  it("allows the folder of a cluster's tasks inside a database only under a name that is not served", async () => {
    const folder = await mkdtemp(nodePath.join(tmpdir(), 'dts-config-'));
    await mkdir(nodePath.join(folder, 'a'));
    await symlink('a', nodePath.join(folder, '.link'));
    const parse = (place: string): string | undefined => {
      const cluster = { slurm: { folder: place } };
      const config = { ...good, databases: [{ name: 'A', folder: 'a' }], cluster };
      return parseConfig(JSON.stringify(config), folder).cluster?.slurm.folder;
    };
    assert.equal(parse('a/.tasks/mine'), nodePath.join(folder, 'a', '.tasks', 'mine'));
    const message = 'config.cluster.slurm.folder must not be inside the folder of the database A';
    for (const place of ['a', 'a/tasks', '.link/tasks']) assert.throws(() => parse(place), { message }, place);
    await rm(folder, { recursive: true });
  });

  it('rejects a database inside the data folder, even through links', async () => {
    const folder = await mkdtemp(nodePath.join(tmpdir(), 'dts-config-'));
    await mkdir(nodePath.join(folder, 'data', 'catalog'), { recursive: true });
    await symlink('data', nodePath.join(folder, 'link'));
    await symlink(nodePath.join('data', 'catalog'), nodePath.join(folder, 'served'));
    const places: [dataFolder: string, served: string][] = [
      ['data', 'data/catalog'],
      ['data', 'link/later'],
      ['link', 'data/later'],
      ['data', 'served'],
    ];
    const message = 'config.databases.1.folder must not be inside the data folder of the service';
    for (const [dataFolder, served] of places) {
      const config = { dataFolder, databases: [...good.databases, { name: 'B', folder: served }] };
      assert.throws(() => parseConfig(JSON.stringify(config), folder), { message }, `${dataFolder} ${served}`);
    }
    await rm(folder, { recursive: true });
  });

  const wrong: [name: string, config: unknown, message: RegExp][] = [
    ['no JSON', undefined, /not valid JSON/],
    ['a missing data folder', { databases: [] }, /config\.dataFolder must be text/],
    [
      'a database without a folder',
      { ...good, databases: [{ name: 'A' }] },
      /config\.databases\.0 must have a folder or an rclone remote/,
    ],
    ['an empty name', { ...good, databases: [{ name: '', folder: 'a' }] }, /databases\.0\.name must not be empty/],
    ['a port out of range', { ...good, port: 70_000 }, /config\.port must not be more than 65535/],
    ['a port that is not an integer', { ...good, port: 1.5 }, /config\.port must be a whole number/],
    ['no bandwidth', { ...good, storeBytesPerSecond: 0 }, /config\.storeBytesPerSecond must be more than 0/],
    [
      'a throttle of zero',
      { ...good, throttleBytesPerSecond: 0 },
      /config\.throttleBytesPerSecond must be more than 0/,
    ],
    [
      'a cluster without a folder for its tasks',
      { ...good, cluster: { slurm: { tasks: 4 } } },
      /config\.cluster\.slurm\.folder must be text/,
    ],
    [
      'a cluster without tasks',
      { ...good, cluster: { slurm: { folder: 'tasks', tasks: 0 } } },
      /config\.cluster\.slurm\.tasks must be at least 1/,
    ],
    [
      'something other than an option of sbatch',
      { ...good, cluster: { slurm: { folder: 'tasks', options: ['--account=lab', 'script.sh'] } } },
      /config\.cluster\.slurm\.options\.1 must be an option such as "--account=lab"/,
    ],
    [
      'an option of sbatch with a space instead of an equals sign',
      { ...good, cluster: { slurm: { folder: 'tasks', options: ['--time 4:00:00'] } } },
      /config\.cluster\.slurm\.options\.0 must be written as "--time=4:00:00"$/,
    ],
    [
      'a folder for tasks inside a database',
      { ...good, cluster: { slurm: { folder: 'a/tasks' } } },
      /config\.cluster\.slurm\.folder must not be inside .* A/,
    ],
    ['an unknown field', { ...good, folders: [] }, /config has unknown fields: folders/],
    [
      'a name twice',
      { ...good, databases: [...good.databases, ...good.databases] },
      /databases\.1\.name is used twice: A/,
    ],
    [
      'two names for one folder',
      { ...good, databases: [...good.databases, { name: 'B', folder: './a/' }] },
      /databases\.1\.folder is also the folder of the database A: .*a$/,
    ],
    ['a token file inside a database', { ...good, tokenFile: 'a/token' }, /tokenFile must not be inside .* A/],
    ['a token instead of a file', { ...good, token: 'x' }, /config has unknown fields: token/],
    ...['https://data.example.org', 'data.example.org/dts', '*.example.org', '', 'a b'].map(
      (host): [string, unknown, RegExp] => [
        `the trusted host ${JSON.stringify(host)}`,
        { ...good, trustedHosts: ['data.example.org', host] },
        /config\.trustedHosts\.1 must be a host as browsers send it, such as "data\.example\.org"/,
      ],
    ),
    ['the data folder inside a database', { ...good, dataFolder: 'a/b' }, /dataFolder must not be inside .* A/],
  ];
  for (const [name, config, message] of wrong) {
    it(`rejects and reports ${name}`, () => {
      const text = config === undefined ? '{' : JSON.stringify(config);
      assert.throws(
        () => parseConfig(text, base),
        (error) => error instanceof ConfigError && message.test(error.message),
      );
    });
  }
});
