import type { Reason, ReasonKind } from '../../core/model/reason.ts';
import { toPlainCell } from './plainCell.ts';

const texts: Readonly<Record<ReasonKind, (reason: Reason) => string>> = {
  badAddress: ({ detail = '' }) => `the address isn't valid${detail === '' ? '' : `; ${detail}`}`,
  insecureAddress: () => 'the key would be sent unencrypted; use https://, or allowInsecureHttp in a connections file',
  badArgument: withDetail("an argument isn't valid"),
  notConnected: withDetail("the service isn't connected"),
  keyMissing: () => 'no API key was given; use --key-variable, --key-file or --key-stdin',
  keyGone: () => 'the API key is gone',
  keyElsewhere: () => 'the API key belongs to a different address',
  variableEmpty: ({ detail = '' }) => `the ${toPlainCell(detail)} environment variable for the API key isn't set`,
  unreachable: withCode("the service can't be reached"),
  certificate: withCode("the service's certificate isn't trusted"),
  proxy: withCode("the proxy can't be used"),
  timeout: () => "the service didn't respond in time",
  dropped: (reason) =>
    reason.isIdAtFault
      ? `the service closes the connection when the ID ${toPlainCell(reason.detail ?? '')} is requested`
      : withCode('the connection was lost before the response was complete')(reason),
  unauthorized: (reason) => withDetail(describeSignIn(reason))(reason),
  forbidden: (reason) => withDetail(reason.signIn ? describeSignIn(reason) : 'access denied')(reason),
  notFound: withDetail('not found on the service'),
  refused: withDetail('the service refused the request'),
  serverError: withDetail('the service returned an error'),
  entryRejected: withDetail("the service's own validation rejected an entry in its response"),
  redirect: () => "the service redirected the request to another address; the key wasn't sent there",
  noService: ({ detail }) =>
    `no data transfer service was found at this address${detail === undefined ? '' : `; try ${toPlainCell(detail)}`}`,
  serviceStopped: () => 'the local service is stopped',
  unreadable: () => "the server didn't respond like a data transfer service",
  tooLarge: () => 'the response is too large',
  foreignAnswer: withDetail("the server's response belongs to another request"),
  queued: () => 'a submission to this server is in progress',
  lookupFailed: ({ cause }) =>
    `nothing was sent because the files couldn't be looked up${cause ? `: ${describeReason(cause)}` : ''}`,
  cancelled: () => 'the operation was canceled',
};

/** Describes a failure as a clause without a period: `the API key is gone`. */
export function describeReason(reason: Reason): string {
  return texts[reason.kind](reason);
}

function describeSignIn({ signIn }: Reason): string {
  if (signIn === 'orcid') return 'the service rejected the ORCID iD';
  if (signIn === 'account') return 'the account for this API key has no ORCID iD';
  if (signIn === 'outage') return "the service couldn't check the API key";
  return 'the service rejected the API key';
}

function withDetail(text: string): (reason: Reason) => string {
  return ({ detail = '', status }) => {
    const line = toPlainCell(detail).replace(/[\s.!?…]+$/u, '');
    if (line !== '') return `${text}: ${line}`;
    return status === undefined ? text : `${text} (${status})`;
  };
}

function withCode(text: string): (reason: Reason) => string {
  return ({ code }) => (code === undefined ? text : `${text} (${code})`);
}
