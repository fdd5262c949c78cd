import fc from 'fast-check';
import { transferId } from './contractCalls.ts';

/** Strings of any UTF-16 code units, including lone surrogates. */
export const anyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
  fc.string({ unit: fc.constantFrom(...Array.from('/?#&=%,.;:\\"\'{}[]<> \r\n\t\0+-é🧀')), maxLength: 12 }),
);

const ring: Record<string, unknown> = {};
ring['ring'] = ring;

const stubborn = {
  get hidden(): never {
    throw new Error('hidden');
  },
};

/** Any JavaScript value. */
export const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.anything() },
  {
    weight: 3,
    arbitrary: fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
      key: fc.oneof(anyText, fc.constantFrom('__proto__', 'constructor', 'toJSON', 'length', 'then')),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.func(fc.anything()),
      fc.string().map((text) => Symbol(text)),
      fc.constantFrom<unknown>(ring, stubborn, [stubborn], new Array(3)),
      fc.constantFrom<unknown>({ toJSON: () => 'text' }, { toJSON: () => ({ a: 1 }) }, { toJSON: () => undefined }),
    ),
  },
);

/** Generates mostly allowed values and occasionally an arbitrary value. */
export function orAnything<T>(allowed: fc.Arbitrary<T>, weight = 12): fc.Arbitrary<unknown> {
  return fc.oneof({ weight, arbitrary: allowed }, { weight: 1, arbitrary: anyValue });
}

/** Generates objects with all required and some optional members, each mostly valid. */
export function createArguments(
  required: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  optional: Readonly<Record<string, fc.Arbitrary<unknown>>> = {},
): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .tuple(fc.record(required), fc.record(optional, { requiredKeys: [] }))
    .map(([left, right]) => ({ ...left, ...right }));
}

const digits = fc.integer({ min: -3, max: 2_000 });

/** Values that callers pass as `offset` or `limit`. */
export const pageNumber: fc.Arbitrary<unknown> = orAnything(
  fc.oneof(
    digits,
    digits.map(String),
    fc.constantFrom<unknown>(undefined, 0, -0, '0', '-0', '007', 2 ** 53, '9007199254740993', 1.5, '', null),
  ),
);

/** A list of ids, some duplicated or with a comma, or a list with holes; occasionally any other value. */
export const idList: fc.Arbitrary<unknown> = orAnything(
  fc.oneof(
    fc.array(fc.oneof(fc.constantFrom('a', 'b', 'c', 'a,b', 'c,d'), anyText), { minLength: 1, maxLength: 8 }),
    fc.array(fc.constantFrom('a,b', ',', 'c,d'), { minLength: 1, maxLength: 3 }),
    fc.sparseArray(fc.string(), { maxNumElements: 3 }),
  ),
);

/** A JSON object, occasionally an empty one. */
export const jsonObject: fc.Arbitrary<unknown> = fc.dictionary(anyText, fc.jsonValue());

const decorated: readonly ((uuid: string) => string)[] = [
  (uuid) => uuid,
  (uuid) => uuid.toUpperCase(),
  (uuid) => uuid.replaceAll('-', ''),
  (uuid) => `{${uuid}}`,
  (uuid) => `urn:uuid:${uuid}`,
  (uuid) => ` ${uuid}\n`,
];

const undecorated: readonly ((uuid: string) => string)[] = [
  (uuid) => `${uuid}/..`,
  (uuid) => `../${uuid}`,
  (uuid) => uuid.slice(1),
  (uuid) => `${uuid}?orcid=x`,
  (uuid) => uuid.replace('-', ''),
  (uuid) => uuid.replace('f', 'g'),
  (uuid) => `${uuid}\0`,
];

/** A value for a transfer's ID, and the UUID that the value denotes, if any. */
export const givenUuid: fc.Arbitrary<{ readonly id: unknown; readonly uuid?: string }> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...decorated).map((form) => ({ id: form(transferId), uuid: transferId })) },
  { weight: 2, arbitrary: fc.constantFrom(...undecorated).map((form) => ({ id: form(transferId) })) },
  { weight: 2, arbitrary: fc.oneof(anyText, anyValue).map((id) => ({ id })) },
);
