import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

/**
 * The rules of the Citation File Format 1.2.0, from its schema guide, for the fields that the extension writes. These
 * rules are stricter than the format's schema: a field that the extension doesn't write is an error.
 */
const text = { type: 'string', minLength: 1 };
const day = { type: 'string', pattern: '^[0-9]{4}-(0[1-9]|1[012])-(0[1-9]|[12][0-9]|3[01])$' };
const address = { type: 'string', pattern: '^(https|http|ftp|sftp)://.+' };
const doi = { type: 'string', pattern: '^10\\.\\d{4,9}(\\.\\d+)?/[A-Za-z0-9:/_;\\-.()\\[\\]\\\\]+$' };
const orcid = { type: 'string', pattern: '^https://orcid\\.org/[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9X]$' };
const spdxId = {
  type: 'string',
  pattern: '^(CC0-1\\.0|CC-BY(-NC)?(-SA|-ND)?-[1-4]\\.[05](-US)?|MIT|Apache-2\\.0|(ODbL|ODC-By|PDDL)-1\\.0)$',
};

const object = (properties: object, ...required: readonly string[]): object => ({
  type: 'object',
  additionalProperties: false,
  properties,
  required,
});
const distinctList = (items: object): object => ({ type: 'array', minItems: 1, uniqueItems: true, items });

const person = object({ 'family-names': text, 'given-names': text, affiliation: text, orcid });
const entity = object({ name: text, orcid }, 'name');
const identifier = object({ type: { enum: ['other'] }, value: text }, 'type', 'value');

const shared = {
  title: text,
  abstract: text,
  version: text,
  doi,
  url: address,
  'date-released': day,
  authors: distinctList({ anyOf: [person, entity] }),
  identifiers: distinctList(identifier),
  license: { oneOf: [spdxId, distinctList(spdxId)] },
  'license-url': address,
};

const reference = object(
  {
    ...shared,
    type: { const: 'data' },
    publisher: entity,
    'date-accessed': day,
    year: { type: 'integer' },
    month: { type: 'integer', minimum: 1, maximum: 12 },
    editors: distinctList({ anyOf: [person, entity] }),
    notes: text,
  },
  ...['authors', 'title', 'type'],
);

const citationFile = object(
  {
    ...shared,
    'cff-version': { const: '1.2.0' },
    message: text,
    type: { const: 'dataset' },
    references: distinctList(reference),
    'preferred-citation': reference,
  },
  ...['authors', 'cff-version', 'message', 'title'],
);

const validate = new Ajv({ allErrors: true }).compile(citationFile);

/**
 * The format's own JSON schema. Imported directly, because the package's entry point compiles the schema again for each
 * file.
 */
const { schema } = (await import(new URL('schema.js', import.meta.resolve('cffjs')).href)) as { schema: object };
const ajv = new Ajv({ allErrors: true });
addFormats(ajv);
const validateSchema = ajv.compile(schema);

/** Parses a `CITATION.cff` file. Returns its content, and the violations of these rules and of the format's schema. */
export function checkCitationFile(yaml: string): { readonly content: unknown; readonly errors: readonly string[] } {
  const content: unknown = parse(yaml);
  const errors = [validate, validateSchema].flatMap((check) => {
    check(content);
    return check.errors ?? [];
  });
  return { content, errors: errors.map((error) => `${error.instancePath} ${error.message ?? ''}`) };
}
