import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { dropBeforeAnswer, dropDuringBody, empty, json, text, tooLarge } from '../../support/faultBehaviors.ts';
import type { Behavior } from '../../support/faultBehaviors.ts';
import { HastyClock, startBench } from './clientBench.ts';
import type { Bench } from './clientBench.ts';

describe('A signal that is passed to many requests', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await startBench({ clock: new HastyClock(), limits: { bodyBytes: 50_000 } });
    await bench.connect();
  });

  afterEach(async () => {
    await bench.end();
  });

  const behaviors: Readonly<Record<string, Behavior>> = {
    'a good answer': json([]),
    'an empty error': empty(500),
    'an answer that is no JSON': text(200, 'x'),
    'a dropped connection': dropBeforeAnswer(),
    'a body that is cut off': dropDuringBody(),
    'a body beyond the bound': tooLarge(70_000),
  };

  for (const [name, behavior] of Object.entries(behaviors)) {
    it(`has no listener left after ${name}`, async () => {
      const { signal } = new AbortController();
      bench.server.on('GET /api/v1/databases', behavior);
      await bench.client.databases(signal);
      assert.equal(getEventListeners(signal, 'abort').length, 0);
    });
  }
});
