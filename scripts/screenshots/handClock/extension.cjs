/**
 * Lets the extension beside this one tell the time that stands in a file, so that a picture shows the same times
 * whenever it is made. Timers go on as ever, and so does the time of the extension host itself: by it the host
 * acknowledges what the window sends, and a window that waits for that in vain connects anew.
 */
const { readFileSync } = require('node:fs');

const systemNow = Date.now;

exports.activate = () => {
  const file = process.env.HAND_CLOCK;
  Date.now = function now() {
    return isAskedByBundle(now) ? Number(readFileSync(file, 'utf8')) : systemNow();
  };
};

function isAskedByBundle(now) {
  const { stackTraceLimit } = Error;
  const caller = {};
  Error.stackTraceLimit = 1;
  Error.captureStackTrace(caller, now);
  Error.stackTraceLimit = stackTraceLimit;
  return String(caller.stack).includes('/dist/extension/');
}
