/** Formats a thrown value for a log. Returns the stack trace of an error, and any other value as text. */
export function formatErrorStack(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
