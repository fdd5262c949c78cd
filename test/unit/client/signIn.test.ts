import assert from 'node:assert/strict';
import { classifySignIn } from '../../../src/core/client/failures.ts';
import type { SignInFailure } from '../../../src/core/model/reason.ts';
import { json, problem } from '../../support/faultBehaviors.ts';
import { publicLike, type PublicState } from '../../support/faultPersonality.ts';
import { assertLinearTime } from '../../support/linearTime.ts';
import { startBench, testKey, type Bench } from './clientBench.ts';

const orcid = '0000-0002-1825-0097';

describe('A sign-in that the service rejects (D44)', () => {
  let bench: Bench;

  beforeEach(async () => {
    bench = await startBench();
  });
  afterEach(() => bench.end());

  const rows: readonly (readonly [text: string, failure: SignInFailure | undefined])[] = [
    ["invalid ORCID 'abc': KBase user not found for ORCID abc", 'orcid'],
    ['No user ORCID was provided', 'orcid'],
    ['KBase Auth2: No providers/ORCIDs associated with this user', 'account'],
    ['KBase Auth2: No providers associated with this user', 'account'],
    ['KBase Auth2: No ORCIDs associated with this user', 'account'],
    ['The DTS client has no associated ORCID!', 'account'],
    ['KBase Auth error: 401', 'key'],
    ['KBase Auth error: 403', 'key'],
    ['illegal base64 data at input byte 4', 'key'],
    ['net/http: invalid header field value for "Authorization"', 'key'],
    ['The token is missing or wrong.', 'key'],
    ['API key expired', 'key'],
    ['this key is not accepted', 'key'],
    ['KBase Auth error: 500', 'outage'],
    ['KBase Auth error: 503 Service Unavailable', 'outage'],
    ['Get "https://auth.example.org/me": dial tcp 10.0.0.1:443: connect: connection refused', 'outage'],
    ['Get "https://auth.example.org/token": context deadline exceeded', 'outage'],
    ["invalid character '<' looking for beginning of value", 'outage'],
    ['unexpected EOF', 'outage'],
    ["invalid ORCID 'abc': KBase Auth error: 500", 'outage'],
    ['who', undefined],
    ['', undefined],
  ];
  for (const [text, failure] of rows) {
    it(`is classified as ${failure ?? 'unclear'} when the service says ${JSON.stringify(text)}`, async () => {
      bench.server.on('GET /api/v1/databases', problem(401, text));
      await bench.connect();
      const { reason } = await bench.client.databases();
      assert.equal(reason?.kind, 'unauthorized');
      assert.equal(reason.signIn, failure);
    });
  }

  it('is classified for a 403 too, but only if the account has no ORCID iD', async () => {
    bench.server.on(
      'GET /api/v1/databases',
      problem(403, 'The DTS client has no associated ORCID!'),
      problem(403, "invalid ORCID 'abc'"),
      problem(403, 'KBase Auth error: 401'),
    );
    await bench.connect();
    const failures: unknown[] = [];
    for (let times = 0; times < 3; times++) {
      const { reason } = await bench.client.databases();
      failures.push([reason?.kind, reason?.signIn]);
    }
    assert.deepEqual(failures, [
      ['forbidden', 'account'],
      ['forbidden', undefined],
      ['forbidden', undefined],
    ]);
  });

  it('is classified in linear time', async () => {
    for (const part of ['KBase Auth error: ', 'key token ', 'invalid '])
      await assertLinearTime(160_000, (count) => classifySignIn(401, part.repeat(count)));
  });

  it('is distinguished from a key that never worked, once a listing has proved the key', async () => {
    bench.server.on('GET /api/v1/databases', problem(401, 'KBase Auth error: 401'), json([]));
    bench.server.on('GET /api/v1/transfers/*', problem(401, 'KBase Auth error: 401'));
    await bench.connect();
    assert.equal((await bench.client.databases()).reason?.keyWorked, undefined);
    await bench.client.databases();
    const { reason } = await bench.client.transferStatus('3f2c1a90-5d6e-4b7a-8c9d-0e1f2a3b4c5d');
    assert.deepEqual([reason?.kind, reason?.keyWorked], ['unauthorized', true]);
  });

  describe('by a server like the public one', () => {
    let state: PublicState;
    beforeEach(() => {
      state = publicLike(bench.server, testKey);
    });

    const signInFailure = async (): Promise<unknown> => {
      await bench.connect();
      const { reason } = await bench.client.databases();
      return [reason?.status, reason?.signIn];
    };

    it('is classified as "account" if that has no identity, or an empty ORCID iD', async () => {
      state.account = 'withoutIdentity';
      assert.deepEqual(await signInFailure(), [401, 'account']);
      state.account = 'withEmptyOrcid';
      assert.deepEqual(await signInFailure(), [403, 'account']);
    });

    it('is classified as "outage" if the sign-in service is down', async () => {
      state.isSignInDown = true;
      assert.deepEqual(await signInFailure(), [401, 'outage']);
    });

    it('is classified as "key" if that is another one, or not encoded', async () => {
      const failures: unknown[] = [];
      for (const given of [{ apiKey: 'another-key' }, { scheme: 'plain' as const }]) {
        await bench.connect(given);
        failures.push((await bench.client.databases()).reason?.signIn);
      }
      assert.deepEqual(failures, ['key', 'key']);
    });

    it('is classified as "orcid" if the destination KBase does not know it; other destinations accept any', async () => {
      state.knownOrcids = new Set(['0000-0002-1694-233X']);
      await bench.connect();
      const order = { orcid, source: 'jdp', fileIds: ['JDP:000001'] };
      const refused = await bench.client.transfer({ ...order, destination: 'kbase' });
      assert.deepEqual(
        [refused.reason?.status, refused.reason?.signIn, refused.reason?.detail, refused.reason?.maybeDone],
        [401, 'orcid', `invalid ORCID '${orcid}': KBase user not found for ORCID ${orcid}`, undefined],
      );
      const taken = await bench.client.transfer({ ...order, destination: 'jdp' });
      assert.equal(taken.reason, undefined);
    });
  });
});
