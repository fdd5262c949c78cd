import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Json = Readonly<Record<string, unknown>>;

/** An operation of an OpenAPI document. */
export interface Operation {
  readonly [field: string]: unknown;
  readonly operationId: string;
  readonly parameters?: readonly Json[];
  readonly requestBody?: Json;
  readonly responses: Readonly<Record<string, Json>>;
}

/** The parts of an OpenAPI document that the tests check. */
export interface OpenApi {
  readonly [field: string]: unknown;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly responses: Readonly<Record<string, Json>>;
    readonly schemas: Readonly<Record<string, Json>>;
  };
}

/** A received response. */
export interface GivenAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const checks = new Map<string, OpenApiCheck>();

/** Checks the responses of a service against its OpenAPI document. */
export class OpenApiCheck {
  readonly document: OpenApi;
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });

  private constructor(document: OpenApi) {
    this.document = document;
    addFormats(this.ajv);
    this.ajv.addSchema({ ...document, $id: 'document' });
  }

  /**
   * Returns the checker for a document, given as JSON. Services with the same document share the checker, because
   * compiling a schema takes longer than some transfers.
   */
  static of(text: string): OpenApiCheck {
    const check = checks.get(text) ?? new OpenApiCheck(JSON.parse(text) as OpenApi);
    checks.set(text, check);
    return check;
  }

  /** Throws if a response doesn't match the document in its status, headers, media type or body. */
  check(method: string, target: string, answer: GivenAnswer): void {
    const where = `${method} ${target.slice(0, 200)} answered ${answer.status}`;
    const response = this.getResponse(method, target, answer.status, where);
    for (const [name, header] of Object.entries((response['headers'] ?? {}) as Record<string, Json>)) {
      const value = answer.headers.get(name);
      assert.ok(value !== null || header['required'] !== true, `${where} without the header ${name}`);
      if (value !== null) this.validate(this.ajv.compile(header['schema'] as Json), value, `${where}: ${name}`);
    }
    this.checkBody(response, method, answer, where);
  }

  /** Returns an operation's description of a status, with any reference resolved; undefined if there is none. */
  response(operation: Operation, status: number): Json | undefined {
    return this.follow(operation.responses[String(status)]);
  }

  /**
   * Throws if a value doesn't match a schema of the document, given by its location, such as
   * `#/components/schemas/File`.
   */
  checkAt(place: string, value: unknown, where: string): void {
    const validate = this.ajv.getSchema(`document${place}`);
    assert.ok(validate, `${where}: there is no ${place}`);
    this.validate(validate, value, where);
  }

  private checkBody(response: Json, method: string, { headers, text }: GivenAnswer, where: string): void {
    const content = response['content'] as Readonly<Record<string, { schema?: { $ref: string } }>> | undefined;
    if (content === undefined || method === 'HEAD') {
      assert.equal(text, '', `${where} with a body`);
      return;
    }
    const mediaType = headers.get('content-type') ?? '';
    const described = content[mediaType];
    assert.ok(described, `${where} as ${mediaType}`);
    if (described.schema === undefined) return;
    const { $ref } = described.schema;
    const values = mediaType === 'application/x-ndjson' ? text.trim().split('\n') : [text];
    for (const value of values) this.checkAt($ref, JSON.parse(value), where);
  }

  private getResponse(method: string, target: string, status: number, where: string): Json {
    const path = (target.split('?', 1)[0] ?? '').replaceAll(/\/+/g, '/').replace(/(?<=.)\/$/, '');
    const methods = Object.entries(this.document.paths).find(([template]) => isOfTemplate(template, path))?.[1];
    const operation = methods?.[method.toLowerCase()];
    const response =
      operation === undefined
        ? this.document.components.responses[getResponseName(status, methods !== undefined)]
        : this.response(operation, status);
    assert.ok(response, `${where}, which is not described`);
    return response;
  }

  private follow(response: Json | undefined): Json | undefined {
    const reference = response?.['$ref'];
    if (typeof reference !== 'string') return response;
    return this.document.components.responses[reference.replace('#/components/responses/', '')];
  }

  /** Describes why a response doesn't match; names the properties that the document doesn't have. */
  private describeErrors({ errors }: ValidateFunction): string {
    const undeclared = (errors ?? [])
      .filter(({ keyword }) => keyword === 'additionalProperties')
      .map(({ params }) => String(params['additionalProperty']));
    const advice = undeclared.length > 0 ? `; describe ${undeclared.join(', ')} in src/service/wire` : '';
    return this.ajv.errorsText(errors) + advice;
  }

  private validate(validate: ValidateFunction, value: unknown, where: string): void {
    assert.ok(validate(value), `${where}: ${this.describeErrors(validate)}`);
  }
}

/**
 * Returns the name of the error response with the given status; empty if there is none. Covers unknown paths, and
 * methods that a known path doesn't support.
 */
function getResponseName(status: number, isKnownPath: boolean): string {
  const before: Readonly<Record<number, string>> = { 400: 'BadRequest', 401: 'Unauthorized', 403: 'Forbidden' };
  const late: Readonly<Record<number, string>> = isKnownPath ? { 405: 'MethodNotAllowed' } : { 404: 'NotFound' };
  return { ...before, ...late }[status] ?? '';
}

function isOfTemplate(template: string, path: string): boolean {
  const expected = template.split('/');
  const given = path.split('/');
  return (
    expected.length === given.length &&
    expected.every((part, index) => part === given[index] || (part.startsWith('{') && given[index] !== ''))
  );
}
