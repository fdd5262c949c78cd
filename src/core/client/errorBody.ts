import { isJsonObject, parseJsonObject, type JsonObject } from '../util/json.ts';
import { redact } from '../util/redact.ts';

interface ErrorBody {
  /** Readable plain text; absent if the body does not contain any. */
  readonly detail?: string;
  /**
   * True if the body is a JSON error document. A server that lacks the requested route doesn't send such a document
   * (D8: metadata by ids).
   */
  readonly isProblem: boolean;
}

const maxDetailLength = 4_000;

/**
 * Reads the body of an error response in any form that D14 (error documents) lists. The forms are a problem document,
 * `{code, error}`, plain text, an HTML page, and an empty body. Ignores `errors[].value`. Redacts `secrets` before
 * truncating long text, because a truncated secret would not be recognized.
 */
export function readErrorBody(text: string, contentType: string, secrets: readonly string[] = []): ErrorBody {
  const json = parseJsonObject(text);
  const detail = json ? getObjectDetail(json) : getTextDetail(text, contentType);
  return {
    isProblem: json !== undefined && detail !== undefined,
    ...(detail && { detail: shorten(redact(detail, secrets)) }),
  };
}

/** Joins the messages in an error document. Stops at the maximum length, because there may be thousands of messages. */
function getObjectDetail(json: JsonObject): string | undefined {
  const detail = toText(json['detail']) ?? toText(json['error']) ?? toText(json['message']);
  const parts = detail === undefined ? [] : [detail];
  let length = detail?.length ?? 0;
  for (const message of listMessages(json)) {
    if (length > maxDetailLength) break;
    if (parts.some((part) => part.includes(message))) continue;
    parts.push(message);
    length += message.length;
  }
  return parts.length > 0 ? joinParts(parts) : toText(json['title']);
}

/** Joins messages with semicolons. Drops a period that would precede a semicolon. */
function joinParts(parts: readonly string[]): string {
  return parts.map((part, index) => (index < parts.length - 1 ? part.replace(/\.$/, '') : part)).join('; ');
}

/** Yields the message of each entry in `errors`. Ignores entries that aren't objects with a message. */
function* listMessages({ errors }: JsonObject): Generator<string> {
  if (!Array.isArray(errors)) return;
  for (const error of errors as readonly unknown[]) {
    const message = isJsonObject(error) ? toText(error['message']) : undefined;
    if (message !== undefined) yield message;
  }
}

function getTextDetail(text: string, contentType: string): string | undefined {
  if (!/html/i.test(contentType) && !/^\s*</.test(text)) return toText(text);
  return toText(/<title[^>]*>([^<]*)</i.exec(text.slice(0, 20_000))?.[1]);
}

function toText(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : '';
  return text === '' ? undefined : text;
}

function shorten(text: string): string {
  return text.length > maxDetailLength ? `${text.slice(0, maxDetailLength)}…` : text;
}
