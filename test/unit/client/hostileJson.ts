import fc from 'fast-check';
import { transferId } from './contractCalls.ts';

const names = [
  ...['resources', 'id', 'name', 'path', 'title', 'status', 'message', 'num_files', 'num_files_transferred', 'bytes'],
  ...['organization', 'url', 'version', 'type', 'value', 'detail', 'errors', 'error', 'location', 'hash', 'format'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'toJSON', 'then', 'length', 'hasOwnProperty', '', '0', '-1'],
];

const numbers = ['0', '-0', '1', '-7', '1.5', '1e999', '-1e999', '1e-999', '9007199254740993', `1${'0'.repeat(400)}`];

/** JSON string literals, including some with invalid Unicode and some that the client treats specially. */
const literals: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary' }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\ud800"', '"\\udc00\\ud800"', '"\\u0000"', '"\\u2028"', '"<b>x</b>"', '"staged"', '"active"'),
  fc
    .constantFrom(transferId, `Transfer ${transferId}: x`, 'Transfer 99999999-9999-4999-8999-999999999999: x')
    .map((text) => JSON.stringify(text)),
);

const keys = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...names).map((name) => JSON.stringify(name)) },
  literals,
);

const { value } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('null', 'true', 'false', '{}', '[]', ...numbers),
    literals,
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 5 }).map((elements) => `[${elements.join(', ')}]`),
  object: fc
    .array(fc.tuple(keys, tie('value')), { maxLength: 6 })
    .map((members) => `{${members.map(([name, text]) => `${name}:${text}`).join(',')}}`),
}));

function nested(depth: number, open: string, close: string, inside: string): string {
  return open.repeat(depth) + inside + close.repeat(depth);
}

const deep: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(150, 199, 200, 201, 5_000, 100_000),
    fc.constantFrom(['[', ']'] as const, ['{"a":', '}'] as const),
    value,
  )
  .map(([depth, [open, close], inside]) => nested(depth, open, close, inside));

/** Any JSON text, including deeply nested or large text, odd or duplicate names, and lone surrogates. */
export const anyJson: fc.Arbitrary<string> = fc.oneof({ weight: 20, arbitrary: value }, { weight: 1, arbitrary: deep });

function member(name: string, text: fc.Arbitrary<string>): fc.Arbitrary<string | undefined> {
  return fc.option(
    text.map((json) => `"${name}":${json}`),
    { nil: undefined, freq: 4 },
  );
}

function createObject(...members: readonly fc.Arbitrary<string | undefined>[]): fc.Arbitrary<string> {
  return fc
    .tuple(...members, fc.option(fc.tuple(keys, value), { nil: undefined }))
    .map(
      (present) => `{${present.flatMap((part) => (Array.isArray(part) ? part.join(':') : (part ?? []))).join(',')}}`,
    );
}

const text = fc.oneof({ weight: 12, arbitrary: literals }, value);

/** Almost valid file resources (§2.3); occasionally any JSON. */
export const anyResource: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 6,
    arbitrary: createObject(
      member('id', text),
      ...['name', 'path', 'title', 'description', 'format', 'mediatype', 'encoding', 'hash'].map((name) =>
        member(name, fc.oneof({ weight: 8, arbitrary: text }, fc.constant('null'))),
      ),
      member('bytes', fc.oneof(fc.constantFrom('null', ...numbers), value)),
      member('x', value),
    ),
  },
  { weight: 1, arbitrary: anyJson },
);

/** Almost valid responses to a search or a metadata request. */
const resources = fc.array(anyResource, { maxLength: 6 }).map((list) => `{"resources":[${list.join(',')}]}`);

/** Almost valid statuses (§2.4). */
const status = createObject(
  member('id', text),
  member('status', text),
  member('message', text),
  member('num_files', value),
  member('num_files_transferred', value),
);

const databases = fc
  .array(createObject(member('id', text), member('name', text), member('organization', text), member('url', text)))
  .map((list) => `[${list.join(',')}]`);

const parameters = fc
  .array(fc.tuple(keys, createObject(member('type', text), member('value', value))))
  .map((members) => `{${members.map((pair) => pair.join(':')).join(',')}}`);

const problems = createObject(
  member('detail', text),
  member('title', text),
  member(
    'errors',
    fc.array(createObject(member('message', text), member('value', value))).map((l) => `[${l.join(',')}]`),
  ),
);

/** Almost valid responses to each operation, or any JSON. */
export const almostValid = {
  databases: fc.oneof(databases, anyJson),
  files: fc.oneof(resources, resources, anyJson),
  status: fc.oneof(status, status, anyJson),
  accepted: fc.oneof(createObject(member('id', text)), anyJson),
  parameters: fc.oneof(parameters, anyJson),
  root: fc.oneof(createObject(member('name', text), member('version', text)), anyJson),
  problem: fc.oneof(problems, problems, anyJson),
} as const;
