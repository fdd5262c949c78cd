/**
 * Loaded with `--require` in a program and each of its threads. Opening a file named `stuck.bin` blocks in the system,
 * as on an unresponsive network disk. HANGING_PIPE names the pipe without a writer that it waits for; a file next to
 * the pipe, with the suffix `.waiting`, shows that it is waiting. With HANGING_JOURNAL, closing the journal also
 * blocks.
 */
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const path = require('node:path');
const { isMainThread } = require('node:worker_threads');

const { openSync } = fs;

fs.openSync = (file, ...rest) => {
  if (path.basename(String(file)) !== 'stuck.bin') return openSync(file, ...rest);
  fs.writeFileSync(`${process.env.HANGING_PIPE}.waiting`, '');
  return openSync(process.env.HANGING_PIPE, 'r');
};

if (process.env.HANGING_JOURNAL && isMainThread) {
  require('node:sqlite').DatabaseSync.prototype.close = () => openSync(process.env.HANGING_PIPE, 'r');
}

syncBuiltinESMExports();
