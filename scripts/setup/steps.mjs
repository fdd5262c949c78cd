/** Prints the progress of scripts, including the elapsed time of silent steps, and starts other programs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { constants, homedir } from 'node:os';
import { basename, delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');
const binFolder = join(root, 'node_modules', '.bin');

/** The path of Node.js 24 from the dev dependencies; the scripts themselves may run under an older version. */
export const toolNode = join(root, 'node_modules', 'node', 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

const quietMs = 1500;

/** An expected failure, printed as one sentence with a remedy. For any other error, the stack is printed. */
export class StepError extends Error {
  name = 'StepError';
}

/** The folder of this user for programs that every clone shares. */
export function cacheFolder() {
  const { env, platform } = process;
  const base =
    platform === 'win32'
      ? (env.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'))
      : platform === 'darwin'
        ? join(homedir(), 'Library', 'Caches')
        : join(homedir(), '.cache');
  return join(env.XDG_CACHE_HOME || base, 'data-transfer-explorer');
}

export function say(line) {
  process.stdout.write(`${line}\n`);
}

export function seconds(startedMs) {
  return `${((performance.now() - startedMs) / 1000).toFixed(1)} s`;
}

/** Runs work as a step: prints its title at the start and its duration at the end. Resolves to the result of `work`. */
export async function step(title, work) {
  const started = performance.now();
  say(`${title} …`);
  const result = await work();
  say(`${title}: done in ${seconds(started)}`);
  return result;
}

/** Returns an environment in which every tool finds Node.js 24 first. Omits the variables of an enclosing `npm run`. */
export function toolEnvironment(extra = {}) {
  const env = { ...process.env };
  for (const name of Object.keys(env)) {
    if (/^npm_(package|lifecycle)_|^npm_config_local_prefix$|^INIT_CWD$/.test(name)) delete env[name];
  }
  const pathName = Object.keys(env).find((name) => name.toUpperCase() === 'PATH') ?? 'PATH';
  env[pathName] = [binFolder, env[pathName] ?? ''].join(delimiter);
  return { ...env, ...extra };
}

/** Returns the path of npm's script, which can run under any Node.js and without a shell; undefined if not found. */
function npmProgram() {
  const given = process.env.npm_execpath;
  if (given && basename(given) === 'npm-cli.js' && existsSync(given)) return given;
  const besideNode = join(dirname(process.execPath), 'node_modules', 'npm', 'bin', 'npm-cli.js');
  if (existsSync(besideNode)) return besideNode;
  const folders = (process.env.PATH ?? process.env.Path ?? '').split(delimiter).filter(Boolean);
  const linked = folders.map((folder) => join(folder, 'npm')).find((file) => existsSync(file));
  const program = linked && realpathSync(linked);
  return program?.endsWith('npm-cli.js') ? program : undefined;
}

/** Runs npm under Node.js 24 if that is installed and `cwd` isn't `root`; otherwise, under this process's Node.js. */
export function npm(args, options) {
  const program = npmProgram();
  const node = existsSync(toolNode) && options.cwd !== root ? toolNode : process.execPath;
  return program ? run(node, [program, ...args], options) : run('npm', args, { ...options, shell: true });
}

/**
 * Runs a program without input and prints its output, indented. While the program prints nothing, prints the elapsed
 * time. Resolves to the output; if the program fails, rejects with a StepError that contains the output.
 */
export function run(
  command,
  args,
  { cwd = root, env = toolEnvironment(), label = basename(command), shell = false } = {},
) {
  const started = performance.now();
  const child = spawn(command, args, { cwd, env, shell, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let lastWord = performance.now();
  const pass = (chunk) => {
    output += chunk;
    lastWord = performance.now();
    process.stdout.write(chunk.toString().replace(/^(?=.)/gm, '  '));
  };
  child.stdout.on('data', pass);
  child.stderr.on('data', pass);
  const ticker = setInterval(() => {
    if (performance.now() - lastWord < quietMs) return;
    lastWord = performance.now();
    say(`  … ${label}, ${seconds(started)}`);
  }, 500);
  return new Promise((resolveRun, reject) => {
    child.once('error', (error) => reject(new StepError(`${label} could not be started: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0) resolveRun(output);
      else reject(Object.assign(new StepError(`${label} exited with ${signal ?? `code ${code}`}.`), { output }));
    });
  }).finally(() => clearInterval(ticker));
}

/**
 * Runs a program without input, under the project's Node.js if that is installed; otherwise, under this process's
 * Node.js. The program prints its own progress. Resolves to its exit code, or to 128 plus the signal number if a signal
 * ended it, as shells do. Rejects if the program cannot be started. Ctrl-C reaches the program directly, and this
 * process waits until the program has cleaned up; SIGTERM is forwarded. `stdout` is the destination of the program's
 * output, as in `stdio`.
 */
export async function runProgram(args, { env = toolEnvironment(), stdout = 'inherit' } = {}) {
  const node = existsSync(toolNode) ? toolNode : process.execPath;
  let child;
  const ignoreSignal = () => undefined;
  const forwardSignal = (signal) => child.kill(signal);
  // A signal must not end this process while the program starts.
  process.on('SIGINT', ignoreSignal).on('SIGTERM', forwardSignal);
  try {
    child = spawn(node, args, { cwd: root, env, stdio: ['ignore', stdout, 'inherit'] });
    const [code, signal] = await once(child, 'close');
    return code ?? 128 + constants.signals[signal];
  } finally {
    process.off('SIGINT', ignoreSignal).off('SIGTERM', forwardSignal);
  }
}

const networkErrorCodes =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET_TIMEOUT)\b/;

/**
 * Converts a StepError to one that explains why `what` could not be installed and how to fix the problem. Returns other
 * errors unchanged.
 */
export function explain(error, what) {
  if (!(error instanceof StepError)) return error;
  const code = networkErrorCodes.exec(error.output ?? '')?.[1];
  return new StepError(
    code
      ? `${what} could not be installed because the network could not be reached (${code}): check the connection, the proxy, and npm's "registry" and "proxy" settings, then run "npm run setup" again.`
      : `${what} could not be installed (${error.message}): see the output above, then run "npm run setup" again.`,
  );
}
