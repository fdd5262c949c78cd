/**
 * True if repeated tests run often enough to find rare failures (`npm run test:deep`); false for a few runs
 * (`npm test`). Only this file reads the variable.
 */
export const isDeep = process.env['DATA_TRANSFER_TEST_SIZE'] === 'deep';

/** Returns the first value under `npm test` and the second under `npm run test:deep`. */
export function bySize<T>(quick: T, deep: T): T {
  return isDeep ? deep : quick;
}
