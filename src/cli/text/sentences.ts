/** Replaces `{0}`, `{1}` … in an English sentence with the arguments. */
export function fillIn(message: string, ...args: readonly (string | number)[]): string {
  return message.replace(/\{(\d)\}/g, (_, index: string) => String(args[Number(index)] ?? ''));
}
