/** Prints the most memory that the process took, in kilobytes, as the last line of standard error. */
process.on('exit', () => process.stderr.write(`peak ${process.resourceUsage().maxRSS}\n`));
