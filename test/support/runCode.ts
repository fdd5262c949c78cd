import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';

/** The result of running a generated program. */
export interface CodeRun {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

/**
 * Runs a program that reads the key from the environment variable `DTS_KEY` and, for code of the local service, the
 * address from `DTS_ADDRESS`. Rejects if the program isn't installed or
 * doesn't exit on its own within three minutes.
 */
async function run(
  program: string,
  args: readonly string[],
  key: string,
  root: string,
  more: Readonly<Record<string, string>> = {},
): Promise<CodeRun> {
  const dtspy = join(root, 'test', 'support', 'dtspy');
  const path = `${process.env['PATH'] ?? ''}:${dirname(process.execPath)}`;
  const env = {
    PATH: path,
    HOME: '/nonexistent',
    PYTHONPATH: dtspy,
    PYTHONDONTWRITEBYTECODE: '1',
    DTS_KEY: key,
    ...more,
  };
  return await new Promise((resolve, reject) => {
    execFile(program, args, { env, timeout: 180_000 }, (error, output, errors) => {
      if (error?.code === 'ENOENT') reject(new Error(`${program} is missing. Install it: apt-get install ${program}`));
      else if (error && typeof error.code !== 'number')
        reject(new Error(`${program} did not end normally: ${error.message}`));
      else resolve({ exitCode: error ? Number(error.code) : 0, output, errors });
    });
  });
}

/** Runs a Python program that can import a stand-in for dtspy. `root` is the repository that contains the stand-in. */
export async function runPython(
  code: string,
  key: string,
  root = process.cwd(),
  more?: Readonly<Record<string, string>>,
): Promise<CodeRun> {
  return await run('python3', ['-c', code], key, root, more);
}

/** Parses a Python program without running it. The exit code is 0 if the syntax is valid. */
export async function parsePython(code: string): Promise<CodeRun> {
  return await run('python3', ['-c', 'import ast, sys; ast.parse(sys.argv[1])', code], '', '');
}

/** Runs a script in a shell; resolves to its exit code and output. */
export async function runShell(
  shell: 'bash' | 'sh',
  code: string,
  key: string,
  more?: Readonly<Record<string, string>>,
): Promise<CodeRun> {
  return await run(shell, ['-c', code], key, '', more);
}
