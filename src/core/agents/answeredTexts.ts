import type { JsonObject } from '../util/json.ts';

/** Maximum number of strings to remember; the oldest are forgotten first. */
const maxTexts = 5_000;

/**
 * The answer fields that contain sentences from a server. Excludes names, paths and licenses, which a plan may
 * legitimately repeat.
 */
const textFields: ReadonlySet<string> = new Set(['title', 'description', 'message', 'reason']);

/** Remembers the server-supplied text that agents have received, so that copies of it can be recognized in plans. */
export class AnsweredTexts {
  private readonly texts = new Set<string>();

  /** The remembered strings, as the agents received them. */
  get all(): ReadonlySet<string> {
    return this.texts;
  }

  /** Remembers the server-supplied text in a tool's answer. */
  add({ data }: JsonObject): void {
    for (const text of listTexts(data)) {
      this.texts.delete(text);
      this.texts.add(text);
    }
    for (const text of this.texts) {
      if (this.texts.size <= maxTexts) break;
      this.texts.delete(text);
    }
  }
}

function listTexts(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'string' ? (textFields.has(name) ? [member] : []) : listTexts(member),
  );
}
