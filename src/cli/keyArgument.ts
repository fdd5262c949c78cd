import { isKeyText } from '../core/util/secrets.ts';

const keyOption = /^--?(?:api-?)?(?:key|token|secret|password)(?:=|$)/i;
const addressPassword = /^[a-z][a-z\d+.-]*:\/\/[^/@]+@/i;
const advice = 'Use --key-variable, --key-file or --key-stdin.';

/**
 * Returns an error message if an argument may contain an API key or a password; otherwise, undefined. Other processes
 * can read arguments, and shells store them in the history. The message doesn't contain the argument.
 */
export function findKeyArgument(args: readonly string[]): string | undefined {
  for (const [index, arg] of args.entries()) {
    const problem = describeProblem(arg, args[index - 1]);
    if (problem !== undefined) return `${problem} ${advice}`;
  }
  return undefined;
}

function describeProblem(arg: string, before: string | undefined): string | undefined {
  const value = arg.replace(/^--[\w-]+=/, '');
  if (keyOption.test(arg)) return "API keys aren't accepted as arguments, because other programs can read them.";
  if (isKeyText(value)) return "An argument looks like an API key. Keys aren't accepted as arguments.";
  if (addressPassword.test(value))
    return "An address contains a user name or password. User names and passwords aren't accepted in arguments.";
  const variable = before === '--key-variable' ? arg : /^--key-variable=(.*)$/s.exec(arg)?.[1];
  if (variable === undefined || /^[A-Za-z_]\w*$/.test(variable)) return undefined;
  return "The value of --key-variable isn't the name of an environment variable.";
}
