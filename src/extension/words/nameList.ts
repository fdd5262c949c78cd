import { formatList, plural } from './localeFormats.ts';
import { toPlainText } from './plainText.ts';

/** Maximum number of names in a sentence. */
const maxNames = 5;

const maxNameLength = 60;

/** Lists the first few names on one line, and counts the rest, such as "a.txt, b.txt, 3 more". */
export function formatNames(names: readonly string[], format: (name: string) => string = (name) => name): string {
  const rest = names.length - maxNames;
  const listed = names.slice(0, maxNames).map((name) => format(toPlainText(name, maxNameLength)));
  return formatList([...listed, rest > 0 ? plural(rest, '{0} more', '{0} more') : undefined]);
}
