import { l10n } from 'vscode';
import type { TestFacts, TestStep, TestStepName } from '../core/model/connectionTest.ts';
import type { Reason } from '../core/model/reason.ts';
import { isSignInRejected } from './signInWords.ts';
import { listText, plainLine, plural, reasonText } from './words.ts';

/** What a step is called. */
export function stepText(name: TestStepName): string {
  const words: Readonly<Record<TestStepName, string>> = {
    address: l10n.t('Address'),
    name: l10n.t('Name'),
    connect: l10n.t('Connection'),
    tls: l10n.t('Encryption'),
    root: l10n.t('Service'),
    key: l10n.t('API key'),
  };
  return words[name];
}

/** A step as a line of its own: what it is, how it came out, and what it found or why not. */
export function stepLine(step: TestStep): string {
  const name = stepText(step.name);
  if (step.outcome === 'notTried') return l10n.t('{0}: not tried', name);
  if (step.outcome === 'notNeeded') return l10n.t('{0}: nothing to do here', name);
  if (step.outcome === 'failed') return l10n.t('{0}: FAILED, {1}', name, failureText(step));
  const found = factsText(step.name, step.facts);
  return found === '' ? l10n.t('{0}: OK', name) : l10n.t('{0}: OK, {1}', name, found);
}

function factsText(name: TestStepName, facts: TestFacts): string {
  const { proxy, host = '', addresses = [], service, databaseCount = 0 } = facts;
  switch (name) {
    case 'address':
      return proxy === undefined ? '' : l10n.t('by way of the proxy {0}', plainLine(proxy));
    case 'name':
      return l10n.t('{0} is {1}', plainLine(host), plainLine(listText(addresses)));
    case 'connect':
      return proxy === undefined ? '' : l10n.t('the proxy leads to the service');
    case 'tls':
      return certificateText(facts);
    case 'root':
      return plainLine([service?.name, service?.version].filter(Boolean).join(' '));
    case 'key':
      return plural(databaseCount, '{0} database', '{0} databases');
  }
}

function certificateText({ isUnchecked, certificate }: TestFacts): string {
  if (isUnchecked) return l10n.t('but the certificate is not checked (http.proxyStrictSSL)');
  if (!certificate) return '';
  return l10n.t('certificate of {0}, until {1}', plainLine(certificate.issuer), plainLine(certificate.validTo));
}

function failureText({ name, facts, reason = { kind: 'unreachable' } }: TestStep): string {
  if (isWithoutKey(name, reason)) return l10n.t('there is none for this address');
  if (name === 'name') return l10n.t('{0} is not known here ({1})', plainLine(facts.host ?? ''), reason.code ?? '');
  const { certificate } = facts;
  if (!certificate) return reasonText(reason);
  const shown = l10n.t(
    'issued by {0} for {1}, until {2}',
    plainLine(certificate.issuer),
    plainLine(certificate.names),
    plainLine(certificate.validTo),
  );
  return l10n.t('{0}; {1}', reasonText(reason), shown);
}

function isWithoutKey(name: TestStepName, { kind, status }: Reason): boolean {
  return name === 'key' && kind === 'unauthorized' && status === undefined;
}

/** What helps against a failed step, in words, and where: a setting of the editor, or the key. */
export interface Advice {
  readonly text: string;
  readonly setting?: string;
  readonly needsKey?: boolean;
}

/** The advice for the step at which a test stopped. */
export function adviceFor({ name, facts, reason = { kind: 'unreachable' } }: TestStep): Advice {
  if (isWithoutKey(name, reason)) return { text: l10n.t('Set the API key of this connection.'), needsKey: true };
  if (isSignInRejected(reason)) return signInAdvice(reason);
  if (reason.kind === 'proxy') return proxyAdvice(reason);
  if (reason.kind === 'certificate') return certificateAdvice(reason);
  if (name === 'name') return nameAdvice(facts);
  return otherAdvice(reason);
}

const connections = 'dataTransfer.connections';

function otherAdvice({ kind }: Reason): Advice {
  switch (kind) {
    case 'insecureAddress':
      return {
        text: l10n.t(
          'Use an https:// address, or set "allowInsecureHttp" for this connection if you trust the whole way.',
        ),
        setting: connections,
      };
    case 'badAddress':
    case 'noService':
    case 'unreadable':
    case 'redirect':
    case 'notFound':
      return { text: l10n.t('Check the address of this connection.'), setting: connections };
    case 'unreachable':
    case 'timeout':
    case 'dropped':
      return {
        text: l10n.t(
          'Check the address and the port. If this network is left by a proxy, name it in http.proxy; if only the editor knows the way, set "transport" of this connection to "editor".',
        ),
        setting: 'http.proxy',
      };
    default:
      return { text: l10n.t('The service is there but has a problem. Try again later, or ask those who run it.') };
  }
}

function signInAdvice({ signIn, keyWorked }: Reason): Advice {
  if (signIn === 'outage') return { text: l10n.t('The service cannot check keys at the moment. Try again later.') };
  if (signIn === 'account') {
    return {
      text: l10n.t('Link an ORCID iD to your account at the service, or set the key of an account that has one.'),
      needsKey: true,
    };
  }
  const text = keyWorked
    ? l10n.t("The key worked before. Try again in a few minutes; if that doesn't help, set another key.")
    : l10n.t(
        "Try again in a few minutes: the service may be unable to check keys. If that doesn't help, set another key.",
      );
  return { text, needsKey: true };
}

function nameAdvice({ proxy }: TestFacts): Advice {
  if (proxy !== undefined) return { text: l10n.t('Check the name of the proxy in http.proxy.'), setting: 'http.proxy' };
  return {
    text: l10n.t('Check the address. If names are looked up by a proxy in this network, name it in http.proxy.'),
    setting: 'http.proxy',
  };
}

function proxyAdvice({ status, code }: Reason): Advice {
  if (code === 'UNSUPPORTED_PROXY') {
    return {
      text: l10n.t('Set "transport" of this connection to "editor": the editor knows proxies of this kind.'),
      setting: connections,
    };
  }
  if (status === 407) {
    return {
      text: l10n.t(
        'Put user name and password into http.proxy (http://user:password@proxy:port), or set http.proxyAuthorization.',
      ),
      setting: 'http.proxy',
    };
  }
  if (status !== undefined) {
    return {
      text: l10n.t(
        'The proxy does not lead to this service. If the service is reached without it, add its name to http.noProxy.',
      ),
      setting: 'http.noProxy',
    };
  }
  return { text: l10n.t('Check the proxy in http.proxy, or in the variable HTTPS_PROXY.'), setting: 'http.proxy' };
}

function certificateAdvice({ code = '' }: Reason): Advice {
  if (/EXPIRED|NOT_YET_VALID/.test(code)) {
    return {
      text: l10n.t(
        'Check the clock of this machine. If it is right, those who run the service must renew the certificate.',
      ),
    };
  }
  if (/ALTNAME|HOSTNAME|CN_INVALID/.test(code)) {
    return { text: l10n.t('Check the address: the certificate is for another name.'), setting: connections };
  }
  return {
    text: l10n.t(
      'Have the certificate of your organisation added to the system (http.systemCertificates uses it), or name its file in NODE_EXTRA_CA_CERTS. Turning http.proxyStrictSSL off gives up all protection.',
    ),
    setting: 'http.systemCertificates',
  };
}
