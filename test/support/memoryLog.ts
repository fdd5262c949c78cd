import type { Logger } from '../../src/core/util/logger.ts';

/** Collects log entries in `lines`, each as `level message`. */
export class MemoryLog implements Logger {
  readonly lines: string[] = [];
  readonly trace = this.writer('trace');
  readonly debug = this.writer('debug');
  readonly info = this.writer('info');
  readonly warn = this.writer('warn');
  readonly error = this.writer('error');

  /** The entries of the level `error`. */
  get errors(): readonly string[] {
    return this.lines.filter((line) => line.startsWith('error '));
  }

  private writer(level: string): (message: string) => void {
    return (message) => this.lines.push(`${level} ${message}`);
  }
}
