import assert from 'node:assert/strict';
import { redact } from '../../../src/core/util/redact.ts';
import { createRedactingLog } from '../../../src/core/util/logger.ts';
import { MemoryLog } from '../../support/memoryLog.ts';

const secret = 'a/very+secret?token~1';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** The named HTML entities of the characters of ASCII. */
const htmlNames: Readonly<Record<string, string>> = {
  '\t': 'Tab',
  '\n': 'NewLine',
  '!': 'excl',
  '"': 'quot QUOT',
  '#': 'num',
  $: 'dollar',
  '%': 'percnt',
  '&': 'amp AMP',
  "'": 'apos',
  '(': 'lpar',
  ')': 'rpar',
  '*': 'ast midast',
  '+': 'plus',
  ',': 'comma',
  '.': 'period',
  '/': 'sol',
  ':': 'colon',
  ';': 'semi',
  '<': 'lt LT',
  '=': 'equals',
  '>': 'gt GT',
  '?': 'quest',
  '@': 'commat',
  '[': 'lsqb lbrack',
  '\\': 'bsol',
  ']': 'rsqb rbrack',
  '^': 'Hat',
  _: 'lowbar UnderBar',
  '`': 'grave DiacriticalGrave',
  '{': 'lcub lbrace',
  '|': 'verbar vert VerticalLine',
  '}': 'rcub rbrace',
};

describe('Redacting', () => {
  const forms: Readonly<Record<string, string>> = {
    'the secret itself': secret,
    'its base64': base64(secret),
    'its base64 without padding': base64(secret).replace(/=+$/, ''),
    'its base64url form': Buffer.from(secret).toString('base64url'),
    'the base64 with a line end inside': base64(`${secret}\n`),
    'its base64 in groups': base64(secret).replace(/.{4}(?!$)/g, '$& '),
    'its base64 in percent-encoded groups': base64(secret).replace(/.{4}(?!$)/g, '$&%20'),
    'its base64 in escaped groups': base64(secret).replace(/.{4}(?!$)/g, '$&\\t'),
    'its percent-encoded form': encodeURIComponent(secret),
    'its form with named HTML entities': 'a&sol;very&plus;secret&quest;token~1',
    'its form with numeric HTML entities without semicolons': 'a&#47very&#x2Bsecret&#063token~1',
  };

  for (const [name, form] of Object.entries(forms)) {
    it(`removes every occurrence of ${name}`, () => {
      assert.equal(redact(`x ${form} y ${form}.`, [secret]), 'x [redacted] y [redacted].');
    });
  }

  for (const header of [
    'Authorization: Bearer abc',
    'authorization=Basic abc',
    '"authorization":"Bearer abc"',
    'Authorization: abc',
  ]) {
    it(`removes the value of a header without knowing it: ${header}`, () => {
      const text = redact(`got ${header} here`);
      assert.doesNotMatch(text, /abc/);
      assert.match(text, /authorization.*\[redacted\].* here$/i);
    });
  }

  it('removes a long bearer value without its header', () => {
    assert.equal(redact('Bearer abcdefghijklmnop== sent'), 'Bearer [redacted] sent');
  });

  for (const address of ['http://me:secret@proxy:3128', 'https://me@proxy', 'proxy is socks5://a%40b:c:d@h:1/x.']) {
    it(`removes user name and password of an address: ${address}`, () => {
      const text = redact(`through ${address}`);
      assert.doesNotMatch(text, /me|secret|a%40b|c:d/);
      assert.match(text, /:\/\/\[redacted\]@(proxy|h:1)/);
    });
  }

  it('leaves addresses without them unchanged', () => {
    for (const text of ['https://a.org/x@y', 'mail me@a.org, or see http://a.org']) assert.equal(redact(text), text);
  });

  it('removes a proxy authorization without knowing it', () => {
    assert.doesNotMatch(redact('proxy-authorization: Basic bWU6c2VjcmV0'), /bWU6/);
    assert.doesNotMatch(redact('sent Basic bWU6c2VjcmV0LXdvcmQ='), /bWU6/);
  });

  it('applies to log messages of every level', () => {
    const memory = new MemoryLog();
    const log = createRedactingLog(memory);
    for (const level of ['trace', 'debug', 'info', 'warn', 'error'] as const) log[level]('http://me:secret@p');
    assert.deepEqual(
      memory.lines,
      ['trace', 'debug', 'info', 'warn', 'error'].map((level) => `${level} http://[redacted]@p`),
    );
  });

  it('is followed by escaping control and bidirectional characters', () => {
    const memory = new MemoryLog();
    createRedactingLog(memory).info('a\u202eb\u2066c\u2069d\u200fe\u001b[2Jf\0g\u2028h\n\ti é');
    assert.deepEqual(memory.lines, ['info a\\u202eb\\u2066c\\u2069d\\u200fe\\u001b[2Jf\\u0000g\\u2028h\n\ti é']);
  });

  it('does not redact sentences about headers', () => {
    assert.equal(redact('invalid authorization header'), 'invalid authorization header');
    assert.equal(redact('no bearer token was given'), 'no bearer token was given');
  });

  it('removes a secret that contains any character that is removed when text is shown', () => {
    for (let code = 0; code <= 0x10ffff; code += 1) {
      const character = String.fromCodePoint(code);
      if (!/\p{Cf}/u.test(character)) continue;
      for (const form of [secret, base64(secret)]) {
        const text = redact(`x ${form.slice(0, 6)}${character}${form.slice(6)}`, [secret]);
        assert.equal(text, 'x [redacted]', code.toString(16));
      }
    }
  });

  it('handles millions of format characters', () => {
    const run = '\u200b'.repeat(10_000_000);
    assert.equal(redact(`${run}${secret.slice(0, 6)}${run}${secret.slice(6)}`, [secret]), '[redacted]');
  });

  it('keeps invisible characters in text without a secret', () => {
    assert.equal(redact('a\u200eb', [secret]), 'a\u200eb');
  });

  it('removes the longer of two overlapping secrets completely', () => {
    assert.equal(redact('secret-and-more', ['secret', 'secret-and-more']), '[redacted]');
  });

  it('ignores empty and very short secrets', () => {
    assert.equal(redact('an apple', ['', 'a']), 'an apple');
  });

  it('handles millions of line breaks after the beginning of a secret in base64', () => {
    const text = `${base64(secret).slice(0, 4)}${'\n'.repeat(20_000_000)}`;
    assert.ok(redact(text, [secret]) === text);
  });

  it('removes each character of ASCII that is a named HTML entity', () => {
    for (const [character, names] of Object.entries(htmlNames)) {
      for (const name of names.split(' ')) {
        const text = redact(`x ab&${name};cd y`, [`ab${character}cd`]);
        assert.equal(text, 'x [redacted] y', name);
      }
    }
  });

  for (const start of ['authorization: ', 'proxy-authorization=', 'bearer ', 'Basic '])
    it(`handles millions of characters after ${start}`, () => {
      assert.equal(redact(`${start}${'a'.repeat(20_000_000)} b`), `${start}[redacted] b`);
    });

  it('handles a secret of backslashes before characters that are escaped with backslashes', () => {
    const once = `${'"\\'.repeat(25)}x`;
    const text = '\\\\"'.repeat(20_000);
    assert.ok(redact(text, [once]) === text);
    for (const form of [once, JSON.stringify(once).slice(1, -1), once.replaceAll('\\', '\\u005c')])
      assert.equal(redact(`x ${form} y`, [once]), 'x [redacted] y');
    const twice = JSON.stringify(JSON.stringify(`\\n\\\n'a`)).slice(3, -3);
    assert.equal(redact(`x ${twice} y`, [`\\n\\\n'a`]), 'x [redacted] y');
  });

  it('handles a secret of semicolons, with which HTML entities end', () => {
    const text = `${'&semi;&#59;'.repeat(2_000)}.`;
    assert.ok(redact(text, [`${';'.repeat(95)}x`]) === text);
    assert.equal(redact(`x ${'&semi;&#59;'.repeat(45)}x y`, [`${';'.repeat(90)}x`]), 'x [redacted] y');
  });

  it('handles a secret that is not valid Unicode', () => {
    assert.equal(redact('x ab\ud800cd y', ['ab\ud800cd']), 'x [redacted] y');
  });
});
