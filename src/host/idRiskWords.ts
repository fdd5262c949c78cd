import { listText, plainLine, plural } from './words.ts';

/** The ids of a transfer that may stop the server that is asked to send them (D37). */
interface IdRisk {
  /** Known to end the connection of a metadata request. */
  readonly unsafe: readonly string[];
  /** Not looked up since a submission with them lost its connection. */
  readonly unchecked: readonly string[];
}

const mostNamed = 5;

/** Returns a sentence for each kind of risk, with the ids. */
export function idRiskLines({ unsafe, unchecked }: IdRisk): readonly string[] {
  return [
    unsafe.length === 0
      ? ''
      : plural(
          unsafe.length,
          'Sending this ID may stop the server, which closes the connection when asked for it: {1}',
          'Sending these {0} IDs may stop the server, which closes the connection when asked for them: {1}',
          idsText(unsafe),
        ),
    unchecked.length === 0
      ? ''
      : plural(
          unchecked.length,
          'The connection was lost when this was submitted. Sending this ID may stop the server; it could not be checked: {1}',
          'The connection was lost when this was submitted. Sending one of these {0} IDs may stop the server; they could not be checked: {1}',
          idsText(unchecked),
        ),
  ].filter(Boolean);
}

function idsText(ids: readonly string[]): string {
  const rest = ids.length - mostNamed;
  const named = ids.slice(0, mostNamed).map(plainLine);
  return listText([...named, rest > 0 ? plural(rest, '({0} more)', '({0} more)') : undefined]);
}
