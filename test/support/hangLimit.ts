import manifest from '../../package.json' with { type: 'json' };

/**
 * Time limit of a test, in milliseconds. It is the limit in `package.json`, so that it also applies to a test file that
 * mocha runs directly.
 */
export const hangLimitMs = manifest.mocha.timeout;
