import { l10n } from 'vscode';
import type { Reason } from '../../core/model/reason.ts';
import type { TestFacts, TestStep, TestStepName } from '../../core/model/connection.ts';
import { toSentence } from '../../core/util/sharedTexts.ts';
import { ReasonWords } from '../../core/words/reasonWords.ts';
import type { ConnectionNode } from '../editor/contributions.ts';
import { localConnectionId } from '../editor/machine.ts';
import { getCommandTitle } from './commandTitles.ts';
import { formatList, plural } from './localeFormats.ts';
import { toPlainLine } from './plainText.ts';

const words = new ReasonWords({
  l10n,
  toPlainLine,
  remedies: {
    badAddress: () => l10n.t('the address must start with http:// or https://, for example https://dts.example.org'),
    insecureAddress: () => l10n.t('the key would be sent unencrypted; use https://'),
    keyMissing: () => l10n.t('no API key is saved for this connection'),
    keyGone: () => l10n.t('the saved API key is gone; this editor may not be able to store secrets'),
    keyElsewhere: () =>
      l10n.t("the connection's address has changed, and the API key is only sent to the address it was saved for"),
    internalError: () => l10n.t('an unexpected error occurred; the log has the details'),
  },
});

/** Describes a failure as the second half of a sentence, without a period, such as "the service can't be reached". */
export function describeReason(reason: Reason): string {
  return words.describe(reason);
}

/** Describes a connection that failed. */
export function describeFailedConnection(reason: Reason): string {
  return l10n.t('Could not connect: {0}.', describeReason(reason));
}

/** Describes a key that was accepted before and no longer is. */
export function describeRefusedKey(reason: Reason): string {
  return toSentence(l10n.t("Transfer status can't be checked without a valid API key: {0}", describeReason(reason)));
}

/** Describes why the databases of a service can't be listed. */
export function describeUnlistedDatabases(reason: Reason): string {
  return toSentence(l10n.t('Could not list databases: {0}', describeReason(reason)));
}

/** Describes why the local service couldn't start, given an error's message. */
export function describeUnstartedService(detail: string): string {
  return toSentence(l10n.t('Could not start the local service: {0}', toPlainLine(detail)));
}

/** Describes why a transfer wasn't sent, after a first half of the sentence that says so. */
export function describeUnsentReason(reason: Reason): string {
  return words.describeUnsent(reason);
}

/**
 * Returns true if a sign-in was rejected: the service refused the key, the key's account or the ORCID iD, or couldn't
 * check them (D44: classify sign-in failures).
 */
export function isSignInRejected({ kind, signIn }: Reason): boolean {
  return kind === 'unauthorized' || signIn !== undefined;
}

/** Explains that a previously accepted key is being retried (D28: retry rejected keys). */
export function describeKeyDoubt({ signIn }: Reason): string {
  return signIn === 'outage'
    ? l10n.t("The service couldn't check the API key. Your key worked before, so it's being retried.")
    : l10n.t("The service rejected the sign-in. Your key worked before, so it's being retried.");
}

/** A command, other than a retry, that fixes a rejected sign-in. */
export interface SignInRemedy {
  readonly id: 'dataTransfer.setOrcid' | 'dataTransfer.setApiKey';
  readonly title: string;
  readonly icon: 'orcid' | 'key';
  readonly argument?: ConnectionNode;
}

/**
 * Returns the command that fixes a rejected sign-in. Returns undefined if the failure isn't a rejected sign-in, or if
 * no command can fix it (D44: classify sign-in failures).
 */
export function getSignInRemedy(reason: Reason, connectionId: string): SignInRemedy | undefined {
  if (!isSignInRejected(reason) || reason.signIn === 'outage') return undefined;
  if (reason.signIn === 'orcid')
    return { id: 'dataTransfer.setOrcid', title: getCommandTitle('dataTransfer.setOrcid'), icon: 'orcid' };
  // The local service generates its own key.
  return connectionId === localConnectionId ? undefined : getSetKeyRemedy(connectionId);
}

/** Returns the command that sets a connection's key. */
export function getSetKeyRemedy(connectionId: string): SignInRemedy {
  const argument: ConnectionNode = { kind: 'connection', id: connectionId };
  return { id: 'dataTransfer.setApiKey', title: getCommandTitle('dataTransfer.setApiKey'), icon: 'key', argument };
}

/** Returns the title of a step. */
export function getStepTitle(name: TestStepName): string {
  const words: Readonly<Record<TestStepName, string>> = {
    address: l10n.t('Address'),
    name: l10n.t('Host name'),
    connect: l10n.t('Connection'),
    tls: l10n.t('Encryption'),
    root: l10n.t('Service'),
    key: l10n.t('API key'),
  };
  return words[name];
}

/** Formats a step as a line: its name, its outcome, and either its findings or its failure. */
export function formatStep(step: TestStep): string {
  const name = getStepTitle(step.name);
  if (step.outcome === 'notTried') return l10n.t('{0}: not tested', name);
  if (step.outcome === 'notNeeded') return l10n.t('{0}: not applicable', name);
  if (step.outcome === 'failed') return l10n.t('{0}: FAILED – {1}', name, describeFailure(step));
  const facts = describeFacts(step.name, step.facts);
  return facts === '' ? l10n.t('{0}: OK', name) : l10n.t('{0}: OK ({1})', name, facts);
}

function describeFacts(name: TestStepName, facts: TestFacts): string {
  const { proxy, host = '', addresses = [], service, databaseCount = 0 } = facts;
  switch (name) {
    case 'address':
      return proxy === undefined ? '' : l10n.t('via proxy {0}', toPlainLine(proxy));
    case 'name':
      return l10n.t('{0} resolves to {1}', toPlainLine(host), toPlainLine(formatList(addresses)));
    case 'connect':
      return proxy === undefined ? '' : l10n.t('the proxy reached the service');
    case 'tls':
      return describeCertificate(facts);
    case 'root':
      return toPlainLine([service?.name, service?.version].filter(Boolean).join(' '));
    case 'key':
      return plural(databaseCount, '{0} database', '{0} databases');
  }
}

function describeCertificate({ isUnchecked, certificate }: TestFacts): string {
  if (isUnchecked) return l10n.t('certificate not checked because http.proxyStrictSSL is off');
  if (!certificate) return '';
  return l10n.t(
    'certificate from {0}, valid until {1}',
    toPlainLine(certificate.issuer),
    toPlainLine(certificate.validTo),
  );
}

function describeFailure({ name, facts, reason = { kind: 'unreachable' } }: TestStep): string {
  if (isMissingKey(name, reason)) return l10n.t('no API key for this address');
  if (name === 'name') return l10n.t("{0} can't be resolved ({1})", toPlainLine(facts.host ?? ''), reason.code ?? '');
  const { certificate } = facts;
  if (!certificate) return describeReason(reason);
  return l10n.t('{0}; {1}', describeReason(reason), describeIssuer(certificate));
}

function describeIssuer({ issuer, names, validTo }: NonNullable<TestStep['facts']['certificate']>): string {
  const [by, holder, end] = [toPlainLine(issuer), toPlainLine(names), toPlainLine(validTo)];
  return l10n.t('issued by {0} for {1}, valid until {2}', by, holder, end);
}

function isMissingKey(name: TestStepName, { kind, status }: Reason): boolean {
  return name === 'key' && kind === 'unauthorized' && status === undefined;
}

/** Suggests a fix for a failed step, and identifies the editor setting or the API key to change. */
export interface Advice {
  readonly text: string;
  readonly setting?: string;
  readonly needsKey?: boolean;
}

/** Returns advice for the step at which a connection test failed. */
export function getAdvice({ name, facts, reason = { kind: 'unreachable' } }: TestStep): Advice {
  if (isMissingKey(name, reason)) return { text: l10n.t('Set the API key for this connection.'), needsKey: true };
  if (isSignInRejected(reason)) return getSignInAdvice(reason);
  if (reason.kind === 'proxy') return getProxyAdvice(reason);
  if (reason.kind === 'certificate') return getCertificateAdvice(reason);
  if (name === 'name') return getNameAdvice(facts);
  return getOtherAdvice(reason);
}

/** Returns advice for a failure whose step isn't known. */
export function getShortAdvice(reason: Reason): string {
  if (isKeyMissing(reason)) return l10n.t('Set the API key for this connection.');
  if (['unreachable', 'timeout', 'dropped'].includes(reason.kind))
    return l10n.t(
      '{0}, in the menu of the connection, finds the cause.',
      getCommandTitle('dataTransfer.testConnection'),
    );
  return getAdvice({ name: 'root', outcome: 'failed', facts: {}, reason }).text;
}

/** Returns true if a connection failed because its key isn't available. */
export function isKeyMissing({ kind }: Reason): boolean {
  return ['keyMissing', 'keyGone', 'keyElsewhere', 'variableEmpty'].includes(kind);
}

const connections = 'dataTransfer.connections';

function getOtherAdvice({ kind, status }: Reason): Advice {
  switch (kind) {
    case 'insecureAddress':
      return {
        text: l10n.t(
          'Use an https:// address, or set "allowInsecureHttp" for this connection if you trust the entire network path.',
        ),
        setting: connections,
      };
    case 'badAddress':
    case 'noService':
    case 'unreadable':
    case 'redirect':
    case 'notFound':
      return { text: l10n.t('Check the address of this connection.'), setting: connections };
    case 'forbidden':
      return { text: l10n.t("Access was denied. Contact the service's administrator.") };
    case 'unreachable':
    case 'timeout':
    case 'dropped':
      return {
        text: l10n.t(
          'Check the address and the port. If your network uses a proxy, set it in http.proxy. If only the editor can connect, set "transport" to "editor" for this connection.',
        ),
        setting: 'http.proxy',
      };
    case 'serverError':
      // A gateway may have responded without its service.
      if (status === undefined || status < 502 || status > 504) return getProblemAdvice();
      return { text: l10n.t('Try again later, or contact the administrator of the service.') };
    default:
      return getProblemAdvice();
  }
}

function getProblemAdvice(): Advice {
  return {
    text: l10n.t('The service is responding but has a problem. Try again later, or contact its administrator.'),
  };
}

function getSignInAdvice({ signIn, keyWorked }: Reason): Advice {
  if (signIn === 'outage') return { text: l10n.t("The service can't check keys at the moment. Try again later.") };
  if (signIn === 'orcid')
    return { text: l10n.t('Set your ORCID iD, and check that it belongs to the account of this key.') };
  if (signIn === 'account') {
    return {
      text: l10n.t('Link an ORCID iD to your account on the service, or use the API key of an account that has one.'),
      needsKey: true,
    };
  }
  const text = keyWorked
    ? l10n.t("The key worked before. Try again in a few minutes; if that doesn't help, set another key.")
    : l10n.t(
        "Try again in a few minutes: the service may be unable to check keys right now. If that doesn't help, set another key.",
      );
  return { text, needsKey: true };
}

function getNameAdvice({ proxy }: TestFacts): Advice {
  if (proxy !== undefined) {
    return {
      text: l10n.t('Check the host name of the proxy in http.proxy or in the HTTPS_PROXY environment variable.'),
      setting: 'http.proxy',
    };
  }
  return {
    text: l10n.t('Check the address. If a proxy resolves host names on your network, set it in http.proxy.'),
    setting: 'http.proxy',
  };
}

function getProxyAdvice({ status, code }: Reason): Advice {
  if (code === 'UNSUPPORTED_PROXY') {
    return {
      text: l10n.t('Set "transport" to "editor" for this connection: the editor supports this kind of proxy.'),
      setting: connections,
    };
  }
  if (status === 407) {
    return {
      text: l10n.t(
        'Add the user name and password to http.proxy (http://user:password@proxy:port), or set http.proxyAuthorization.',
      ),
      setting: 'http.proxy',
    };
  }
  if (status !== undefined) {
    return {
      text: l10n.t(
        "The proxy doesn't forward requests to this service. If the service is reachable without the proxy, add its host name to http.noProxy.",
      ),
      setting: 'http.noProxy',
    };
  }
  return {
    text: l10n.t('Check the proxy in http.proxy or in the HTTPS_PROXY environment variable.'),
    setting: 'http.proxy',
  };
}

function getCertificateAdvice({ code = '' }: Reason): Advice {
  if (/EXPIRED|NOT_YET_VALID/.test(code)) {
    return {
      text: l10n.t(
        "Check this machine's clock. If it's correct, the service's administrator must renew the certificate.",
      ),
    };
  }
  if (/ALTNAME|HOSTNAME|CN_INVALID/.test(code)) {
    return {
      text: l10n.t('Check the address: the certificate was issued for a different name.'),
      setting: connections,
    };
  }
  return {
    text: l10n.t(
      "Ask your administrator to add your organization's certificate to the system store, and make sure that http.systemCertificates is on. Or set NODE_EXTRA_CA_CERTS to the path of the certificate file. Don't turn off http.proxyStrictSSL, or services' identities will no longer be verified.",
    ),
    setting: 'http.systemCertificates',
  };
}
