import { InvalidArgumentError } from 'commander';
import { parseJsonObject, type JsonObject } from '../core/util/json.ts';

/**
 * Parses an option's value as a positive integer of at most 15 digits. Throws InvalidArgumentError for any other value.
 */
export function parseCount(value: string): number {
  const count = /^\d{1,15}$/.test(value) ? Number(value) : 0;
  if (count < 1) throw new InvalidArgumentError('It must be a whole number of at least 1.');
  return count;
}

/** Parses an option's value as a JSON object. Throws InvalidArgumentError for any other value. */
export function parseJsonOption(value: string): JsonObject {
  const object = parseJsonObject(value);
  if (!object) throw new InvalidArgumentError('It must be a JSON object.');
  return object;
}
