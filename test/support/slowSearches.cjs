/**
 * Makes every search in a folder slow; loaded with `--require` in a program and each of its threads. A search blocks the
 * catalog thread for SLOW_SEARCH_MS milliseconds, and first writes the line `searching` to standard error.
 */
const { writeSync } = require('node:fs');
const { StatementSync } = require('node:sqlite');

const { iterate } = StatementSync.prototype;

// Folders are searched by the only statement that is iterated.
StatementSync.prototype.iterate = function (...values) {
  writeSync(2, 'searching\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(process.env.SLOW_SEARCH_MS));
  return iterate.apply(this, values);
};
