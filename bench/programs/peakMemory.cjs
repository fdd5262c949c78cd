/** Prints the peak memory of the process, in kilobytes, as the last line of standard error. */
process.on('exit', () => process.stderr.write(`peak ${process.resourceUsage().maxRSS}\n`));
