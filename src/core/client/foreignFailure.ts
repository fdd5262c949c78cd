import { findForeignSign, type ForeignSign, type TransferFacts } from '../model/foreignResponse.ts';
import type { Reason } from '../model/reason.ts';
import { omit } from '../util/json.ts';
import type { ClientSession } from './clientSession.ts';
import type { RequestFailure } from './result.ts';

/**
 * Returns a failure, or a `foreignAnswer` if the server's refusal appears to belong to another request (D35: misrouted
 * responses). Omits the text of that refusal, which is about another request.
 */
export function toOwnFailure(session: ClientSession, failure: RequestFailure, facts: TransferFacts): RequestFailure {
  const { status, detail = '', maybeDone } = failure.reason;
  if (status === undefined || maybeDone) return failure;
  const sign = findForeignSign({ kind: 'refusal', text: detail }, { ...facts, listed: session.listed ?? [] });
  return sign ? toForeignFailure(sign, omit(failure.reason, 'detail')) : failure;
}

/** Returns the failure for a response that belongs to another request; `refusal` is that response. */
export function toForeignFailure(code: ForeignSign, refusal: Partial<Reason> = {}): RequestFailure {
  const { request, status, detail } = refusal;
  const facts = { ...(request !== undefined && { request }), ...(status !== undefined && { status }) };
  const text = detail === undefined ? {} : { detail };
  const reason: Reason = { kind: 'foreignAnswer', ...facts, code, ...text, maybeDone: true };
  return { isProblem: false, reason };
}
