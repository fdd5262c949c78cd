import assert from 'node:assert/strict';
import type { Reason } from '../../src/core/model/reason.ts';
import { reasonText } from '../../src/host/words.ts';

describe('The words for a reason', () => {
  const rows: readonly (readonly [Reason, string])[] = [
    [
      { kind: 'forbidden', detail: 'The DTS client has no associated ORCID!' },
      'this is not allowed: The DTS client has no associated ORCID',
    ],
    [{ kind: 'notFound', detail: 'No such file.' }, 'unknown to the service: No such file'],
    [{ kind: 'refused', detail: 'Really?!' }, 'the service refused the request: Really'],
    [{ kind: 'refused', detail: 'Wait...' }, 'the service refused the request: Wait'],
    [{ kind: 'serverError', status: 500, detail: '...' }, 'the service failed (500)'],
    [{ kind: 'noService', status: 404 }, 'no data transfer service answers at this address'],
    [
      { kind: 'noService', detail: 'https://dts.example.org' },
      'no data transfer service answers at this address; try https://dts.example.org',
    ],
    [{ kind: 'serviceStopped' }, 'the local service is stopped'],
  ];
  for (const [reason, text] of rows) {
    it(`bring no end mark of their own: ${text}`, () => assert.equal(reasonText(reason), text));
  }

  it('are short, whatever a server said', () => {
    assert.ok(reasonText({ kind: 'refused', detail: 'long '.repeat(1000) }).length < 400);
  });
});
