import * as z from 'zod/mini';
import type { PlanDecision, TransferPlan } from './transferPlan.ts';

/**
 * The transfer that was submitted for a plan. `at` is the time at which the submission was recorded, in milliseconds
 * since 1970.
 */
export interface PlanOutcome {
  readonly transferKey: string;
  readonly at: number;
}

const count = z.int().check(z.gte(0));

const fileSchema = z.looseObject({
  id: z.string(),
  path: z.string(),
  bytes: z.exactOptional(count),
  hash: z.exactOptional(z.string()),
  licenses: z.exactOptional(z.array(z.looseObject({ name: z.string(), url: z.exactOptional(z.string()) }))),
});

const planSchema = z.looseObject({
  id: z.string(),
  createdAt: z.number(),
  expiresAt: z.number(),
  requestedBy: z.string(),
  service: z.looseObject({ connectionId: z.string(), name: z.string(), address: z.string(), orcid: z.string() }),
  source: z.string(),
  destination: z.string(),
  files: z.array(fileSchema),
  description: z.exactOptional(z.string()),
  instructions: z.exactOptional(z.record(z.string(), z.unknown())),
  textOrigin: z.enum(['agent', 'server']),
  licenses: z.array(
    z.looseObject({ name: z.exactOptional(z.string()), fileCount: count, forbidsSharing: z.boolean() }),
  ),
  copies: z.looseObject({ atDestination: count, isComplete: z.boolean(), received: count, underWay: count }),
  freeBytes: z.exactOptional(z.number()),
});

/**
 * Describes a stored plan. Rejects plans from later versions, because they could contain options that this version
 * ignores.
 */
const storedSchema = z.looseObject({ version: z.literal(1), plan: planSchema });

const decisionSchema = z.looseObject({ kind: z.enum(['confirmed', 'declined']), by: z.string(), at: z.number() });
const outcomeSchema = z.looseObject({ transferKey: z.string(), at: z.number() });

/** Parses a plan's file. Returns undefined if the file is missing, damaged or from a later version. */
export function parsePlan(text: string | undefined): TransferPlan | undefined {
  return parse(storedSchema, text)?.plan;
}

/**
 * Parses a decision file. Returns undefined if the file is missing. Treats a damaged file as an earlier
 * confirmation, so that nothing is submitted twice.
 */
export function parseDecision(text: string | undefined): PlanDecision | undefined {
  if (text === undefined) return undefined;
  return parse(decisionSchema, text) ?? { kind: 'confirmed', by: '', at: 0 };
}

/** Parses an outcome file. Returns undefined if it is missing or damaged. */
export function parseOutcome(text: string | undefined): PlanOutcome | undefined {
  const outcome = parse(outcomeSchema, text);
  return outcome && { transferKey: outcome.transferKey, at: outcome.at };
}

function parse<Schema extends z.ZodMiniType>(schema: Schema, text: string | undefined): z.output<Schema> | undefined {
  try {
    return text === undefined ? undefined : schema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
