import type { JsonObject } from '../util/json.ts';

/** A submission (§4.5). */
export interface TransferOptions {
  readonly orcid: string;
  readonly source: string;
  readonly destination: string;
  readonly fileIds: readonly string[];
  /** Markdown. */
  readonly description?: string | undefined;
  readonly instructions?: JsonObject | undefined;
  /** Longest wait for the answer, in seconds; not sent. */
  readonly timeout?: number | undefined;
}

/** A cancel (§4.7); `orcid` is of the person who submitted the transfer. */
export interface CancelOptions {
  readonly id: string;
  readonly orcid: string;
}
