import { problemDocumentSchema } from '../../contract/problem.ts';
import { isJsonObject } from '../util/json.ts';
import { redact } from '../util/redact.ts';

/** What an error's body told. */
interface ErrorBody {
  /** For reading, in plain text; absent when the body told nothing. */
  readonly detail?: string;
  /** Whether it was an error of the service itself, not of something that knows no such route (D8). */
  readonly isProblem: boolean;
}

const longestDetail = 4_000;

/**
 * Reads an error's body in any of the shapes of D14: a problem document, `{code, error}`, text, a page, or nothing.
 * `errors[].value` is not looked at. `secrets` are taken out before a long text is cut, so that none is cut in two.
 */
export function readErrorBody(text: string, contentType: string, secrets: readonly string[] = []): ErrorBody {
  const json = parseObject(text);
  const detail = json ? detailOfObject(json) : detailOfText(text, contentType);
  return {
    isProblem: json !== undefined && detail !== undefined,
    ...(detail && { detail: shorten(redact(detail, secrets)) }),
  };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isJsonObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function detailOfObject(json: Record<string, unknown>): string | undefined {
  const said = textOf(json['detail']) ?? textOf(json['error']) ?? textOf(json['message']);
  const parts = said === undefined ? [] : [said];
  let length = said?.length ?? 0;
  for (const message of messagesOf(json)) {
    // What is cut anyway is not compared with: a server can send messages by the thousand.
    if (length > longestDetail) break;
    if (parts.some((part) => part.includes(message))) continue;
    parts.push(message);
    length += message.length;
  }
  return parts.length > 0 ? parts.join('; ') : textOf(json['title']);
}

function messagesOf(json: Record<string, unknown>): string[] {
  const problem = problemDocumentSchema.safeParse({ errors: json['errors'] });
  const errors = problem.success ? (problem.data.errors ?? []) : [];
  return errors.map(({ message }) => textOf(message)).filter((message) => message !== undefined);
}

function detailOfText(text: string, contentType: string): string | undefined {
  if (!/html/i.test(contentType) && !/^\s*</.test(text)) return textOf(text);
  return textOf(/<title[^>]*>([^<]*)</i.exec(text.slice(0, 20_000))?.[1]);
}

function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

function shorten(text: string): string {
  return text.length > longestDetail ? `${text.slice(0, longestDetail)}…` : text;
}
