/** Returns the stack trace of an error for a log; the text of anything else that was thrown. */
export function formatErrorStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
