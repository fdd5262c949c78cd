import assert from 'node:assert/strict';
import type { TestStep } from '../../src/core/model/connection.ts';
import { getAdvice } from '../../src/extension/words/reasonWords.ts';

describe('The advice after a failed connection test', () => {
  const failed = (step: Pick<TestStep, 'name' | 'reason'> & Partial<TestStep>): TestStep => ({
    outcome: 'failed',
    facts: {},
    ...step,
  });

  it('is to check the proxy if resolving its name took too long', () => {
    const facts = { host: 'proxy.test', proxy: 'http://proxy.test:8080' };
    assert.deepEqual(getAdvice(failed({ name: 'name', facts, reason: { kind: 'timeout' } })), {
      text: 'Check the host name of the proxy in http.proxy or in the HTTPS_PROXY environment variable.',
      setting: 'http.proxy',
    });
  });

  it('is to contact the administrator if the service denies access', () => {
    assert.deepEqual(getAdvice(failed({ name: 'key', reason: { kind: 'forbidden', status: 403 } })), {
      text: "Access was denied. Contact the service's administrator.",
    });
  });
});
