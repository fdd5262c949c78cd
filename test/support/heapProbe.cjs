'use strict';
// Preloaded into every thread of a service by heapReport.ts: at SIGUSR2, each thread collects its garbage and writes the
// size of its heap to standard error.
const { writeSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');
const { BroadcastChannel, isMainThread, workerData } = require('node:worker_threads');

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
const channel = new BroadcastChannel('heap-probe');

function report(role) {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  writeSync(2, `heap of ${role}: ${heapUsed + arrayBuffers}\n`);
}

if (isMainThread)
  process.on('SIGUSR2', () => {
    channel.postMessage('report');
    report('main');
  });
else channel.onmessage = () => report(workerData.role);
channel.unref();
