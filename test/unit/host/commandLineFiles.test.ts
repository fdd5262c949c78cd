import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  getLauncherCommand,
  setTerminalVariables,
  writeConnections,
  writeLaunchers,
} from '../../../src/extension/editor/commandLineFiles.ts';
import { omit } from '../../../src/core/util/json.ts';
import { cliVersion } from '../../../src/cli/version.ts';
import { cliProgram } from '../../support/cliProcess.ts';

const run = promisify(execFile);

describe('The command line in terminals', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "it's a folder "));
  });
  afterEach(() => rm(folder, { recursive: true }));

  function getPlaces() {
    return { folder: join(folder, 'cli'), program: cliProgram, ledgerFolder: join(folder, 'transfers') };
  }

  /** Returns the environment variables that are set in a new terminal. */
  function getVariables(): Record<string, string> {
    const variables: Record<string, string> = {};
    setTerminalVariables(
      {
        prepend: (name, value) => void (variables[name] = value + (process.env[name] ?? '')),
        replace: (name, value) => void (variables[name] = value),
      },
      getPlaces(),
    );
    return variables;
  }

  it('is found on the PATH, and runs with the Node.js of the editor', async () => {
    await writeLaunchers(getPlaces());
    const env = { ...process.env, ...getVariables() };
    const { stdout } = await run('data-transfer', ['--version'], { env });
    assert.equal(stdout, `${cliVersion}\n`);
    const history = await run('sh', ['-c', 'data-transfer history --json "$@"', 'sh', '--limit', '5'], { env });
    assert.equal(history.stdout, '{"transfers":[]}\n');
  });

  it('runs without the variables of a terminal, for programs that start it themselves', async () => {
    const places = { ...getPlaces(), folder: join(folder, 'a $HOME `x` "b" %TEMP% }') };
    await writeLaunchers(places);
    const [command, ...args] = getLauncherCommand(places, { platform: process.platform });
    const { stdout } = await run(command, [...args, 'history', '--json'], { env: { PATH: process.env['PATH'] } });
    assert.equal(stdout, '{"transfers":[]}\n');
  });

  it('is started on Windows by the full path of the interpreter, which preserves quotes and runs nothing else', () => {
    const shell = 'C:\\Windows\\System32\\cmd.exe';
    const [command, ...args] = getLauncherCommand({ folder: 'C:' }, { platform: 'win32', shell });
    assert.deepEqual([command, ...args.slice(0, 3)], [shell, '/d', '/c', 'call']);
    assert.match(args[3] ?? '', /^C:.data-transfer\.cmd$/);
    assert.equal(getLauncherCommand({ folder: 'C:' }, { platform: 'win32' })[0], 'cmd');
  });

  it('has a launcher for Windows that takes every path literally, and starts no program by a bare name', async () => {
    const places = { ...getPlaces(), folder: join(folder, 'A & B (Lab) 100% %PATH% !x! ^é') };
    await writeLaunchers(places);
    const text = await readFile(join(places.folder, 'data-transfer.cmd'), 'utf8');
    assert.ok(text.endsWith('\r\n') && !/[^\r]\n/.test(text), 'every line ends with CR and LF');
    const lines = text.split('\r\n').slice(0, -1);
    const settings = lines.flatMap((line) => /^if not defined (\w+) set "(\w+)=(.*)"$/.exec(line)?.slice(1) ?? []);
    assert.equal(settings.length, 4 * 3);
    assert.equal(settings[11]?.replaceAll('%%', '%'), join(places.folder, 'connections.json'));
    assert.doesNotMatch(settings.join('').replaceAll('%%', ''), /%/);
    const others = lines.filter((line) => !line.includes(' set "'));
    assert.deepEqual(others, [
      '@echo off',
      'setlocal DisableDelayedExpansion',
      'set ELECTRON_RUN_AS_NODE=1',
      'if not defined DATA_TRANSFER_NODE "%SystemRoot%\\System32\\chcp.com" 65001 >nul',
      '"%DATA_TRANSFER_NODE%" "%DATA_TRANSFER_CLI%" %*',
    ]);
  });

  it('has the connections of the window, without their keys', async () => {
    const lab = {
      id: 'one',
      name: 'Lab',
      server: 'http://127.0.0.1:9',
      transport: 'editor',
      apiKeyVariable: 'LAB',
    } as const;
    const local = { id: 'local@here', name: 'Local Service', serviceFile: join(folder, 'service.json') };
    await writeLaunchers(getPlaces());
    await writeConnections(getPlaces(), { orcid: '0000-0002-1825-0097', connections: [lab], local });
    const text = await readFile(join(folder, 'cli', 'connections.json'), 'utf8');
    const connections = [omit(lab, 'transport'), local];
    assert.deepEqual(JSON.parse(text), { orcid: '0000-0002-1825-0097', connections });
    const env = { ...process.env, ...getVariables(), LAB: 'a-key' };
    const failed = run('data-transfer', ['databases', '--connection', 'Lab'], { env });
    await assert.rejects(failed, { code: 3, stderr: /^Couldn't connect to Lab: the service can't be reached/ });
    await writeFile(local.serviceFile, '{}');
    const stopped = run('data-transfer', ['databases', '--connection', 'Local Service'], { env });
    await assert.rejects(stopped, { code: 3, stderr: /the local service is stopped\.\n$/ });
  });
});
