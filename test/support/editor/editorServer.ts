import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { dataHomeVariables, getEditorDataHome } from '../dataHome.ts';
import { sendSignal } from './localServices.ts';
import { readPlaces } from './places.ts';
import { until } from './until.ts';

const startLimitMs = 180_000;
const endLimitMs = 5_000;
const licenseFlag = '--accept-server-license-terms';
/** On loopback, compressing the messages of windows only takes CPU time. */
const compressionFlag = '--disable-websocket-compression';

/** Options for starting the server: its folders, and the additional environment variables of its processes. */
export interface ServerOptions {
  readonly dataFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The folder of installed extensions, if it is not in the data folder. */
  readonly extensions: string | undefined;
  /** The folder of built-in extensions, if it is not the editor's own. */
  readonly builtIns: string | undefined;
  /** Allows a window's URL to name an extension under development and its tests. */
  readonly isDevelopmentHost: boolean;
  readonly asksForTrust: boolean;
}

/** A VS Code server that runs in its own process and listens on a free port. Closing it also ends its child processes. */
export class EditorServer {
  readonly port: number;
  readonly #child: ChildProcess;
  readonly #lines: string[];

  constructor(port: number, child: ChildProcess, lines: string[]) {
    this.port = port;
    this.#child = child;
    this.#lines = lines;
    process.once('exit', this.#endNow);
  }

  /** The authority for `vscode-remote:` URIs. */
  get authority(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** The output of the server so far. */
  get output(): string {
    return this.#lines.join('');
  }

  /** Stops the server and its child processes; kills them if they take longer than five seconds. */
  async close(): Promise<void> {
    process.off('exit', this.#endNow);
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    endTree(this.#child, 'SIGTERM');
    const force = setTimeout(this.#endNow, endLimitMs);
    await ended;
    clearTimeout(force);
    endTree(this.#child, 'SIGKILL');
  }

  /** Kills the extension hosts of all windows, as a power failure would. Resolves when they are gone. */
  async endExtensionHosts(): Promise<void> {
    const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args=']);
    const parent = String(this.#child.pid);
    for (const line of stdout.split('\n')) {
      const [pid, parentPid] = line.trim().split(/\s+/);
      if (parentPid === parent && line.includes('--type=extensionHost')) await endProcess(Number(pid));
    }
  }

  readonly #endNow = (): void => {
    endTree(this.#child, 'SIGKILL');
  };
}

/**
 * Starts a server. Resolves when it is listening; rejects with its output if it ends first or takes over three minutes.
 */
export async function startServer(options: ServerOptions): Promise<EditorServer> {
  const child = spawn(
    process.execPath,
    [
      serverProgram(),
      ...['--host', '127.0.0.1', '--port', '0', '--without-connection-token', licenseFlag],
      ...(options.isDevelopmentHost ? ['--enable-smoke-test-driver'] : []),
      ...['--server-data-dir', options.dataFolder],
      ...(options.extensions === undefined ? [] : ['--extensions-dir', options.extensions]),
      ...(options.builtIns === undefined ? [] : ['--builtin-extensions-dir', options.builtIns]),
      ...['--disable-telemetry', compressionFlag],
      ...(options.asksForTrust ? [] : ['--disable-workspace-trust']),
    ],
    {
      env: environment({ ...dataHomeVariables(getEditorDataHome(options.dataFolder)), ...options.environment }),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    },
  );
  const lines: string[] = [];
  const port = await listening(child, lines).catch((error: unknown) => {
    endTree(child, 'SIGKILL');
    throw error;
  });
  return new EditorServer(port, child, lines);
}

/** Installs a VSIX file into an extensions folder. `dataFolder` is the data folder of the installation process. */
export function installVsix(vsix: string, extensions: string, dataFolder: string): void {
  const folders = ['--extensions-dir', extensions, '--server-data-dir', dataFolder];
  execFileSync(process.execPath, [serverProgram(), licenseFlag, '--install-extension', vsix, ...folders], {
    env: environment({}),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

function serverProgram(): string {
  return join(readPlaces().server, 'out', 'server-main.js');
}

/** Returns the environment for an editor, without the variables that npm or the terminal of another editor has set. */
function environment(added: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VSCODE|ELECTRON|npm)_/.test(name));
  return { ...Object.fromEntries(inherited), ...added };
}

function listening(child: ChildProcess, lines: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (what: string): void => reject(new Error(`The editor's server ${what}:\n${lines.join('')}`));
    const limit = setTimeout(() => fail('did not listen within three minutes'), startLimitMs);
    const read = (chunk: Buffer): void => {
      lines.push(chunk.toString());
      const port = /Extension host agent listening on (\d+)/.exec(lines.join(''))?.[1];
      if (port === undefined) return;
      clearTimeout(limit);
      resolve(Number(port));
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', (error) => fail(`could not be started (${error.message})`));
    child.once('exit', (code) => fail(`ended with code ${code}`));
  });
}

function endTree(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') execFileSync('taskkill', ['/PID', String(child.pid), '/T', '/F']);
    else process.kill(-child.pid, signal);
  } catch {
    // The processes have already ended.
  }
}

/** Kills a process, which need not be a child of this one; resolves when the process is gone. */
async function endProcess(pid: number): Promise<void> {
  if (!sendSignal(pid, 'SIGKILL')) return;
  await until(`the process ${pid} to end`, async () => (sendSignal(pid, 0) ? undefined : true));
}
