import * as z from 'zod/mini';
import { getMachine, type Connection } from '../model/connection.ts';
import type { Reason, ReasonKind, SignInFailure } from '../model/reason.ts';
import type { Transfer, TransferFile, TransferOrder, TransferState, TransferStatus } from '../model/transferModel.ts';
import { isDeeperThan, isJsonObject } from '../util/json.ts';
import { omit } from '../util/omit.ts';
import { findRemoteProblem } from '../util/remote.ts';
import { findSecrets, type ValuePath } from '../util/secrets.ts';
import { validate } from '../util/validate.ts';
import type { ServedEntry } from './userData.ts';

const maxLevels = 60;
/** Maximum depth to which entries are searched for secrets. Deeper values are always dropped. */
const maxEntryLevels = 100;
/** The last time that JavaScript can represent, in milliseconds since 1970. */
const lastTime = 8.64e15;

/** A schema for every field of a type, because an import drops fields without a schema. */
type FieldSchemas<T> = Readonly<Record<keyof T, z.core.$ZodType>>;

/** `List` if it contains all members of a union; otherwise, the missing members, which an import would refuse. */
type Complete<All, List extends readonly unknown[]> = [Exclude<All, List[number]>] extends [never]
  ? List
  : readonly Exclude<All, List[number]>[];

const states = [
  ...(['submitting', 'notConfirmed', 'refused', 'accepted', 'staging', 'active', 'finalizing', 'inactive'] as const),
  ...(['unknown', 'running', 'succeeded', 'failed', 'cancelled', 'expired'] as const),
] as const satisfies readonly TransferState[];

const reasonKinds = [
  ...(['badAddress', 'insecureAddress', 'badArgument', 'notConnected', 'keyMissing', 'keyGone'] as const),
  ...(['keyElsewhere', 'variableEmpty', 'unreachable', 'certificate', 'proxy', 'timeout', 'dropped'] as const),
  ...(['unauthorized', 'forbidden', 'notFound', 'refused', 'serverError', 'entryRejected', 'redirect'] as const),
  ...(['noService', 'serviceStopped', 'unreadable', 'tooLarge', 'foreignAnswer', 'queued'] as const),
  ...(['lookupFailed', 'cancelled'] as const),
] as const satisfies readonly ReasonKind[];

const signInFailures = ['key', 'orcid', 'account', 'outage'] as const;

const stateSchema = z.enum(states satisfies Complete<TransferState, typeof states>);
const timeSchema = z.number().check(z.gte(0), z.lte(lastTime));
const countSchema = z.int().check(z.gte(0));
const nameSchema = z.string().check(z.minLength(1), z.maxLength(1000));
const textSchema = z.optional(z.string());
const flagSchema = z.optional(z.boolean());
const objectSchema = z.record(z.string(), z.unknown());

const causeSchema = z.object({
  kind: z.enum(reasonKinds satisfies Complete<ReasonKind, typeof reasonKinds>),
  request: textSchema,
  status: z.optional(z.int()),
  detail: textSchema,
  code: textSchema,
  signIn: z.optional(z.enum(signInFailures satisfies Complete<SignInFailure, typeof signInFailures>)),
  keyWorked: flagSchema,
  maybeDone: flagSchema,
  isIdAtFault: flagSchema,
  retryAfterMs: z.optional(countSchema),
} satisfies FieldSchemas<Omit<Reason, 'cause'>>);

const statusSchema = z.object({
  id: textSchema,
  status: textSchema,
  message: textSchema,
  fileCount: z.optional(countSchema),
  movedFileCount: z.optional(countSchema),
  doubtful: flagSchema,
} satisfies FieldSchemas<TransferStatus>);

const fileSchema = z.object({
  id: nameSchema,
  name: z.string(),
  sizeBytes: z.optional(countSchema),
  hash: textSchema,
  licenses: z.optional(z.array(z.object({ name: z.string(), url: textSchema }))),
} satisfies FieldSchemas<TransferFile>);

const orderSchema = z.object({
  connectionId: nameSchema,
  orcid: z.string(),
  source: z.string(),
  destination: z.string(),
  files: z.array(fileSchema),
  description: textSchema,
  instructions: z.optional(objectSchema.check(z.refine((value) => !isDeeperThan(value, maxLevels)))),
} satisfies FieldSchemas<TransferOrder>);

const transferSchema = z.object({
  // The key is used as the name of the record's file.
  key: z.string().check(z.regex(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/)),
  order: orderSchema,
  service: textSchema,
  createdAt: timeSchema,
  state: stateSchema,
  changes: z.array(z.object({ state: stateSchema, at: timeSchema })).check(z.minLength(1)),
  id: z.optional(nameSchema),
  foreignIds: z.optional(z.array(z.string())),
  status: z.optional(statusSchema),
  askedAt: z.optional(timeSchema),
  movement: z.optional(z.array(z.object({ at: timeSchema, moved: countSchema }))),
  cancelAcceptedAt: z.optional(timeSchema),
  cancelUnheeded: flagSchema,
  problem: z.optional(z.extend(causeSchema, { cause: z.optional(causeSchema) })),
  startedElsewhere: flagSchema,
  replacedBy: textSchema,
  requestedBy: z.optional(z.object({ agent: z.string(), plan: z.string() })),
} satisfies FieldSchemas<Transfer>);

const connectionSchema = z.object({
  id: nameSchema.check(z.refine((id) => getMachine(id) === undefined)),
  name: nameSchema,
  server: nameSchema.check(z.refine(isServiceAddress)),
  port: z.optional(z.int().check(z.gte(1), z.lte(65_535))),
  scheme: z.optional(z.enum(['base64', 'plain'])),
  transport: z.optional(z.enum(['direct', 'editor'])),
  apiKeyVariable: z.optional(z.string().check(z.regex(/^[A-Za-z_][A-Za-z\d_]*$/))),
} satisfies FieldSchemas<Omit<Connection, 'allowInsecureHttp'>>);

const placeSchema = z
  .object({
    name: nameSchema,
    folder: z.optional(nameSchema),
    remote: z.optional(nameSchema.check(z.refine((remote) => findRemoteProblem(remote) === undefined))),
    organization: textSchema,
    readOnly: flagSchema,
    rescanMinutes: z.optional(z.number().check(z.gt(0))),
  } satisfies FieldSchemas<ServedEntry>)
  .check(z.refine(({ folder, remote }) => (folder === undefined) !== (remote === undefined)));

/**
 * Parses a transfer. Drops unknown fields, and text from the user that seems to contain a key. Marks a pending
 * submission as not confirmed. Returns undefined if the value is not a valid transfer.
 */
export function parseTransfer(value: unknown): Transfer | undefined {
  const data = validate(transferSchema, value)?.data;
  return data && settleSubmission(withoutOwnSecrets(data as Transfer));
}

/** Returns the paths of values in a transfer that look like a key and are not in the parsed transfer. */
export function findDroppedSecrets(value: unknown, parsed: Transfer | undefined): readonly ValuePath[] {
  if (isDeeperThan(value, maxEntryLevels)) return [];
  // The transfer's `key` identifies its record and is not a secret.
  const secrets = findSecrets(isJsonObject(value) ? omit(value, 'key') : value);
  return secrets.filter((path) => !hasValue(parsed, path));
}

/**
 * Parses a connection. Drops unknown fields and the permission to send a key over plain HTTP. Returns undefined if the
 * connection is not valid or seems to contain a key.
 */
export function parseConnection(value: unknown): Connection | undefined {
  return withoutSecrets(z.safeParse(connectionSchema, value).data as Connection | undefined);
}

/**
 * Parses a served folder or store. Drops unknown fields. Returns undefined if the entry is not valid or seems to
 * contain a key.
 */
export function parseServedEntry(value: unknown): ServedEntry | undefined {
  return withoutSecrets(z.safeParse(placeSchema, value).data as ServedEntry | undefined);
}

function withoutSecrets<T>(entry: T | undefined): T | undefined {
  return findSecrets(entry).length === 0 ? entry : undefined;
}

/**
 * Returns a transfer without any user text that seems to contain a key. Keeps server text, which the client redacts.
 */
function withoutOwnSecrets(transfer: Transfer): Transfer {
  if (findSecrets(transfer.service).length > 0) return withoutOwnSecrets(omit(transfer, 'service'));
  const { order } = transfer;
  const secret = (['description', 'instructions'] as const).filter((field) => {
    return findSecrets(order[field], ['order', field]).length > 0;
  });
  return secret.length === 0 ? transfer : { ...transfer, order: omit(order, ...secret) };
}

function hasValue(whole: unknown, [name, ...rest]: ValuePath): boolean {
  if (name === undefined) return true;
  if (typeof whole !== 'object' || whole === null || !Object.hasOwn(whole, name)) return false;
  return hasValue((whole as Readonly<Record<string | number, unknown>>)[name], rest);
}

/**
 * Returns a transfer with a pending submission marked as not confirmed, because its response reaches only the other
 * machine (D12: never resubmit).
 */
function settleSubmission(transfer: Transfer): Transfer {
  if (transfer.state !== 'submitting') return transfer;
  const changes = [...transfer.changes, { state: 'notConfirmed', at: transfer.createdAt }] as const;
  return { ...transfer, state: 'notConfirmed', changes, problem: { kind: 'dropped', maybeDone: true } };
}

/** Returns true for an `http://` or `https://` address without a user name or password. */
function isServiceAddress(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}
