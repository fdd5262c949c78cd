/**
 * Simulates an unresponsive network disk; loaded with `--require` in a program and each of its threads. Opening a file
 * named `stuck.bin` blocks; if HANGING_COPY is set, creating the copy of that file blocks instead. The blocked call
 * returns when a writer opens the pipe whose path is in HANGING_PIPE. A file next to the pipe, with the suffix
 * `.waiting`, gets a line for each waiting thread. If HANGING_JOURNAL is set, closing the journal also blocks.
 */
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const path = require('node:path');
const { isMainThread } = require('node:worker_threads');

const { openSync } = fs;

const isStuck = (name) => (process.env.HANGING_COPY ? /^stuck\.bin\.\w+\.part-/.test(name) : name === 'stuck.bin');

fs.openSync = (file, ...rest) => {
  if (!isStuck(path.basename(String(file)))) return openSync(file, ...rest);
  fs.appendFileSync(`${process.env.HANGING_PIPE}.waiting`, 'waiting\n');
  openSync(process.env.HANGING_PIPE, 'r');
  return openSync(file, ...rest);
};

if (process.env.HANGING_JOURNAL && isMainThread) {
  require('node:sqlite').DatabaseSync.prototype.close = () => openSync(process.env.HANGING_PIPE, 'r');
}

syncBuiltinESMExports();
