/** Replaces the editor's native watchdog: ends this process when its parent process is gone. */
const intervalMs = 1000;

function isGone(pid) {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

exports.start = (pid) => {
  setInterval(() => {
    if (isGone(pid)) process.exit(87);
  }, intervalMs).unref();
};

exports.exit = (code) => process.exit(code ?? 0);
