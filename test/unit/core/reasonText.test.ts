import assert from 'node:assert/strict';
import { describeReason } from '../../../src/cli/text/sentences.ts';
import type { Reason } from '../../../src/core/model/reason.ts';

describe('The command line and its agents', () => {
  const id = '175655af-4f89-41d3-9a0c-0305e82c3301';
  const rows: readonly (readonly [Reason, string])[] = [
    [{ kind: 'unauthorized', signIn: 'outage', detail: 'EOF' }, "the service couldn't check the API key: EOF"],
    [{ kind: 'unauthorized', signIn: 'account', detail: 'No.' }, 'the account for this API key has no ORCID iD: No'],
    [{ kind: 'unauthorized', signIn: 'orcid' }, 'the service rejected the ORCID iD'],
    [{ kind: 'unauthorized', signIn: 'key', detail: 'no' }, 'the service rejected the API key: no'],
    [{ kind: 'unauthorized' }, 'the service rejected the API key'],
    [{ kind: 'unauthorized', detail: 'who' }, 'the service rejected the sign-in: who'],
    [{ kind: 'unauthorized', signIn: 'key', keyWorked: true }, 'the service rejected the sign-in'],
    [{ kind: 'forbidden', signIn: 'account' }, 'the account for this API key has no ORCID iD'],
    [
      { kind: 'dropped', isIdAtFault: true, detail: 'x' },
      'the service closes the connection when the ID x is requested',
    ],
    [{ kind: 'dropped', code: 'ECONNRESET' }, 'the connection was lost before the response was complete (ECONNRESET)'],
    [{ kind: 'proxy', status: 407 }, 'the proxy requires a user name and password (407)'],
    [{ kind: 'proxy', status: 502 }, 'the proxy rejected the request (502)'],
    [{ kind: 'proxy', code: 'UNSUPPORTED_PROXY' }, "this kind of proxy isn't supported"],
    [{ kind: 'proxy', code: 'ECONNREFUSED' }, "the proxy can't be used (ECONNREFUSED)"],
    [{ kind: 'foreignAnswer', code: 'KNOWN_ID', detail: id }, `the server returned another transfer's ID (${id})`],
    [{ kind: 'foreignAnswer', code: 'NIL_ID', detail: '0' }, 'the server returned a transfer ID of all zeros (0)'],
    [
      { kind: 'foreignAnswer', code: 'TOO_MANY_FILES', detail: id },
      `the server returned an ID (${id}) for which it reports more files than were requested`,
    ],
    [
      { kind: 'foreignAnswer', code: 'OTHER', detail: 'Not found.' },
      "the server's response belongs to another request: Not found",
    ],
    [{ kind: 'noFolderChoice' }, "the service can't give the folder at the destination a chosen name"],
    [
      { kind: 'noFollowUp' },
      'the service starts nothing after a transfer; a local service needs "followUps": true in its configuration',
    ],
    [{ kind: 'noContent' }, "the service doesn't show the content of files"],
    [{ kind: 'queued' }, 'waiting for a submission to this server to finish'],
    [{ kind: 'badArgument', detail: 'limit must be at least 1' }, 'limit must be at least 1'],
    [{ kind: 'refused', detail: 'one\n\u001B[31mtwo\u202E {0}' }, 'the service refused the request: one [31mtwo {0}'],
    [{ kind: 'keyMissing' }, 'no API key was given; use --key-variable, --key-file or --key-stdin'],
  ];
  for (const [reason, text] of rows)
    it(`says of a failure what the editor says: ${text}`, () => assert.equal(describeReason(reason), text));
});
