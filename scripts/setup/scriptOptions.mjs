/** Parses the command-line options of scripts, and prints their usage. */
import { parseArgs } from 'node:util';
import { StepError, say } from './steps.mjs';

const help = { type: 'boolean', short: 'h' };

function describeOption([name, { value, about }]) {
  return [`--${name}${value === undefined ? '' : ` ${value}`}`, about];
}

function formatUsage({ command, about, options, operand }) {
  const rows = [...Object.entries(options).map(describeOption), ['--help', 'prints this help']];
  const width = Math.max(...rows.map(([option]) => option.length));
  const list = rows.map(([option, text]) => `  ${option.padEnd(width)}  ${text}`).join('\n');
  return `Usage: ${command} ${operand === undefined ? '' : `${operand} `}[options]\n\n${about}\n\n${list}`;
}

/** Returns the first sentence of an error from `parseArgs`; the rest is advice that doesn't apply to npm scripts. */
function describeMistake({ message }) {
  return message.split(/\. |\n/, 1)[0].replace(/\.$/, '');
}

/**
 * Parses the options and operands of a script. Each option is a `parseArgs` option with a description, `about`, and
 * optionally a placeholder, `value`. `operand` describes the other arguments; without it, none are accepted. With
 * `--help`, prints the usage and returns undefined. Throws a StepError for arguments that the script doesn't accept.
 */
export function readOptions({ command, about, options = {}, operand }, args = process.argv.slice(2)) {
  try {
    const config = { args, options: { ...options, help }, allowPositionals: operand !== undefined };
    const { values, positionals } = parseArgs(config);
    if (!values.help) return { values, positionals };
  } catch (error) {
    if (!error.code?.startsWith('ERR_PARSE_ARGS')) throw error;
    throw new StepError(`${describeMistake(error)}. See: ${command} --help`);
  }
  say(formatUsage({ command, about, options, operand }));
  return undefined;
}
