import assert from 'node:assert/strict';
import { createConnectionId } from '../../src/core/util/connectionId.ts';
import { Stage } from './stage.ts';

describe('The saved entry of a connection', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.open();
  });
  afterEach(() => stage.close());

  it('keeps its ID if it has the same address, so that its transfers are recognized', async () => {
    await stage.connectToPublic();
    const [before] = stage.parts.settings.connections;
    await stage.connect('the-key');
    assert.deepEqual(
      stage.parts.settings.connections.map(({ id }) => id),
      [before?.id],
    );
  });

  it('keeps its name and its options if its port was entered in another form', async () => {
    const [server, port] = [`http://127.0.0.1`, Number(new URL(stage.server.address).port)];
    const saved = { id: createConnectionId(server, port), name: 'Mine', server, port, transport: 'direct' } as const;
    await stage.settings.update('connections', [saved], true);
    await stage.connectToPublic();
    assert.deepEqual(stage.parts.settings.connections, [saved]);
  });

  it('gets a unique name if other entries have the name of its service, even with its host', async () => {
    const { host } = new URL(stage.server.address);
    const names = ['DTS prototype', `DTS prototype (${host})`];
    const saved = names.map((name, index) => ({ id: String(index), name, server: `https://dts${index}.example.org` }));
    await stage.settings.update('connections', saved, true);
    await stage.connectToPublic();
    assert.deepEqual(
      stage.parts.settings.connections.map(({ name }) => name),
      [...names, `DTS prototype (${host}) 2`],
    );
  });
});
