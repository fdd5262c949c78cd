/**
 * Simulates a full disk; loaded with `--require` in a program and each of its threads. Writes below the folder
 * QUOTA_FOLDER fail with ENOSPC once its files contain QUOTA_BYTES bytes. Writes succeed again once a file that has the
 * folder's name with the suffix `-room` exists next to the folder.
 */
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');
const path = require('node:path');

const folder = process.env.QUOTA_FOLDER;
const bytes = Number(process.env.QUOTA_BYTES);
const paths = new Map();
const { openSync, closeSync, writeSync } = fs;

fs.openSync = (file, ...rest) => {
  const opened = openSync(file, ...rest);
  paths.set(opened, String(file));
  return opened;
};

fs.closeSync = (opened) => {
  paths.delete(opened);
  closeSync(opened);
};

fs.writeSync = (opened, ...rest) => {
  if (paths.get(opened)?.startsWith(folder) && isFull()) {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  }
  return writeSync(opened, ...rest);
};

syncBuiltinESMExports();

function isFull() {
  if (fs.existsSync(`${folder}-room`)) return false;
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return entries.reduce((sum, entry) => sum + fs.statSync(path.join(entry.parentPath, entry.name)).size, 0) >= bytes;
}
