import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const steps = join(import.meta.dirname, '..', '..', '..', 'scripts', 'setup', 'steps.mjs');

/** Returns the Node.js arguments for a script that runs `code` as a program and exits with the program's exit code. */
const script = (code: string): readonly string[] => {
  const imported = `import { runProgram } from ${JSON.stringify(pathToFileURL(steps))};`;
  return [
    '--input-type=module',
    '--eval',
    `${imported} process.exitCode = await runProgram(['--eval', ${JSON.stringify(code)}]);`,
  ];
};

describe('A script that runs a program', () => {
  const runToEnd = async (code: string): Promise<unknown> => {
    const child = spawn(process.execPath, script(code), { stdio: 'ignore' });
    return await once(child, 'close');
  };

  it('exits with the exit code of the program', async () => {
    assert.deepEqual(await runToEnd(''), [0, null]);
    assert.deepEqual(await runToEnd('process.exitCode = 7'), [7, null]);
  });

  it('exits with an error code if a signal ended the program', async () => {
    assert.deepEqual(await runToEnd(`process.kill(process.pid, 'SIGKILL')`), [137, null]);
  });

  it('handles signals before the program can be ready', async () => {
    const countHandlers = `
      import childProcess from 'node:child_process';
      import { syncBuiltinESMExports } from 'node:module';
      const { spawn } = childProcess;
      childProcess.spawn = (...args) => {
        console.log(process.listenerCount('SIGINT'), process.listenerCount('SIGTERM'));
        return spawn(...args);
      };
      syncBuiltinESMExports();
      const { runProgram } = await import(${JSON.stringify(pathToFileURL(steps))});
      await runProgram(['--eval', '']);`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', countHandlers]);
    assert.equal(stdout, '1 1\n');
  });

  it('forwards SIGTERM, leaves Ctrl+C to the program, and waits for its exit', async () => {
    const program = `
      process.on('SIGTERM', () => process.exit(7));
      setTimeout(() => undefined, 4000);
      console.log('ready');`;
    const child = spawn(process.execPath, script(program), { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    child.kill('SIGTERM');
    assert.deepEqual(await once(child, 'close'), [7, null]);
  });
});
