/** Writes log messages. Compatible with VS Code's `LogOutputChannel`. Callers must not pass secrets. */
export interface Logger {
  trace(message: string): void;
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
