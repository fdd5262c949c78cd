import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { window } from 'vscode';
import { eventually } from '../support/eventually.ts';
import { Stage } from './stage.ts';

const key = 'the-key';

describe('The command line in a terminal of the editor', () => {
  let stage: Stage;
  let folder: string;
  beforeEach(async () => {
    stage = await Stage.openConnected();
    folder = await mkdtemp(join(tmpdir(), 'terminal-'));
  });
  afterEach(async () => {
    await stage.close();
    await rm(folder, { recursive: true });
  });

  /** Runs a command line in a new terminal. Resolves to its standard output. */
  async function runInTerminal(line: string): Promise<string> {
    const [part, whole] = [join(folder, 'part'), join(folder, 'whole')];
    const terminal = window.createTerminal({ env: { THE_KEY: key }, shellPath: '/bin/sh' });
    terminal.sendText(`${line} --key-variable THE_KEY > '${part}' 2> '${part}.err'; mv '${part}' '${whole}'`);
    const text = await eventually(() => readFile(whole, 'utf8').catch(() => undefined));
    terminal.dispose();
    assert.notEqual(text, '', await readFile(`${part}.err`, 'utf8'));
    return text;
  }

  it('can use the connections of the window, which shows the transfers that it starts', async () => {
    const { address } = stage.server;
    const listed = JSON.parse(await runInTerminal(`data-transfer databases --server ${address} --json`)) as {
      readonly databases: readonly { readonly name: string }[];
    };
    assert.ok(
      listed.databases.some(({ name }) => name.startsWith('KBase')),
      JSON.stringify(listed),
    );
    const line = `data-transfer search 'JGI Data Portal' JDP:000001 --limit 1 --server ${address} --json`;
    await rm(join(folder, 'whole'));
    const [file] = (JSON.parse(await runInTerminal(line)) as { readonly files: readonly { readonly id: string }[] })
      .files;
    assert.ok(file, 'the search finds a file');
    await rm(join(folder, 'whole'));
    const id = await runInTerminal(`data-transfer transfer jdp kbase '${file.id}' --server ${address}`);
    const shown = await eventually(() =>
      Promise.resolve(stage.parts.transferStore.getAll().find((transfer) => transfer.id === id.trim())),
    );
    assert.equal(shown.order.connectionId, stage.parts.sessions.active?.connection.id);
  });
});
