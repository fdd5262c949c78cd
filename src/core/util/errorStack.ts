/** Formats a thrown value for a log: the stack trace of an error, or any other value as text. */
export function formatErrorStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
