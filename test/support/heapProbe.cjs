'use strict';
// Preloaded into every thread of a service by heapReport.ts. On SIGUSR2, each thread collects garbage and writes its
// heap sizes to standard error, with the IDs of the threads that it has started and that are still running.
const { writeSync } = require('node:fs');
const { setImmediate } = require('node:timers');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const { BroadcastChannel, isMainThread, threadId, workerData } = require('node:worker_threads');

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
const channel = new BroadcastChannel('heap-probe');
const started = new Set();

/**
 * Reports the heap of this thread. Collects garbage twice, because the memory of buffers is released only after the
 * first collection. The second one also returns the pages that the engine keeps for later use, which are no longer part
 * of the heap but would still be resident.
 */
function report(role) {
  collectGarbage();
  setImmediate(() => write(role));
}

function write(role) {
  collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  const { heapUsed, heapTotal, arrayBuffers } = process.memoryUsage();
  const sizes = `${heapUsed + arrayBuffers} used, ${heapTotal} reserved`;
  writeSync(2, `heap of ${role} ${threadId}: ${sizes}, started ${[...started].join(' ')}\n`);
}

process.on('worker', (worker) => {
  const { threadId: id } = worker;
  started.add(id);
  worker.once('exit', () => started.delete(id));
});
if (isMainThread)
  process.on('SIGUSR2', () => {
    channel.postMessage('report');
    report('main');
  });
else channel.onmessage = () => report(workerData.role);
channel.unref();
