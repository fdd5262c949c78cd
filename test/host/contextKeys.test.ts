import assert from 'node:assert/strict';
import { commands } from 'vscode';
import { Stage } from './stage.ts';

describe('The context keys', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.open();
  });
  afterEach(() => stage.close());

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
