import assert from 'node:assert/strict';
import { formatUserData } from '../../../src/core/userData/formatUserData.ts';
import {
  parseUserData,
  type ParsedUserData,
  type UserDataReadResult,
} from '../../../src/core/userData/parseUserData.ts';
import { UserDataSizeError, type UserData } from '../../../src/core/userData/userData.ts';
import { runSteps, runStepsInTurns } from '../../../src/core/util/steps.ts';
import { hostileTransfer, createRecord } from './userDataSpecimens.ts';

const orcid = '0000-0002-1825-0097';
const connection = { id: 'kbase', name: 'KBase', server: 'https://dts.example.org', apiKeyVariable: 'DTS_KEY' };
const folder = { name: 'Archive', folder: '/data/archive', readOnly: true };
const store = { name: 'Lab', remote: 'lab:bucket/prefix', rescanMinutes: 10 };
const data: UserData = {
  orcid,
  connections: [connection],
  databases: [folder, store],
  transfers: [createRecord(1), createRecord(2, { state: 'active', service: 'Lab' })],
};

const format = (content: UserData): string => [...formatUserData(content, Date.UTC(2026, 10, 23))].join('');

const read = (text: string): UserDataReadResult => runSteps(parseUserData(text));

const parse = (text: string): ParsedUserData => {
  const result = read(text);
  assert.ok(result.kind === 'parsed');
  return result;
};

/** Returns the text of the user data file with the given top-level fields added or replaced. */
const change = (fields: Readonly<Record<string, unknown>>): string =>
  JSON.stringify({ ...(JSON.parse(format(data)) as object), ...fields }, undefined, 1);

describe('A user data file (D65)', () => {
  it('is read back as it was exported', () => {
    assert.deepEqual(parse(format(data)), { kind: 'parsed', data, secretLines: [], invalidLines: [] });
    const empty = { connections: [], databases: [], transfers: [] };
    assert.deepEqual(parse(format(empty)).data, empty);
  });

  it('has one entry per line, sorted by time', () => {
    const text = format(data);
    assert.equal(format({ ...data, transfers: data.transfers.toReversed() }), text);
    const lines = text.split('\n').filter((line) => line.startsWith('  {'));
    assert.equal(lines.length, 5);
    assert.match(
      text,
      /^\{\n "format": "data-transfer-explorer user data",\n "version": 1,\n "exported": "2026-11-23T/,
    );
  });

  it('is not written if it would be larger than what an import reads', () => {
    const write = (maxBytes: number): string => [...formatUserData(named, 0, { maxBytes })].join('');
    const named = { ...data, connections: [{ ...connection, name: 'Überlingen' }] };
    const text = write(Number.MAX_SAFE_INTEGER);
    const bytes = new TextEncoder().encode(text).length;
    assert.equal(write(bytes), text);
    assert.throws(() => write(bytes - 1), UserDataSizeError);
  });

  it('does not export or import the permission to send a key over plain HTTP (D4)', () => {
    const permitted = { ...connection, server: 'http://dts.example.org', allowInsecureHttp: true };
    const text = format({ ...data, connections: [permitted] });
    assert.doesNotMatch(text, /allowInsecureHttp/);
    const [parsed] = parse(change({ connections: [permitted] })).data.connections;
    assert.deepEqual(parsed, { ...connection, server: 'http://dts.example.org' });
  });

  it('contains no key that the settings contain (D65)', () => {
    const connections = [
      { ...connection, apiKey: 'made-up-1' },
      { ...connection, id: 'b', server: 'https://user:made-up-2@dts.example.org' },
      { ...connection, id: 'c', name: 'Bearer made-up-3' },
    ];
    const databases = [
      { ...folder, password: 'made-up-4' },
      { ...store, pass: 'made-up-5' },
    ];
    const text = format({ ...data, connections, databases });
    assert.doesNotMatch(text, /made-up/);
    assert.deepEqual(parse(text).data, data);
  });

  it('contains no key that a transfer contains, and keeps the rest of the transfer (D65)', () => {
    const { order } = createRecord(1);
    const secretive = [
      createRecord(1, {
        order: { ...order, description: 'With Bearer made-up-key-of-the-lab-1', instructions: { type: 'reads' } },
      }),
      createRecord(2, {
        order: { ...order, description: 'Reads', instructions: { api_key: 'made-up-2', password: 3 } },
      }),
      { ...createRecord(3), apiKey: 'made-up-4', order: { ...order, extra: { note: 'made-up-5' } } },
      createRecord(4, { service: 'Bearer made-up-6' }),
    ];
    const text = format({ ...data, transfers: secretive });
    assert.doesNotMatch(text, /made-up/);
    assert.deepEqual(parse(text), { ...parse(text), secretLines: [], invalidLines: [] });
    assert.deepEqual(
      parse(text).data.transfers.map((transfer) => transfer.order),
      [{ ...order, instructions: { type: 'reads' } }, { ...order, description: 'Reads' }, order, order],
    );
  });

  it('omits and counts transfers that an import would reject', () => {
    let omitted = 0;
    const transfers = [createRecord(1), { ...createRecord(2), key: 'a/b' }];
    const text = [...formatUserData({ ...data, transfers }, 0, { onOmit: () => (omitted += 1) })].join('');
    assert.deepEqual([omitted, parse(text).data.transfers], [1, [createRecord(1)]]);
  });

  it('reports the lines of suspected keys in transfers, and drops them', () => {
    const { order } = createRecord(1);
    const transfers = [
      { ...createRecord(1), apiKey: 'made-up-1' },
      createRecord(2, { order: { ...order, description: 'Bearer made-up-2', instructions: { client_secret: 3 } } }),
      { ...createRecord(3), key: 'made/up', order: { ...order, password: 'made-up-4' } },
      createRecord(4, { order: { ...order, description: 'Reads', instructions: { key: 5, tokens: 6 } } }),
    ];
    const text = change({ transfers });
    const { data: parsed, secretLines, invalidLines } = parse(text);
    const lines = text.split('\n');
    assert.deepEqual(
      secretLines.map((line) => lines[line - 1]?.trim().replace(/,$/, '')),
      ['"apiKey": "made-up-1"', '"description": "Bearer made-up-2"', '"client_secret": 3', '"password": "made-up-4"'],
    );
    assert.equal(invalidLines.length, 1);
    assert.deepEqual(parsed.transfers, [createRecord(1), createRecord(2), transfers[3]]);
  });

  it('preserves text of a server that looks like a key, without a report', () => {
    const files = [{ id: 'https://me:x@example.org/a', name: 'token' }];
    const transfer = createRecord(1, {
      order: { ...createRecord(1).order, files },
      status: { message: 'Copied from https://me:x@example.org/a' },
    });
    const parsed = parse(change({ transfers: [transfer] }));
    assert.deepEqual([parsed.data.transfers, parsed.secretLines], [[transfer], []]);
  });

  it('is refused with the position if it is not JSON, or cut short', () => {
    assert.deepEqual(read('{\n "format": x}'), { kind: 'broken', line: 2, column: 12 });
    assert.equal(read(format(data).slice(0, -20)).kind, 'broken');
    assert.equal(read('').kind, 'broken');
  });

  for (const [name, text] of Object.entries({
    'a list': '[]',
    'another object': '{"version": 1, "transfers": []}',
    'the exported history': '{"version": 1, "transfers": [], "format": "history"}',
    'a version that is no number': change({ version: '1' }),
  })) {
    it(`is refused as ${name}`, () => assert.deepEqual(read(text), { kind: 'other' }));
  }

  it('is refused if a later version has written it', () => {
    assert.deepEqual(read(change({ version: 2 })), { kind: 'later', version: 2 });
  });

  it('drops unknown fields at every level', () => {
    const transfer = { ...createRecord(1), extra: 1, order: { ...createRecord(1).order, command: 'rm' } };
    const parsed = parse(
      change({ extra: {}, connections: [{ ...connection, icon: 'x' }], databases: [folder], transfers: [transfer] }),
    );
    assert.deepEqual(parsed.data, { ...data, databases: [folder], transfers: [createRecord(1)] });
    assert.deepEqual(parsed.invalidLines, []);
  });

  it('reports the lines of invalid entries, and keeps the others', () => {
    const entries = [{ ...connection, server: 'file:///etc' }, connection, { name: 'x' }, 7, connection];
    const text = change({ connections: entries }).replace(/"databases"/, '\n"databases"');
    const parsed = parse(text);
    assert.deepEqual(parsed.data.connections, [connection]);
    const lines = text.split('\n');
    const starts = parsed.invalidLines.map((line) => lines[line - 1]?.trim());
    assert.deepEqual(starts, ['{', '{', '7,', '{']);
    assert.match(lines[parsed.invalidLines[0] ?? 0] ?? '', /"id": "kbase"/);
  });

  for (const [name, entry] of Object.entries({
    'a password in the address': { ...connection, server: 'https://user:secret@dts.example.org' },
    'the ID of a local service': { ...connection, id: 'local@machine' },
    'a variable that is none': { ...connection, apiKeyVariable: '$(id)' },
    'a port out of range': { ...connection, port: 70_000 },
    'a key as its name': { ...connection, name: 'Bearer abcdefghijklmnop' },
  })) {
    it(`omits a connection with ${name}`, () => {
      const parsed = parse(change({ connections: [entry] }));
      assert.deepEqual(parsed.data.connections, []);
      assert.equal(parsed.invalidLines.length, 1);
    });
  }

  for (const [name, entry] of Object.entries({
    'a backend that runs commands': { name: 'x', remote: ':sftp,ssh=id:' },
    'a remote that leaves its folder': { name: 'x', remote: 'lab:../other' },
    'a folder and a remote': { name: 'x', folder: '/data', remote: 'lab:' },
    'neither folder nor remote': { name: 'x' },
  })) {
    it(`omits a database with ${name}`, () => {
      assert.deepEqual(parse(change({ databases: [entry, folder] })).data.databases, [folder]);
    });
  }

  it('reports the lines of suspected keys, and drops them', () => {
    const text = change({ token: 'abc', connections: [{ ...connection, apiKey: 'a-made-up-key' }] });
    const parsed = parse(text);
    const lines = text.split('\n');
    assert.deepEqual(
      parsed.secretLines.map((line) => lines[line - 1]?.trim()),
      ['"apiKey": "a-made-up-key"', '"token": "abc"'],
    );
    assert.doesNotMatch(JSON.stringify(parsed.data), /a-made-up-key|abc/);
    assert.deepEqual(parsed.data.connections, [connection]);
  });

  for (const [name, broken] of Object.entries({
    'a key that is a path': { key: '../../x' },
    'a key with a slash': { key: 'a/b' },
    'an unknown state': { state: 'exploded' },
    'a time out of range': { createdAt: 1e300 },
    'no changes': { changes: [] },
    'a reason of an unknown kind': { problem: { kind: 'constructor' } },
    'a count that is negative': { status: { fileCount: -1 } },
    'a file without an ID': { order: { ...createRecord(1).order, files: [{ name: 'x' }] } },
    'instructions that are too deep': {
      order: {
        ...createRecord(1).order,
        instructions: JSON.parse('{"a":'.repeat(500) + '1' + '}'.repeat(500)) as object,
      },
    },
  })) {
    it(`omits a transfer with ${name}`, () => {
      const parsed = parse(change({ transfers: [{ ...createRecord(1), ...broken }, createRecord(2)] }));
      assert.deepEqual(parsed.data.transfers, [createRecord(2)]);
      assert.equal(parsed.invalidLines.length, 1);
    });
  }

  it('preserves server text unchanged, because it is data (D53)', () => {
    assert.deepEqual(parse(change({ transfers: [hostileTransfer] })).data.transfers, [hostileTransfer]);
  });

  it('marks a submission whose response was awaited as not confirmed (D12)', () => {
    const [parsed] = parse(change({ transfers: [createRecord(1, { state: 'submitting', changes: undefined })] })).data
      .transfers;
    assert.equal(parsed?.state, 'notConfirmed');
    assert.deepEqual(parsed.problem, { kind: 'dropped', maybeDone: true });
    assert.equal(parsed.changes.at(-1)?.state, 'notConfirmed');
  });

  it('is rejected, or loses the entry, if it is nested thousands of levels deep or has too many errors', () => {
    const [open, close] = ['['.repeat(100_000), ']'.repeat(100_000)];
    const withDeep = (name: string): string => change({ [name]: 'DEEP' }).replace('"DEEP"', `${open}${close}`);
    assert.deepEqual([read(withDeep('x')), read(withDeep('connections'))], [{ kind: 'other' }, { kind: 'other' }]);
    assert.equal(parse(withDeep('transfers')).invalidLines.length, 1);
    const { order } = createRecord(1);
    const overflowing = { ...createRecord(1), order: { ...order, files: Array<number>(300_000).fill(0) } };
    assert.equal(parse(change({ transfers: [overflowing] })).invalidLines.length, 1);
  });

  it('is parsed without blocking the event loop, and can be canceled', async () => {
    const many = { ...data, transfers: Array.from({ length: 5000 }, (_, number) => createRecord(number)) };
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    try {
      const { signal } = new AbortController();
      assert.equal((await runStepsInTurns(parseUserData(format(many)), signal)).kind, 'parsed');
      assert.ok(turns > 1, String(turns));
      const canceled = runStepsInTurns(parseUserData(format(many)), AbortSignal.abort(new Error('canceled')));
      await assert.rejects(canceled, /canceled/);
    } finally {
      clearInterval(timer);
    }
  });

  it('ignores an ORCID iD that is not valid', () => {
    assert.equal(parse(change({ orcid: '0000-0000-0000-0000' })).data.orcid, undefined);
  });
});
