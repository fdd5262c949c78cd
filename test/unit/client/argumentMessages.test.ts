import assert from 'node:assert/strict';
import { checkArguments, type Operation } from '../../../src/core/client/request.ts';

const id = '3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d';

/** Valid arguments of each operation. */
const good = {
  connect: { apiKey: 'the-key', server: 'http://127.0.0.1' },
  search: { orcid: 'o', database: 'd', query: 'q' },
  fetchMetadata: { orcid: 'o', database: 'd', ids: ['f'] },
  transfer: { orcid: 'o', source: 's', destination: 'd', fileIds: [] },
  transferStatus: { id },
  cancelTransfer: { orcid: 'o', id },
  pauseTransfer: { orcid: 'o', id },
  resumeTransfer: { orcid: 'o', id },
  transferFiles: { id },
  searchParameters: { databaseId: 'd' },
  scanDatabase: { databaseId: 'd' },
  readContent: { databaseId: 'd', fileId: 'f', offset: 0, limit: 1 },
} as const satisfies Record<Operation, object>;

function getRefusal(operation: Operation, wrong: object): string {
  try {
    checkArguments(operation, { ...good[operation], ...wrong });
    return 'accepted';
  } catch (error) {
    return String(error);
  }
}

const maximum = String(Number.MAX_SAFE_INTEGER);

/** Messages for each row of §4.8 and for the checks that decisions add. */
const refusals: readonly (readonly [Operation, object, string])[] = [
  ['search', { orcid: 1 }, 'TypeError: search: "orcid" must be a string, not 1'],
  ['search', { query: NaN }, 'TypeError: search: "query" must be a string or a finite number, not NaN'],
  ['search', { status: 'lost' }, 'TypeError: search: "status" must be "staged" or "unstaged", not "lost"'],
  ['search', { offset: null }, 'TypeError: search: "offset" must be a whole number, not null'],
  ['search', { limit: 1.5 }, 'TypeError: search: "limit" must be a whole number, not 1.5'],
  ['search', { offset: -1 }, 'ValueError: search: "offset" must be at least 0, not -1'],
  ['search', { limit: '-1' }, 'ValueError: search: "limit" must be at least 1, not "-1"'],
  ['search', { offset: 2 ** 53 }, `ValueError: search: "offset" must be at most ${maximum}, not 9007199254740992`],
  ['search', { specific: [] }, 'TypeError: search: "specific" must be a JSON object, not an empty list'],
  [
    'fetchMetadata',
    { ids: [] },
    'RuntimeError: fetchMetadata: "ids" must be a list with at least one ID, not an empty list',
  ],
  ['fetchMetadata', { ids: [1] }, 'TypeError: fetchMetadata: "ids" must be a list of strings, not a list'],
  ['transfer', { fileIds: {} }, 'TypeError: transfer: "fileIds" must be a list, not an object'],
  ['transfer', { timeout: '1' }, 'TypeError: transfer: "timeout" must be a number of seconds, not "1"'],
  [
    'transfer',
    { timeout: 0 },
    'ValueError: transfer: "timeout" must be more than 0 and at most 2147483 seconds, not 0',
  ],
  [
    'transfer',
    { timeout: 2_147_484 },
    'ValueError: transfer: "timeout" must be more than 0 and at most 2147483 seconds, not 2147484',
  ],
  ['transfer', { description: true }, 'TypeError: transfer: "description" must be a string, not true'],
  ['transfer', { instructions: 'x' }, 'TypeError: transfer: "instructions" must be a JSON object, not "x"'],
  ['connect', { server: Object }, 'TypeError: connect: "server" must be a string, not a function'],
  ['connect', { server: undefined }, 'TypeError: connect: "server" must be a string, not undefined'],
  ['connect', { port: '80' }, 'TypeError: connect: "port" must be a whole number, not "80"'],
  ['connect', { port: 0 }, 'ValueError: connect: "port" must be between 1 and 65535, not 0'],
  ['connect', { port: 65_536 }, 'ValueError: connect: "port" must be between 1 and 65535, not 65536'],
  ['connect', { scheme: 'x' }, 'TypeError: connect: "scheme" must be "base64" or "plain", not "x"'],
  ['connect', { transport: 'x' }, 'TypeError: connect: "transport" must be "direct" or "editor", not "x"'],
  ['transferStatus', { id: undefined }, 'TypeError: transferStatus: "id" must be a string, not undefined'],
  ['cancelTransfer', { id: 'x' }, 'ValueError: cancelTransfer: "id" must be a UUID, not "x"'],
  [
    'searchParameters',
    { databaseId: '..' },
    'ValueError: searchParameters: "databaseId" must be an ID that can be part of an address, not ".."',
  ],
];

describe('The message for a refused argument (§4.8)', () => {
  for (const [operation, wrong, message] of refusals) {
    it(message, () => assert.equal(getRefusal(operation, wrong), message));
  }

  it('never shows a key (D14)', () => {
    const notText = 'TypeError: connect: "apiKey" must be a string, not what was given';
    for (const apiKey of [1234, ['secret'], { key: 'secret' }])
      assert.equal(getRefusal('connect', { apiKey }), notText);
    assert.equal(
      getRefusal('connect', { apiKey: 'secret\n' }),
      'TypeError: connect: "apiKey" must be printable ASCII characters only, not what was given',
    );
  });

  it('shows a string of up to sixty characters as JSON', () => {
    const refused = (status: string): string => getRefusal('search', { status }).split(', not ')[1] ?? '';
    assert.equal(refused('"'.repeat(60)), JSON.stringify('"'.repeat(60)));
    assert.equal(refused('x'.repeat(61)), 'a long string');
  });

  it('reports only that the arguments cannot be read if a getter throws', () => {
    const cause = new Error('no');
    const given = {
      get orcid(): never {
        throw cause;
      },
    };
    assert.throws(() => checkArguments('search', given), {
      name: 'TypeError',
      message: 'search: the arguments cannot be read',
      cause,
    });
  });
});

describe('An argument at the limit of what is accepted (§4.8)', () => {
  const accepted: readonly (readonly [Operation, object])[] = [
    ['transfer', { timeout: 2_147_483 }],
    ['transfer', { timeout: 0.001 }],
    ['transfer', { timeout: null }],
    ['connect', { port: 1 }],
    ['connect', { port: 65_535 }],
    ['connect', { transport: 'direct' }],
    ['connect', { transport: 'editor' }],
    ['connect', { transport: null }],
    ['search', { limit: '' }],
    ['search', { offset: Number.MAX_SAFE_INTEGER }],
  ];
  for (const [operation, edge] of accepted)
    it(`is accepted: ${operation} ${JSON.stringify(edge)}`, () =>
      assert.equal(getRefusal(operation, edge), 'accepted'));
});
