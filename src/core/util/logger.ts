/** Where the parts write what happened. The editor's `LogOutputChannel` fits. Nothing secret may be given to it. */
export interface Logger {
  trace(message: string): void;
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
