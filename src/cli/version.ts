/** The version of the command line, the same as that of the extension. */
export const cliVersion = '0.2.0';
