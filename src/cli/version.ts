/** The command line's version, which is the same as the extension's. */
export const cliVersion = '0.2.0';
