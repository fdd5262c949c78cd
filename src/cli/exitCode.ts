/** The exit codes of the command line (docs/command-line.md). */
export const exitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  connection: 3,
  notFound: 4,
  differs: 5,
  cancelIgnored: 6,
  interrupted: 130,
} as const;

/** One of the values of {@link exitCode}. */
export type ExitCode = (typeof exitCode)[keyof typeof exitCode];
