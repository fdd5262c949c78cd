import assert from 'node:assert/strict';
import type { Reason } from '../../src/core/model/reason.ts';
import { describeReason } from '../../src/extension/words/reasonWords.ts';

describe('The message for a reason', () => {
  const rows: readonly (readonly [Reason, string])[] = [
    [
      { kind: 'forbidden', detail: 'The DTS client has no associated ORCID!' },
      'access denied: The DTS client has no associated ORCID',
    ],
    [{ kind: 'notFound', detail: 'No such file.' }, 'not found on the service: No such file'],
    [{ kind: 'refused', detail: 'Really?!' }, 'the service refused the request: Really'],
    [{ kind: 'refused', detail: 'Wait...' }, 'the service refused the request: Wait'],
    [{ kind: 'serverError', status: 500, detail: '...' }, 'the service returned an error (500)'],
    [{ kind: 'noService', status: 404 }, 'no data transfer service was found at this address'],
    [
      { kind: 'noService', detail: 'https://dts.example.org' },
      'no data transfer service was found at this address; try https://dts.example.org',
    ],
    [{ kind: 'serviceStopped' }, 'the local service is stopped'],
    [
      { kind: 'lookupFailed', cause: { kind: 'serviceStopped' } },
      "nothing was sent because the files couldn't be looked up: the local service is stopped",
    ],
    [{ kind: 'lookupFailed' }, "nothing was sent because the files couldn't be looked up"],
  ];
  for (const [reason, text] of rows) {
    it(`has no final punctuation: ${text}`, () => assert.equal(describeReason(reason), text));
  }

  it('is short for any server message', () => {
    assert.ok(describeReason({ kind: 'refused', detail: 'long '.repeat(1000) }).length < 400);
  });
});
