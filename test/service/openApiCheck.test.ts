import assert from 'node:assert/strict';
import { ServiceRig } from '../support/serviceRig.ts';

describe('The check of responses against the OpenAPI document (D26)', () => {
  let rig: ServiceRig;

  before(async () => (rig = await ServiceRig.start({})));
  after(async () => await rig.stop());

  const json = { 'content-type': 'application/json' };
  const wrong: [name: string, status: number, headers: Record<string, string>, body: unknown][] = [
    ['a status that is not described', 418, json, { name: 'a', version: 'b' }],
    ['a body that lacks a field', 200, json, { name: 'a' }],
    ['a body with an extra field', 200, json, { name: 'a', version: 'b', more: 1 }],
    ['a media type that is not described', 200, { 'content-type': 'text/html' }, { name: 'a', version: 'b' }],
    ['a missing header', 401, { 'content-type': 'application/problem+json' }, { title: 'a', status: 401, detail: 'b' }],
  ];
  for (const [name, status, headers, body] of wrong) {
    it(`reports ${name}`, async () => {
      const given = { status, headers: new Headers(headers), text: JSON.stringify(body) };
      await assert.rejects(rig.checked('GET', '/', given), assert.AssertionError);
    });
  }
});
