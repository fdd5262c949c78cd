import * as z from 'zod/mini';
import { isJsonObject, type JsonObject } from '../../core/util/json.ts';
import { toInputSchema, findSchema } from './schemaDescription.ts';
import { createFieldsProblem } from './httpProblem.ts';
import { createFieldProblem, maxNamedFields, toFieldProblems, type FieldProblem } from './schemaIssues.ts';

/** The parts of a request that contain fields, before validation. */
export interface FieldSource {
  /** The `{name}` parts of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Reads the JSON body. Throws {@link HttpProblem} if that fails. */
  readonly readBody: () => Promise<unknown>;
}

/** Schemas for the path, query and body of an operation. A part without a schema is ignored. */
export interface FieldSchemas<P extends z.ZodMiniType, Q extends z.ZodMiniType, B extends z.ZodMiniType> {
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
}

/** The validated fields of a request. */
export interface Fields<P extends z.ZodMiniType, Q extends z.ZodMiniType, B extends z.ZodMiniType> {
  readonly params: z.output<P>;
  readonly query: z.output<Q>;
  readonly body: z.output<B>;
}

interface FieldContainer {
  /** Prefix of the fields' locations. */
  readonly root: 'path' | 'query' | 'body';
  readonly schema: z.ZodMiniType;
  readonly json: JsonObject;
}

/**
 * Creates a function that reads and validates all fields of a request. The function throws a 422 problem that lists the
 * invalid fields, up to a limit.
 */
export function createFieldReader<P extends z.ZodMiniType, Q extends z.ZodMiniType, B extends z.ZodMiniType>(
  schemas: FieldSchemas<P, Q, B>,
): (source: FieldSource) => Promise<Fields<P, Q, B>> {
  const path = createContainer('path', schemas.params);
  const query = createContainer('query', schemas.query);
  const body = createContainer('body', schemas.body);
  return async (source) => {
    const problems: FieldProblem[] = [];
    const fields = {
      params: path === undefined ? undefined : checkFields(path, source.params, problems),
      query:
        query === undefined ? undefined : checkFields(query, parseQueryFields(query, source.query, problems), problems),
      body: body === undefined ? undefined : checkBody(body, await source.readBody(), problems),
    };
    if (problems.length > 0) throw createFieldsProblem(problems);
    // If there are no problems, each field has the type of its schema.
    return fields as Fields<P, Q, B>;
  };
}

function createContainer(root: FieldContainer['root'], schema: z.ZodMiniType | undefined): FieldContainer | undefined {
  return schema === undefined ? undefined : { root, schema, json: toInputSchema(schema) };
}

function checkFields({ root, schema, json }: FieldContainer, value: unknown, problems: FieldProblem[]): unknown {
  const result = z.safeParse(schema, value);
  if (result.success) return result.data;
  problems.push(...toFieldProblems(json, value, result.error.issues, root));
  return undefined;
}

/**
 * Validates a body. Checks its lists of strings first, because millions of invalid entries must not become millions of
 * issues.
 */
function checkBody(body: FieldContainer, value: unknown, problems: FieldProblem[]): unknown {
  if (!isJsonObject(value)) return checkFields(body, value, problems);
  const checked = { ...value };
  for (const [name, list] of Object.entries(value)) {
    if (!Array.isArray(list) || !isTextList(findSchema(body.json, [name]))) continue;
    const { indexes, more } = findWrongEntries(list);
    if (indexes.length === 0) continue;
    problems.push(...indexes.map((index) => createFieldProblem('body', [name, index], 'must be text')));
    if (more > 0) problems.push({ message: `and ${more} more`, location: `body.${name}` });
    checked[name] = [''];
  }
  return checkFields(body, checked, problems);
}

function isTextList(schema: JsonObject | undefined): boolean {
  const items = schema?.['items'];
  return isJsonObject(items) && items['type'] === 'string';
}

/** Returns the indexes of the first non-string entries, up to a limit, and the number of such entries beyond it. */
function findWrongEntries(list: readonly unknown[]): { readonly indexes: readonly number[]; readonly more: number } {
  const indexes: number[] = [];
  let more = 0;
  for (const [index, entry] of list.entries()) {
    if (typeof entry === 'string') continue;
    if (indexes.length < maxNamedFields) indexes.push(index);
    else more += 1;
  }
  return { indexes, more };
}

/**
 * Converts a query string to an object. Parses integers and splits lists at commas, as the schema requires. Reports
 * repeated fields.
 */
function parseQueryFields(query: FieldContainer, search: URLSearchParams, problems: FieldProblem[]): JsonObject {
  const fields = Object.create(null) as JsonObject;
  for (const name of new Set(search.keys())) {
    const values = search.getAll(name);
    const fieldSchema = findSchema(query.json, [name]);
    if (values.length > 1 && fieldSchema !== undefined)
      problems.push(createFieldProblem('query', [name], 'must be given only once'));
    const value = parseQueryValue(values[0] ?? '', fieldSchema?.['type']);
    if (value !== undefined) fields[name] = value;
  }
  return { ...fields };
}

/** Converts a query parameter to the type of its schema. An empty number counts as absent. */
function parseQueryValue(text: string, type: unknown): unknown {
  if (type === 'integer') return text === '' ? undefined : /^-?\d+$/.test(text) ? Number(text) : text;
  return type === 'array' ? text.split(',').filter((part) => part !== '') : text;
}
