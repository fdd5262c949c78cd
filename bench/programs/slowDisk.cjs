/**
 * Simulates a node with a slow disk; loaded with `--require` in a program and each of its threads. A thread reads and
 * writes at most SLOW_DISK_BYTES bytes per second together. As a system that reads ahead and writes later, the disk also
 * works while the thread computes.
 */
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

const bytesPerMs = Number(process.env.SLOW_DISK_BYTES) / 1000;
const sleeper = new Int32Array(new SharedArrayBuffer(4));
const aheadMs = 200;
let freeAtMs = 0;

function slowDown(operation) {
  return (...args) => {
    const count = operation(...args);
    const now = performance.now();
    freeAtMs = Math.max(now - aheadMs, freeAtMs) + count / bytesPerMs;
    if (freeAtMs > now) Atomics.wait(sleeper, 0, 0, freeAtMs - now);
    return count;
  };
}

fs.readSync = slowDown(fs.readSync);
fs.writeSync = slowDown(fs.writeSync);
syncBuiltinESMExports();
