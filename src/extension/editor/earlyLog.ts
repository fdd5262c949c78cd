import type { Logger } from '../../core/util/logger.ts';

type Level = keyof Logger;

/** Buffers messages until the log is created, which happens when the extension starts. */
export class EarlyLog implements Logger {
  private readonly entries: { readonly level: Level; readonly message: string }[] = [];
  readonly trace = this.createWriter('trace');
  readonly debug = this.createWriter('debug');
  readonly info = this.createWriter('info');
  readonly warn = this.createWriter('warn');
  readonly error = this.createWriter('error');

  /** Writes the buffered messages to a log and clears the buffer. */
  writeTo(log: Logger): void {
    for (const { level, message } of this.entries.splice(0)) log[level](message);
  }

  private createWriter(level: Level): (message: string) => void {
    return (message) => void this.entries.push({ level, message });
  }
}
