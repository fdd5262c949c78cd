import manifest from '../../package.json' with { type: 'json' };

/** Time after which a test that hangs fails, in milliseconds. All rings have the limit of a file that is run by itself. */
export const hangLimitMs = manifest.mocha.timeout;
