/**
 * True if tests with repetitions run often enough to find rare failures (`npm run test:deep`), rather than only a few
 * times (`npm test`). Only this file reads the variable.
 */
export const isDeep = process.env['DATA_TRANSFER_TEST_SIZE'] === 'deep';

/** Returns the first value in `npm test`, and the second in `npm run test:deep`. */
export function bySize<T>(quick: T, deep: T): T {
  return isDeep ? deep : quick;
}
