import assert from 'node:assert/strict';
import { commands, extensions } from 'vscode';
import type { CommandId } from '../../src/extension/editor/contributions.ts';
import { getCommandTitle } from '../../src/extension/words/commandTitles.ts';
import { listPaletteCommands, type PaletteManifest } from '../support/paletteCommands.ts';
import { extensionId, Stage } from './stage.ts';

describe('The context keys', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.open();
  });
  afterEach(() => stage.close());

  describe('leave in the palette what can be done', () => {
    const { executeCommand } = commands;
    const facts = new Set<string>();
    beforeEach(() => {
      facts.clear();
      const record = async (id: string, ...rest: unknown[]): Promise<unknown> => {
        if (id === 'setContext') facts[rest[1] ? 'add' : 'delete'](String(rest[0]));
        return await executeCommand(id, ...rest);
      };
      Object.assign(commands, { executeCommand: record });
    });
    afterEach(() => Object.assign(commands, { executeCommand }));

    /** Prints and returns the titles that the palette lists. */
    function listTitles(when: string): readonly string[] {
      const manifest = extensions.getExtension(extensionId)?.packageJSON as PaletteManifest;
      const titles = listPaletteCommands(manifest, facts).map((id) => getCommandTitle(id as CommandId));
      console.log(`palette ${when}, ${titles.length}: ${titles.join(' · ')}`);
      return titles;
    }

    it('before there is a connection, with one, and with results', async () => {
      const unconnected = listTitles('without a connection');
      assert.ok(unconnected.includes('Connect to a Service…') && !unconnected.includes('Search Files…'));

      await stage.connectToPublic();
      const connected = listTitles('connected');
      assert.ok(connected.includes('Search Files…') && connected.includes('Disconnect'));
      assert.ok(!connected.includes('Cite…') && !connected.includes('Transfer Again…'));

      await stage.search('JGI Data Portal', '');
      await stage.transferAll('KBase Workspace Service (KSS)');
      const full = listTitles('with results and a transfer');
      const added = full.filter((title) => !connected.includes(title));
      assert.ok(
        ['Cite…', 'Sort Results…', 'Cancel Transfer'].every((title) => added.includes(title)),
        added.join(),
      );
      assert.ok(full.length <= 45);
    });
  });

  it('allow disconnecting while the service cannot be reached', async () => {
    const keys = new Map<string, unknown>();
    const { executeCommand } = commands;
    const record = async (id: string, ...rest: unknown[]): Promise<unknown> => {
      if (id === 'setContext') keys.set(String(rest[0]), rest[1]);
      return await executeCommand(id, ...rest);
    };
    Object.assign(commands, { executeCommand: record });
    try {
      await stage.connectToPublic();
      assert.equal(keys.get('dataTransfer.hasConnection'), true);
      const { connectFlow, sessions } = stage.parts;
      const { connection } = sessions.active ?? assert.fail();
      connectFlow.showFailure(connection, { kind: 'unreachable' });
      assert.deepEqual(
        ['dataTransfer.connected', 'dataTransfer.hasConnection'].map((key) => keys.get(key)),
        [false, true],
      );
      await stage.run('dataTransfer.disconnect');
      assert.equal(keys.get('dataTransfer.hasConnection'), false);
    } finally {
      Object.assign(commands, { executeCommand });
    }
  });
});
