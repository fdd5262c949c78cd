import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { readPlaces } from './places.ts';

const startLimitMs = 60_000;
const endLimitMs = 5_000;
const licenseFlag = '--accept-server-license-terms';

/** What the server is started with: its data folder, and what its processes see beside this process's environment. */
export interface ServerOptions {
  readonly dataFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The folder of the installed extensions, where it is not the one in the data folder. */
  readonly extensions: string | undefined;
  /** The folder of the editor's own extensions, where it is not the one that it comes with. */
  readonly builtIns: string | undefined;
  /** Lets a window's address name an extension under development and its tests. */
  readonly isDevelopmentHost: boolean;
  readonly asksForTrust: boolean;
}

/** The VS Code server as a process: started on a free port, ended with everything it started. */
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

  /** The authority of `vscode-remote:` addresses. */
  get authority(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** What the server has printed so far. */
  get output(): string {
    return this.#lines.join('');
  }

  /** Ends the server and its children, by force when they take longer than five seconds. */
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

  readonly #endNow = (): void => {
    endTree(this.#child, 'SIGKILL');
  };
}

/** Starts a server and resolves when it listens; rejects with its output when it ends first or takes a minute. */
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
      '--disable-telemetry',
      ...(options.asksForTrust ? [] : ['--disable-workspace-trust']),
    ],
    {
      env: environment(options.environment),
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

/** Installs a packed extension into a folder of extensions, with a data folder for the installation itself. */
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

/** An editor that is itself started from an editor's terminal must not take its parent's variables for its own. */
function environment(added: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(VSCODE|ELECTRON|npm)_/.test(name));
  return { ...Object.fromEntries(inherited), ...added };
}

function listening(child: ChildProcess, lines: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (what: string): void => reject(new Error(`The editor's server ${what}:\n${lines.join('')}`));
    const limit = setTimeout(() => fail('did not listen within a minute'), startLimitMs);
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
    // All of them have ended already.
  }
}
