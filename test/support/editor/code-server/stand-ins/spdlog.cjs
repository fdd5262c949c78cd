/**
 * Replaces the editor's native log writer, which needs a compiler at installation. Without a replacement, the editor
 * would write no log files, and "Show Log" would open an empty page.
 */
const { closeSync, mkdirSync, openSync, writeSync } = require('node:fs');
const { dirname } = require('node:path');

const levels = ['trace', 'debug', 'info', 'warning', 'error', 'critical', 'off'];

function timestamp() {
  return new Date().toISOString().replace('T', ' ').replace('Z', '');
}

class Logger {
  #file;
  #level = 2;
  #isRaw = false;

  constructor(loggerType, name, file) {
    mkdirSync(dirname(file), { recursive: true });
    this.#file = openSync(file, 'a');
  }

  #write(level, message) {
    if (level < this.#level || this.#file === undefined) return;
    writeSync(this.#file, this.#isRaw ? message : `${timestamp()} [${levels[level]}] ${message}\n`);
  }

  trace(message) {
    this.#write(0, message);
  }

  debug(message) {
    this.#write(1, message);
  }

  info(message) {
    this.#write(2, message);
  }

  warn(message) {
    this.#write(3, message);
  }

  error(message) {
    this.#write(4, message);
  }

  critical(message) {
    this.#write(5, message);
  }

  getLevel() {
    return this.#level;
  }

  setLevel(level) {
    this.#level = level;
  }

  setPattern() {
    this.#isRaw = false;
  }

  clearFormatters() {
    this.#isRaw = true;
  }

  flush() {
    return undefined;
  }

  drop() {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

async function createLogger(name, file) {
  return new Logger('rotating', name, file);
}

exports.version = 0;
exports.setLevel = () => undefined;
exports.setFlushOn = () => undefined;
exports.Logger = Logger;
exports.createRotatingLogger = createLogger;
exports.createAsyncRotatingLogger = createLogger;
