import assert from 'node:assert/strict';
import { publicLike } from '../support/faultPersonality.ts';
import { Stage } from './stage.ts';

describe('Connecting in the editor', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await Stage.open();
  });
  afterEach(() => stage.close());

  it('works', async () => {
    publicLike(stage.server, 'the-key');
    await stage.connect('the-key');
    assert.equal(stage.parts.connectionStore.state.kind, 'connected');
  });
});
