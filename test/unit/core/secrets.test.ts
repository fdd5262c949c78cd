import assert from 'node:assert/strict';
import { findKeyArgument } from '../../../src/cli/options.ts';
import { findSecrets } from '../../../src/core/util/secrets.ts';
import { assertLinearTime } from '../../support/linearTime.ts';

const list = (value: unknown): readonly string[] => findSecrets(value).map((path) => path.join('/'));

/** A made-up value of 32 characters in the form of a KBase developer token. */
const developerToken = `MADEUP${'2345'.repeat(6)}ZZ`;

const secretNames = [
  ...['key', 'token', 'secret', 'password', 'passwd', 'passphrase', 'pwd', 'authorization', 'credentials'],
  ...['api_key', 'apiKey', 'APIKEY', 'APIKey', 'api key', 'x-api-key', 'X-Api-Key', 'developerKey', 'apiKeys'],
  ...[
    'access_token',
    'refresh_token',
    'refreshToken',
    'session_token',
    'id-token',
    'HF_TOKEN',
    'authtoken',
    'backend_token',
  ],
  ...['client_secret', 'clientSecret', 'aws_secret_access_key', 'AWS_SECRET_ACCESS_KEY', 'private_key', 'privatekey'],
  ...['password2', 'PASSWORD_2', 'api_key_1', 'token2', 'masterKey', 'hmac_key'],
  ...['pass\u00adword', 'api\u200bKey', '\uff41piKey', 'ＡＰＩ＿ＫＥＹ', 'to\u034fken', 'pass\ufe0fword'],
  ...['db.password', 'dbPassword', 'ssh-passphrase', 'DB_PWD', 'Proxy-Authorization', 'secrets', 'access_tokens'],
];

const plainNames = [
  ...['keys', 'tokens', 'max_tokens', 'primary_key', 'sortKey', 'partition-key', 'foreignKey', 'public_key', 'keyword'],
  ...[
    'monkey',
    'turkey',
    'page_token',
    'nextPageToken',
    'nextpagetoken',
    'eos_token',
    'passed',
    'pass',
    'session_key',
    'apiKeyVariable',
    'tokenizer',
  ],
  ...['secretion2', 'page_token_2', 'key_2_column'],
  ...['secretion', 'secretory', 'author', 'key_column', 'password_hint'],
];

const secretTexts = [
  ...['Bearer abc', 'send Bearer made-up-key-of-the-lab-1 with it', 'Authorization: Bearer abcDEF123456, then wait'],
  'the header "bearer abcdefgh1234"',
  ...['https://me:pw@host/', 'Copied from https://me:pw@host/ in May', '(sftp://me:pw@host)', 'https://me@host/'],
  ...[developerToken, `use ${developerToken} please`, `key=${developerToken}.`, `("${developerToken}")`],
  ...['Bearer\u2060 abc', `use ${developerToken.slice(0, 8)}\u200d${developerToken.slice(8)}`],
];

const plainTexts = [
  ...['Reads of the bearer rs1234567890 and its parents'],
  ...['Bearer of the index', 'the bearer instability of B2', 'the flag bearer standard-operating-procedure'],
  ...['d41d8cd98f00b204e9800998ecf8427e', 'D41D8CD98F00B204E9800998ECF8427E', 'md5:d41d8cd98f00b204e9800998ecf8427e'],
  ...['e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855', 'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ'],
  ...['10.1038/s41586-020-2649-2', 'https://doi.org/10.1000/182', 'doi:10.1000/a:b@c'],
  'https://a.org:8080/x?mail=me@b.org',
  ...['JGI:61a6a2a8d4e5f1b2c3d4e5f6', 'SAMN02604311', 'GCF_000005845.2', 'ACGTACGTACGTACGTACGTACGTACGTACGT'],
  ...['see https://example.org/~me and me@example.org', 'from git+ssh://git@github.com/kbase/dts.git at v1', 'key'],
  ...['https://example.org/a:b@c', 'time 12:30 @ site'],
  ...['md5 D41D8CD98F00B204E9800998ECF8427E of a.csv', 'the sequence ACGTACGTACGTACGTACGTACGTACGTACGT ends'],
  ...['3F2504E0-4F89-41D3-9A0C-0305E82C3301', 'urn:sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ, checked'],
  ...['SHA1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ', 'sha1 3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ'],
  ...['magnet:?xt=urn:btih:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ&dn=a', `run ${developerToken}9 of May`],
  ...[`run ${developerToken.slice(1)} of May`, `the plasmid p${developerToken}`],
  'https://a.org/?page_token=CAUQAA1234567890',
];

describe('Finding secrets in a value', () => {
  for (const name of secretNames)
    it(`reports a value named ${name}`, () => {
      assert.deepEqual(list({ instructions: { [name]: 'abc' } }), [`instructions/${name}`]);
    });

  for (const name of plainNames)
    it(`accepts a value named ${name}`, () => assert.deepEqual(list({ instructions: { [name]: 'abc', x: 5 } }), []));

  for (const text of secretTexts)
    it(`reports the text ${text}`, () => assert.deepEqual(list({ list: [{ note: text }] }), ['list/0/note']));

  for (const text of plainTexts)
    it(`accepts the text ${text}`, () => assert.deepEqual(list({ list: [{ note: text }] }), []));

  it('reports numbers, lists and objects with a secret name, and only as a whole', () => {
    assert.deepEqual(list({ password: 123 }), ['password']);
    assert.deepEqual(list({ password: { value: 'abc', secret: 'def' } }), ['password']);
    assert.deepEqual(list({ a: [{ api_keys: ['x', 'y'] }] }), ['a/0/api_keys']);
  });

  it('accepts values with a secret name that contain nothing', () => {
    for (const empty of ['', null, true, false, [], {}, [''], { value: null }])
      assert.deepEqual(list({ password: empty }), [], JSON.stringify(empty));
  });

  it('accepts a key and a token as a column or a search parameter, but no credentials there', () => {
    assert.deepEqual(list({ from: { table: { key: 'id', column: 'token' } } }), []);
    const specific = { key: 'K1', keys: ['K1'], token: 'the', tokens: 5, password: 'x', note: 'Bearer abc' };
    assert.deepEqual(list({ from: { search: { specific } } }), [
      'from/search/specific/password',
      'from/search/specific/note',
    ]);
    assert.deepEqual(list({ instructions: { key: 5, join: { key: { column: 'id' } } } }), []);
  });

  it('accepts an ID or a hash of the length of a developer token', () => {
    const [ids, hash] = [[developerToken], developerToken];
    assert.deepEqual(list({ from: { ids }, expect: { ids }, instructions: { id: hash, sha1_digest: hash, hash } }), []);
    assert.deepEqual(list({ from: { ids: [`ABC:${developerToken}`] } }), []);
    assert.deepEqual(list({ from: { ids: ['Bearer abc'] } }), ['from/ids/0']);
  });

  it('takes time linear in the length of the text', async () => {
    const parts = ['bearer ', 'a://', 'a://b:', 'A', 'A1 ', ' '];
    for (const part of parts) await assertLinearTime(200_000, (count) => list({ note: part.repeat(count) }));
    await assertLinearTime(100_000, (count) => list({ [`${'1'.repeat(count)}x`]: 'a' }));
  });

  const forms = ['', 'bearer ', 'bearer 1', 'a://', 'a://b:', 'authorization: bearer '].concat([
    'x authorization: bearer 1',
    'x"bearer 1',
    'x bearer 1-',
  ]);
  for (const [letter, form] of ['a', 'A', '-'].flatMap((one) => forms.map((form) => [one, form] as const)))
    it(`handles a text of millions of characters: ${form}${letter}…`, () => {
      assert.ok(list({ note: form + letter.repeat(10_000_000) }).length <= 1);
    });
});

describe('An argument of the command line', () => {
  const hidden = `${developerToken.slice(0, 8)}\u200d${developerToken.slice(8)}`;
  for (const value of [developerToken, `key=${developerToken}`, hidden, 'https://me:pw@host'])
    it(`is refused if it is ${value}`, () =>
      assert.match(findKeyArgument(['search', `--server=${value}`]) ?? '', /^An /));

  for (const value of ['ACGTACGTACGTACGTACGTACGTACGTACGT', 'D41D8CD98F00B204E9800998ECF8427E', `ABC:${developerToken}`])
    it(`is accepted if it is ${value}`, () => assert.equal(findKeyArgument(['describe', value]), undefined));
});
