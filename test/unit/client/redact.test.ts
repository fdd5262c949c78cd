import assert from 'node:assert/strict';
import { redact } from '../../../src/core/util/redact.ts';

const secret = 'a/very+secret?token~1';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

describe('redacting', () => {
  const forms: Readonly<Record<string, string>> = {
    'the secret itself': secret,
    'its base64': base64(secret),
    'its base64 without padding': base64(secret).replace(/=+$/, ''),
    'its base64 for addresses': Buffer.from(secret).toString('base64url'),
    'the base64 with a line end inside': base64(`${secret}\n`),
    'its percent-encoded form': encodeURIComponent(secret),
  };

  for (const [name, form] of Object.entries(forms)) {
    it(`takes out ${name}, every time`, () => {
      assert.equal(redact(`x ${form} y ${form}.`, [secret]), 'x [redacted] y [redacted].');
    });
  }

  for (const header of [
    'Authorization: Bearer abc',
    'authorization=Basic abc',
    '"authorization":"Bearer abc"',
    'Authorization: abc',
  ]) {
    it(`takes out the value of a header without knowing it: ${header}`, () => {
      const text = redact(`got ${header} here`);
      assert.doesNotMatch(text, /abc/);
      assert.match(text, /authorization.*\[redacted\].* here$/i);
    });
  }

  it('takes out a long bearer value without its header', () => {
    assert.equal(redact('Bearer abcdefghijklmnop== sent'), 'Bearer [redacted] sent');
  });

  it('leaves sentences about headers readable', () => {
    assert.equal(redact('invalid authorization header'), 'invalid authorization header');
    assert.equal(redact('no bearer token was given'), 'no bearer token was given');
  });

  it('takes out the longer of two secrets whole', () => {
    assert.equal(redact('secret-and-more', ['secret', 'secret-and-more']), '[redacted]');
  });

  it('passes over empty and very short secrets', () => {
    assert.equal(redact('an apple', ['', 'a']), 'an apple');
  });

  it('survives a secret that is no valid Unicode', () => {
    assert.equal(redact('x ab\ud800cd y', ['ab\ud800cd']), 'x [redacted] y');
  });
});
