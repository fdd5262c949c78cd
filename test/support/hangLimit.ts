import manifest from '../../package.json' with { type: 'json' };

/** Time limit of a test, in milliseconds. All rings use mocha's own limit, as a file that is run by itself does. */
export const hangLimitMs = manifest.mocha.timeout;
