import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import * as os from 'node:os';
import * as nodePath from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '../../support/eventually.ts';
import { startLocalService, type StartedService } from '../../support/localService.ts';
import { RawConnection } from '../../support/rawHttp.ts';

const mainFile = nodePath.join(import.meta.dirname, '../../../src/service/main.ts');
const orcid = '0000-0002-1825-0097';

async function call(service: StartedService, method: string, path: string, body?: unknown): Promise<unknown> {
  const response = await fetch(`${service.address}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}

/** Returns false if no process has the given ID. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('The process of the local service', () => {
  let root: string;
  let databases: { name: string; folder: string }[];
  const running: StartedService[] = [];

  beforeEach(async () => {
    root = await fs.mkdtemp(nodePath.join(os.tmpdir(), 'dts-process-'));
    databases = ['source', 'target'].map((name) => ({ name, folder: nodePath.join(root, name) }));
    for (const database of databases) await fs.mkdir(database.folder);
  });

  afterEach(async () => {
    for (const service of running.splice(0)) await service.stop();
    await fs.rm(root, { recursive: true });
  });

  async function start(more: object = {}): Promise<StartedService> {
    const service = await startLocalService({ databases, dataFolder: nodePath.join(root, 'data'), ...more });
    running.push(service);
    return service;
  }

  async function runMain(args: readonly string[], input = ''): Promise<{ code: unknown; out: string; log: string }> {
    const child = spawn(process.execPath, [mainFile, ...args]);
    let out = '';
    let log = '';
    child.stdout.on('data', (chunk) => (out += String(chunk)));
    child.stderr.on('data', (chunk) => (log += String(chunk)));
    child.stdin.end(input);
    const [code] = (await once(child, 'close')) as [unknown];
    return { code, out, log };
  }

  it('stops cleanly on a signal, and does not log its token', async () => {
    const service = await start();
    await call(service, 'GET', '/databases');
    assert.equal(await service.stop(), 0);
    assert.ok(!service.log().includes(service.token));
    assert.ok(!service.log().includes('ExperimentalWarning'));
  });

  it('retains the token of its token file over restarts without printing it, and rejects a file that others can read (D40)', async () => {
    const tokenFile = nodePath.join(root, 'token');
    const first = await start({ tokenFile });
    const { token } = first;
    assert.deepEqual(Object.keys(JSON.parse(first.printed) as object), ['address', 'version', 'pid']);
    assert.equal(await fs.readFile(tokenFile, 'utf8'), `${token}\n`);
    assert.ok(Array.isArray(await call(first, 'GET', '/databases')));
    await first.stop();
    const second = await start({ tokenFile });
    assert.equal(second.token, token);
    assert.ok(Array.isArray(await call({ ...second, token }, 'GET', '/databases')));
    await second.stop();
    await fs.chmod(tokenFile, 0o644);
    const config = { dataFolder: nodePath.join(root, 'data'), databases, tokenFile };
    const { code, log } = await runMain(['--config', '-'], `${JSON.stringify(config)}\n`);
    assert.deepEqual(
      [code, log],
      [2, `config.tokenFile ${tokenFile} is accessible to other users; run "chmod 600 ${tokenFile}"\n`],
    );
    assert.ok(![first.log(), second.log()].join('').includes(token));
  });

  it('creates its token file in a missing data folder', async () => {
    const tokenFile = nodePath.join(root, 'data', 'token');
    const service = await start({ tokenFile });
    assert.equal(await fs.readFile(tokenFile, 'utf8'), `${service.token}\n`);
    assert.equal((await fs.stat(nodePath.dirname(tokenFile))).mode & 0o777, 0o700);
  });

  it('writes its access log to standard error, a line of JSON for each request (D40)', async () => {
    const service = await start();
    await call(service, 'GET', '/databases');
    const lines = await eventually(async () => {
      const found = service
        .log()
        .split('\n')
        .filter((line) => line.startsWith('{'));
      return await Promise.resolve(found.length > 0 ? found : undefined);
    });
    assert.equal(lines.length, 1);
    const { method, route, status } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    assert.deepEqual([method, route, status], ['GET', '/api/v1/databases', 200]);
  });

  it('drops log lines while nothing reads them, and then logs their number (D40)', async () => {
    const config = { dataFolder: nodePath.join(root, 'data'), databases, endWithStdin: true };
    const child = spawn(process.execPath, [mainFile, '--config', '-']);
    try {
      child.stdin.write(`${JSON.stringify(config)}\n`);
      const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      const request = 'GET /health HTTP/1.1\r\nHost: example.org\r\n\r\n';
      const count = 8_000;
      for (let sent = 0; sent < count; sent += 200) {
        const connection = await RawConnection.open((JSON.parse(line) as StartedService).address);
        connection.write(request.repeat(200));
        for (let answered = 0; answered < 200; answered += 1) assert.equal((await connection.answer())?.status, 403);
        connection.end();
      }
      let log = '';
      child.stderr.on('data', (chunk) => (log += String(chunk)));
      const dropped = await eventually(
        async () =>
          await Promise.resolve(
            / warn (\d+) log lines were dropped because standard error was not read fast enough\.\n/.exec(log)?.[1],
          ),
      );
      const lines = log.split('\n').filter((text) => text.startsWith('{'));
      assert.equal(lines.length + Number(dropped), count);
      assert.ok(lines.every((text) => (JSON.parse(text) as { status: number }).status === 403));
    } finally {
      child.kill('SIGKILL');
    }
  });

  for (const signals of [['SIGHUP'], ['SIGINT', 'SIGINT', 'SIGTERM']] as const) {
    it(`stops cleanly on ${signals.join(', ')}: the journal is closed, and nothing remains open`, async () => {
      const service = await start();
      for (const signal of signals) process.kill(service.pid, signal);
      await eventually(async () => await Promise.resolve(isRunning(service.pid) ? undefined : true));
      assert.equal(await service.stop(), 0);
      await assert.rejects(fs.access(nodePath.join(root, 'data', 'journal.db-wal')));
      assert.equal((await start()).pid !== service.pid, true);
    });
  }

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'] as const) {
    it(`ends when npm, its parent, gets ${signal}, and releases its data folder`, async () => {
      const dataFolder = nodePath.join(root, 'data');
      const config = nodePath.join(root, 'config.json');
      await fs.writeFile(config, JSON.stringify({ dataFolder, databases }));
      const npm = spawn('npm', ['run', '--silent', 'service', '--', '--config', config], {
        cwd: nodePath.join(import.meta.dirname, '../../..'),
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = (await once(createInterface({ input: npm.stdout }), 'line')) as [string];
      const { pid, address } = JSON.parse(line) as { pid: number; address: string };
      assert.equal((await fetch(address)).status, 401);
      npm.kill(signal);
      await eventually(async () => await Promise.resolve(isRunning(pid) ? undefined : true));
      await assert.rejects(fetch(address));
      await start();
    });
  }

  it('ends when npm was killed before the service listened', async () => {
    const config = nodePath.join(root, 'config.json');
    execFileSync('mkfifo', [config]);
    const npm = spawn('npm', ['run', '--silent', 'service', '--', '--config', config], {
      cwd: nodePath.join(import.meta.dirname, '../../..'),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    // Opening the pipe waits for its reader, so the service is now reading its configuration.
    const pipe = await fs.open(config, 'w');
    npm.kill('SIGKILL');
    await once(npm, 'exit');
    await pipe.writeFile(JSON.stringify({ dataFolder: 'data', databases }));
    await pipe.close();
    const [line] = (await once(createInterface({ input: npm.stdout }), 'line')) as [string];
    const { pid } = JSON.parse(line) as { pid: number };
    try {
      await eventually(async () => await Promise.resolve(isRunning(pid) ? undefined : true));
    } finally {
      if (isRunning(pid)) process.kill(pid);
    }
  });

  it('exits when its standard input closes, and prints exactly one line', async () => {
    const config = { dataFolder: nodePath.join(root, 'data'), databases, endWithStdin: true };
    const { code, out } = await runMain(['--config', '-'], `${JSON.stringify(config)}\n`);
    assert.equal(code, 0);
    const line = JSON.parse(out) as Record<string, unknown>;
    assert.deepEqual(Object.keys(line), ['address', 'token', 'version', 'pid']);
    assert.match(String(line['address']), /^http:\/\/127\.0\.0\.1:\d+$/);
  });

  const wrong: [args: string[], input: string, log: RegExp][] = [
    [[], '', /usage: --config FILE/],
    [['--colour'], '', /usage: --config FILE/],
    [['--config', 'no-such-file.json'], '', /cannot read .*no-such-file\.json/],
    [['--config', '-'], '{}', /config\.dataFolder must be text/],
    [['--config', '-'], '', /not valid JSON/],
  ];
  for (const [args, input, log] of wrong) {
    it(`ends with code 2 and a reason when started with ${JSON.stringify(args)} and ${JSON.stringify(input)}`, async () => {
      const result = await runMain(args, input);
      assert.equal(result.code, 2);
      assert.match(result.log, log);
      assert.equal(result.out, '');
    });
  }

  for (const [text, problem] of [
    ['{ "dataFolder": "data", "databases": [], "porrt": 1 }', 'config has unknown fields: porrt'],
    ['', 'config is not valid JSON'],
  ] as const) {
    it(`names the file of its configuration if that contains ${text || 'nothing'}`, async () => {
      const file = nodePath.join(root, 'service.json');
      await fs.writeFile(file, text);
      const { code, log } = await runMain(['--config', file], '');
      assert.deepEqual([code, log], [2, `${file}: ${problem}\n`]);
    });
  }

  it('rejects a data folder that another service uses (D25)', async () => {
    await start();
    await assert.rejects(
      start(),
      /did not start: Another local service, perhaps one started by another window, is using the same data folder/,
    );
  });

  it('resumes a transfer after being killed while it ran, and retains transferred files (D25)', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `file-${String(index).padStart(2, '0')}.bin`);
    for (const name of names) await fs.writeFile(nodePath.join(root, 'source', name), name.repeat(5_000));
    const first = await start({ throttleBytesPerSecond: 500_000 });
    const order = { orcid, source: 'source', destination: 'target', file_ids: names, description: 'kept' };
    const { id } = (await call(first, 'POST', '/transfers', order)) as { id: string };
    const status = async (service: StartedService): Promise<{ status: string; num_files_transferred: number }> =>
      (await call(service, 'GET', `/transfers/${id}`)) as { status: string; num_files_transferred: number };
    await eventually(async () => ((await status(first)).num_files_transferred >= 3 ? true : undefined));
    await first.kill();

    const folder = nodePath.join(root, 'target', `dts-${id}`);
    const before = await fs.stat(nodePath.join(folder, 'file-00.bin'));
    const second = await start();
    await eventually(async () => ((await status(second)).status === 'succeeded' ? true : undefined));
    assert.equal((await status(second)).num_files_transferred, 20);
    assert.deepEqual((await fs.readdir(folder)).sort(), [...names, 'manifest.json']);
    assert.equal((await fs.stat(nodePath.join(folder, 'file-00.bin'))).ino, before.ino);
    for (const name of names) {
      assert.equal(await fs.readFile(nodePath.join(folder, name), 'utf8'), name.repeat(5_000));
    }
    const manifest = JSON.parse(await fs.readFile(nodePath.join(folder, 'manifest.json'), 'utf8')) as {
      description: string;
    };
    assert.equal(manifest.description, 'kept');
  });
});
