/** How the editor reaches the network: what its settings and the environment say, put together. */
export interface NetworkSettings {
  /** Address of the proxy for services with this scheme, as the person wrote it, also with a password. */
  readonly proxies: { readonly http?: string; readonly https?: string };
  /** Hosts that are reached without a proxy: names, `.domains`, `host:port`, addresses, CIDR blocks, `*`. */
  readonly noProxy: readonly string[];
  /** Value of the `Proxy-Authorization` header; goes before a password in the proxy's address. */
  readonly proxyAuthorization?: string;
  /** Whether a certificate must be trusted; off, any is taken. */
  readonly strictCertificates: boolean;
  /** Whether the authorities that the system trusts are trusted too. */
  readonly systemCertificates: boolean;
}

/** What the editor's own settings say (`http.*`); empty is not set. */
export interface EditorNetwork {
  readonly proxy: string;
  readonly noProxy: readonly string[];
  readonly proxyAuthorization: string;
  /** `off` means no proxy, whatever else is set. */
  readonly proxySupport: string;
  readonly proxyStrictSSL: boolean;
  readonly systemCertificates: boolean;
}

/** Variables of the environment. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The way to the network without any setting: no proxy, every certificate checked. */
export const plainNetwork: NetworkSettings = {
  proxies: {},
  noProxy: [],
  strictCertificates: true,
  systemCertificates: true,
};

/** Puts the editor's settings together with the environment, whose variables count where a setting is empty. */
export function networkSettings(editor: EditorNetwork, environment: Environment): NetworkSettings {
  const { proxyAuthorization, proxyStrictSSL: strictCertificates, systemCertificates } = editor;
  return {
    proxies: editor.proxySupport === 'off' ? {} : proxiesOf(editor.proxy.trim(), environment),
    noProxy: editor.noProxy.length > 0 ? editor.noProxy : listOf(variable(environment, 'no_proxy')),
    ...(proxyAuthorization !== '' && { proxyAuthorization }),
    strictCertificates,
    systemCertificates,
  };
}

function proxiesOf(setting: string, environment: Environment): NetworkSettings['proxies'] {
  if (setting !== '') return { http: setting, https: setting };
  const [forHttp, forHttps, forAll] = ['http_proxy', 'https_proxy', 'all_proxy'].map((name) =>
    variable(environment, name),
  );
  const http = forHttp ?? forAll;
  const https = forHttps ?? forAll ?? forHttp;
  return { ...(http !== undefined && { http }), ...(https !== undefined && { https }) };
}

function variable(environment: Environment, name: string): string | undefined {
  return [environment[name], environment[name.toUpperCase()]].map((value) => value?.trim()).find(Boolean);
}

function listOf(text: string | undefined): readonly string[] {
  return (text ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
}
