/**
 * Runs the bundled suites in the extension host of the editor's server, one file at a time, as `ring.mjs` requests them:
 * `runHost.ts [pattern]`. Started by `worker.mjs` with an IPC channel.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { type Editor, startEditor } from '../../test/support/editor/editor.ts';
import { saveFailureArtifacts } from '../../test/support/editor/failureArtifacts.ts';
import { repositoryRoot } from '../../test/support/editor/places.ts';
import { ringMark } from '../../test/support/ringReporter.ts';
import { chosenOrder } from '../../test/support/testOrder.ts';
import { isDeep } from '../../test/support/testSize.ts';

/**
 * Runs the suites in a window. Resolves to the exit code that the editor reports: 0 if the suites' `run()` resolved, 1
 * if it rejected. A crash of the page also counts as 1.
 */
async function runSuites(running: Editor): Promise<number> {
  const suites = `vscode-remote://${running.server.authority}${join(repositoryRoot, 'dist', 'test', 'host.cjs')}`;
  return new Promise((resolve, reject) => {
    const prepare = (page: Page): Promise<void> => listen(page, resolve);
    running.openWindow({ payload: [['extensionTestsPath', suites]], prepare }).catch(reject);
  });
}

/**
 * The built-in extensions that the suites need. Others would slow down the window: each changed setting is sent to the
 * extension host with the defaults of all settings.
 */
const builtIns = [
  ...['theme-defaults', 'json', 'markdown-basics', 'markdown-language-features', 'ipynb'],
  ...['python', 'r', 'shellscript'],
];

const stillStyleId = 'still-window';

/**
 * Makes the window transparent and stops its animations, so that the browser has nothing to paint. Painting would take
 * a fifth of the ring's time, and no test in the extension host checks pixels.
 */
const stopPainting = `if (window === top) addEventListener('DOMContentLoaded', () => {
  const style = document.createElement('style');
  style.id = '${stillStyleId}';
  style.textContent = 'body { opacity: 0 } *, ::before, ::after { animation: none !important; transition: none !important }';
  document.head.append(style);
});`;

/**
 * Delivers the messages of the editor's server as buffers. The editor would otherwise read each one from a Blob, which
 * would take a sixth of the ring's CPU time.
 */
const receiveBuffers = `if (window === top) {
  const [OriginalSocket, OriginalReader] = [WebSocket, FileReader];
  window.WebSocket = class extends OriginalSocket {
    constructor(...args) {
      super(...args);
      this.binaryType = 'arraybuffer';
    }
  };
  window.FileReader = class extends OriginalReader {
    readAsArrayBuffer(data) {
      if (data instanceof ArrayBuffer) queueMicrotask(() => this.onload({ target: { result: data } }));
      else super.readAsArrayBuffer(data);
    }
  };
}`;

/** Makes the window visible again, for a screenshot. */
async function resumePainting(running: Editor): Promise<void> {
  for (const page of running.pages)
    await page.evaluate(`document.getElementById('${stillStyleId}')?.remove()`).catch(() => undefined);
}

/**
 * Speeds up the window, and exposes the two functions that the editor calls while it runs tests. Calls `end` with the
 * exit code, or with 1 if the page crashes.
 */
async function listen(page: Page, end: (code: number) => void): Promise<void> {
  await page.addInitScript(stopPainting);
  await page.addInitScript(receiveBuffers);
  const hostConsole = new HostConsole();
  await page.exposeFunction('codeAutomationLog', (severity: string, args: readonly unknown[]) => {
    hostConsole.print(`${severity} ${args.map(String).join(' ')}`);
  });
  await page.exposeFunction('codeAutomationExit', (code: number) => {
    hostConsole.end();
    end(code);
  });
  page.once('crash', () => end(1));
}

/**
 * Prints the console output of the extension host. The editor's output before the first test is printed only if no test
 * runs.
 */
class HostConsole {
  #early: string[] = [];
  #hasBegun = false;

  print(line: string): void {
    this.#hasBegun ||= line.includes(ringMark);
    if (this.#hasBegun) console.log(line);
    else this.#early.push(line);
  }

  end(): void {
    if (!this.#hasBegun) console.log(this.#early.join('\n'));
  }
}

/**
 * Gives the files of the ring's queue to the extension host: passes each request on to the ring, and responds with the
 * ring's message.
 */
async function serveFiles(): Promise<Server> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const finished = (await json(request)) as object;
    process.send?.({ ready: true, ...finished });
    const [next] = (await once(process, 'message')) as [object];
    response.end(JSON.stringify(next));
  };
  const server = createServer((request, response) => void answer(request, response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return server;
}

// Playwright's own handler for this signal would otherwise keep the process running.
process.once('SIGTERM', () => process.exit(143));

const [pattern] = process.argv.slice(2);
const files = await serveFiles();
const editor = await startEditor({
  extensionPath: repositoryRoot,
  isDevelopmentHost: true,
  ...(!isDeep && { builtIns }),
  environment: {
    ...(pattern !== undefined && { DATA_TRANSFER_TEST_GREP: pattern }),
    DATA_TRANSFER_TEST_ORDER: chosenOrder(),
    DATA_TRANSFER_TEST_QUEUE: `http://127.0.0.1:${(files.address() as AddressInfo).port}`,
  },
});
try {
  process.exitCode = await runSuites(editor);
  if (process.exitCode !== 0) {
    await resumePainting(editor);
    for (const file of await saveFailureArtifacts(`host ${process.pid}`)) console.log(`saved ${file}`);
  }
} finally {
  await editor.close();
  files.close();
  process.disconnect();
}
