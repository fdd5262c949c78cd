import manifest from '../../package.json' with { type: 'json' };

/**
 * Time limit of a test, in milliseconds. Read from `package.json`, so that the limit also applies to a test file that
 * mocha runs directly.
 */
export const hangLimitMs = manifest.mocha.timeout;
