import { l10n } from 'vscode';
import type { Reason, ReasonKind } from '../../core/model/reason.ts';
import { toPlainLine } from './plainText.ts';
import { describeSignInRejection } from './signInWords.ts';

const reasonWords: Readonly<Record<ReasonKind, (reason: Reason) => string>> = {
  badAddress: () => l10n.t('the address must start with http:// or https://, for example https://dts.example.org'),
  insecureAddress: () => l10n.t('the key would be sent unencrypted; use https://'),
  badArgument: (reason) => reason.detail ?? l10n.t("a value isn't valid"),
  notConnected: () => l10n.t('not connected to the service'),
  keyMissing: () => l10n.t('no API key is saved for this connection'),
  keyGone: () => l10n.t('the saved API key is gone; this editor may not be able to store secrets'),
  keyElsewhere: () =>
    l10n.t("the connection's address has changed, and the API key is only sent to the address it was saved for"),
  variableEmpty: ({ detail = '' }) =>
    l10n.t("the {0} environment variable for the API key isn't set", toPlainLine(detail)),
  unreachable: (reason) => appendCode(l10n.t("the service can't be reached"), reason),
  certificate: (reason) => appendCode(l10n.t("the service's certificate isn't trusted"), reason),
  proxy: describeProxyError,
  timeout: () => l10n.t("the service didn't respond in time"),
  dropped: (reason) =>
    reason.isIdAtFault
      ? l10n.t('the service closes the connection when the ID {0} is requested', toPlainLine(reason.detail ?? ''))
      : appendCode(l10n.t('the connection was lost before the response was complete'), reason),
  unauthorized: (reason) => appendDetail(describeSignInRejection(reason), reason),
  forbidden: (reason) =>
    appendDetail(reason.signIn ? describeSignInRejection(reason) : l10n.t('access denied'), reason),
  notFound: (reason) => appendDetail(l10n.t('not found on the service'), reason),
  refused: (reason) => appendDetail(l10n.t('the service refused the request'), reason),
  serverError: (reason) => appendDetail(l10n.t('the service returned an error'), reason),
  entryRejected: (reason) =>
    appendDetail(l10n.t("the service's own validation rejected an entry in its response"), reason),
  redirect: () => l10n.t("the service redirected the request to another address; the key wasn't sent there"),
  noService: ({ detail }) =>
    detail === undefined
      ? l10n.t('no data transfer service was found at this address')
      : l10n.t('no data transfer service was found at this address; try {0}', detail),
  serviceStopped: () => l10n.t('the local service is stopped'),
  unreadable: () => l10n.t("the server didn't respond like a data transfer service"),
  tooLarge: () => l10n.t('the response is too large'),
  foreignAnswer: describeForeignResponse,
  queued: () => l10n.t('waiting for a submission to this server to finish'),
  lookupFailed: ({ cause }) =>
    cause
      ? l10n.t("nothing was sent because the files couldn't be looked up: {0}", describeReason(cause))
      : l10n.t("nothing was sent because the files couldn't be looked up"),
  cancelled: () => l10n.t('the operation was canceled'),
};

/** Describes a failure as the second half of a sentence, without a period, such as "the service can't be reached". */
export function describeReason(reason: Reason): string {
  return reasonWords[reason.kind](reason);
}

/**
 * Describes why a transfer wasn't sent, as the second half of a sentence. The first half must already say that nothing
 * was sent.
 */
export function describeUnsentReason(reason: Reason): string {
  const { kind, cause } = reason;
  return kind === 'lookupFailed' && cause
    ? l10n.t("the files couldn't be looked up: {0}", describeReason(cause))
    : describeReason(reason);
}

/** Describes why a response must belong to another request (D35: misrouted responses). */
function describeForeignResponse({ code, detail = '' }: Reason): string {
  const line = toPlainLine(detail);
  if (code === 'NIL_ID') return l10n.t('the server returned a transfer ID of all zeros ({0})', line);
  if (code === 'KNOWN_ID') return l10n.t("the server returned another transfer's ID ({0})", line);
  if (code === 'TOO_MANY_FILES') {
    return l10n.t('the server returned an ID ({0}) for which it reports more files than were requested', line);
  }
  if (code === 'OTHER_SIZE') {
    return l10n.t(
      'the server returned an ID ({0}) for which it reports a total size that differs from that of the requested files',
      line,
    );
  }
  if (line === '') return l10n.t("the server's response belongs to another request");
  return l10n.t("the server's response belongs to another request: {0}", trimEndMark(line));
}

function describeProxyError(reason: Reason): string {
  if (reason.status === 407) return l10n.t('the proxy requires a user name and password (407)');
  if (reason.status !== undefined) return l10n.t('the proxy rejected the request ({0})', reason.status);
  if (reason.code === 'UNSUPPORTED_PROXY') return l10n.t("this kind of proxy isn't supported");
  return appendCode(l10n.t("the proxy can't be used"), reason);
}

function appendCode(text: string, reason: Reason): string {
  return reason.code === undefined ? text : l10n.t('{0} ({1})', text, reason.code);
}

function appendDetail(text: string, reason: Reason): string {
  const { status } = reason;
  const detail = trimEndMark(toPlainLine(reason.detail ?? ''));
  if (detail !== '') return l10n.t('{0}: {1}', text, detail);
  return status === undefined ? text : l10n.t('{0} ({1})', text, status);
}

/** Removes the final punctuation from a sentence, so that the sentence can be embedded in another one. */
function trimEndMark(text: string): string {
  return text.replace(/[\s.!?…]+$/u, '');
}
