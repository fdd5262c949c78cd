import assert from 'node:assert/strict';
import fc from 'fast-check';
import { redact } from '../../../src/core/util/redact.ts';
import { createRedactingLog } from '../../../src/core/util/logger.ts';
import { json, text } from '../../support/faultBehaviors.ts';
import { MemoryLog } from '../../support/memoryLog.ts';
import { property } from '../../support/property.ts';
import { anyText } from './arbitraries.ts';
import { HastyClock, startBench } from './clientBench.ts';
import type { Bench } from './clientBench.ts';

type Form = readonly [name: string, write: (key: string) => string];

const base64 = (key: string): string => Buffer.from(key, 'utf8').toString('base64');
const percent = (key: string): string => encodeURIComponent(Buffer.from(key, 'utf8').toString('utf8'));
const quoted = (text: string): string => JSON.stringify(text).slice(1, -1);
const percentEncodeAll = (key: string): string =>
  [...Buffer.from(key, 'utf8')].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
const everyUnit = (key: string): string =>
  Array.from({ length: key.length }, (_, place) => `\\u${key.charCodeAt(place).toString(16).padStart(4, '0')}`).join(
    '',
  );
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (key: string): string => key.replace(/[&<>"']/g, (character) => entities[character] ?? character);
const wrapped = (text: string, width: number): string =>
  text.replace(new RegExp(`(.{${String(width)}})`, 'gs'), '$1\n');

const forms: readonly Form[] = [
  ['plain', (key) => key],
  ['JSON-escaped', quoted],
  ['JSON-escaped twice', (key) => quoted(quoted(key))],
  ['with every UTF-16 unit escaped', everyUnit],
  ['with every UTF-16 unit escaped in uppercase', (key) => everyUnit(key).toUpperCase().replaceAll('\\U', '\\u')],
  ['URL-encoded', percent],
  ['URL-encoded in lowercase', (key) => percent(key).replace(/%../g, (part) => part.toLowerCase())],
  ['URL-encoded in every byte', percentEncodeAll],
  ['form-encoded', (key) => new URLSearchParams({ key }).toString().slice('key='.length)],
  ['HTML-escaped', escaped],
  ['base64', base64],
  ['base64 without padding', (key) => base64(key).replace(/=+$/, '')],
  ['base64url', (key) => Buffer.from(key, 'utf8').toString('base64url')],
  ['base64, URL-encoded', (key) => encodeURIComponent(base64(key))],
  ['base64, JSON-escaped', (key) => base64(key).replaceAll('/', '\\/')],
  ['base64 with the line end that some clients include', (key) => base64(`${key}\n`)],
  ['base64 in lines', (key) => wrapped(base64(key), 76)],
  ['base64 in short lines', (key) => wrapped(base64(key), 7)],
];

/** Generates tokens of printable ASCII (D5: token encoding), with at least four characters after trimming. */
const key = fc
  .oneof(
    { weight: 9, arbitrary: fc.string({ minLength: 4, maxLength: 60 }) },
    { weight: 1, arbitrary: fc.string({ minLength: 90, maxLength: 400 }) },
  )
  .filter((text) => text.trim().length >= 4);

const around = fc.oneof(anyText, fc.constantFrom('', 'Authorization: Bearer ', '"token":"', 'x', '\\', '%', '='));

/** Returns the parts of a redacted text that lie between placeholders. */
function rest(redacted: string): readonly string[] {
  return redacted.split('[redacted]');
}

describe('Redacting any key in any text (§5)', () => {
  for (const [name, write] of forms) {
    property(`removes a key that is ${name}`, fc.tuple(key, around, around), ([secret, before, after]) => {
      const written = write(secret);
      const redacted = redact(before + written + after, [secret]);
      for (const part of rest(redacted)) assert.ok(!part.includes(written), redacted);
    });
  }

  property(
    'removes a key of any characters in any mix of encodings',
    fc.tuple(anyText, fc.array(fc.nat(forms.length - 1)), around),
    ([start, places, text]) => {
      const secret = `key-${start}`;
      const written = places.map((place) => forms[place]?.[1](secret) ?? '');
      const redacted = redact(written.join(text), [secret]);
      for (const part of rest(redacted)) assert.ok(!part.includes(secret), redacted);
    },
  );

  property(
    'removes a key inside a longer base64 string',
    fc.tuple(fc.string({ minLength: 16, maxLength: 60 }), fc.string(), fc.string()),
    ([secret, before, after]) => {
      const redacted = redact(`Basic ${base64(before + secret + after)}`, [secret]);
      for (const part of rest(redacted.slice('Basic '.length))) {
        for (const skipped of [0, 1, 2, 3]) {
          assert.ok(!Buffer.from(part.slice(skipped), 'base64').toString().includes(secret), redacted);
        }
      }
    },
  );

  property(
    'leaves text without the key unchanged',
    fc.tuple(fc.stringMatching(/^[a-f]{4,20}$/), anyText),
    ([, text]) => {
      const keyless = text.replace(/auth|bearer/gi, '');
      assert.equal(redact(keyless, ['0123456789-0123456789']), keyless);
    },
  );
});

describe('A line of the log', () => {
  const controls = fc.constantFrom(
    ...Array.from('\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u061c\0\u001b\r'),
  );
  const text = fc.array(fc.oneof(anyText, controls)).map((parts) => parts.join(''));

  property('contains neither bidirectional nor control characters, whatever a server sends', text, (message) => {
    const memory = new MemoryLog();
    createRedactingLog(memory).error(message);
    assert.doesNotMatch(memory.lines.join(), /[\p{Bidi_C}\u2028\u2029]|[^\P{Cc}\n\t]/u);
  });

  property('contains no key, even between such characters', fc.tuple(key, text, text), ([key, a, b]) => {
    const memory = new MemoryLog();
    createRedactingLog(memory).info(redact(`${a}${key}${b}`, [key]));
    for (const part of rest(memory.lines.join())) assert.ok(!part.includes(key), part);
  });
});

describe('The key in logs and reasons of a client (§5, D14)', () => {
  let bench: Bench;

  before(async () => {
    bench = await startBench({ clock: new HastyClock() });
  });

  after(async () => {
    await bench.end();
  });

  /** Generates keys without spaces, because a header loses leading and trailing spaces. */
  const headerKey = fc.stringMatching(/^[!-~]{6,40}$/);
  const padding = fc.oneof(
    fc.constant(''),
    fc.integer({ min: 3_900, max: 4_010 }).map((count) => '.'.repeat(count)),
  );

  property(
    'is in no log and in no reason, wherever a server repeats it',
    fc.tuple(headerKey, fc.constantFrom(...forms), padding, fc.boolean()),
    async ([apiKey, [, write], before, isDocument]) => {
      const detail = `${before}${write(apiKey)} was refused`;
      bench.server.on('GET /', json({ name: 'n', version: '1' }));
      bench.server.on('POST /api/v1/files', isDocument ? json({ detail }, 403) : text(403, detail));
      bench.log.lines.length = 0;
      await bench.client.connect({ server: bench.server.address, apiKey });
      const { reason } = await bench.client.search({ database: 'D', orcid: 'O', query: '' });
      const start = write(apiKey).slice(0, 6);
      for (const output of [reason?.detail ?? '', ...bench.log.lines]) {
        for (const part of rest(output.replaceAll('.', ''))) {
          if (!/POST|Connected|refused/.test(start)) assert.ok(!part.includes(start.replaceAll('.', '')), output);
        }
      }
    },
  );
});
