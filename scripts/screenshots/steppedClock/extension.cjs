/**
 * Makes the main extension read the time from a file, so that screenshots always show the same times. Doesn't affect
 * timers, or the clock that the extension host uses to acknowledge messages.
 */
const { readFileSync } = require('node:fs');

const systemNow = Date.now;

exports.activate = () => {
  Date.now = function now() {
    return isCalledByBundle(now) ? Number(readFileSync(process.env.STEPPED_CLOCK, 'utf8')) : systemNow();
  };
};

function isCalledByBundle(now) {
  const { stackTraceLimit } = Error;
  const caller = {};
  Error.stackTraceLimit = 1;
  Error.captureStackTrace(caller, now);
  Error.stackTraceLimit = stackTraceLimit;
  return String(caller.stack).includes('/dist/lib/');
}
