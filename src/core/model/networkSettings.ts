/** The editor's network settings, combined with the environment variables. */
export interface NetworkSettings {
  /** The address of the proxy for each scheme, as the user entered it. May include a password. */
  readonly proxies: { readonly http?: string; readonly https?: string };
  /** Hosts that bypass the proxy: names, `.domains`, `host:port`, addresses, CIDR blocks, `*`. */
  readonly noProxy: readonly string[];
  /** The value of the `Proxy-Authorization` header. Overrides credentials in its address. */
  readonly proxyAuthorization?: string;
  readonly strictCertificates: boolean;
  readonly systemCertificates: boolean;
}

/** The editor's own settings (`http.*`). An empty value means "not configured". */
interface EditorNetwork {
  readonly proxy: string;
  readonly noProxy: readonly string[];
  readonly proxyAuthorization: string;
  /** `off` disables proxies regardless of the other settings. */
  readonly proxySupport: string;
  readonly proxyStrictSSL: boolean;
  readonly systemCertificates: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The default settings: no proxy, and every certificate is verified. */
export const plainNetwork: NetworkSettings = {
  proxies: {},
  noProxy: [],
  strictCertificates: true,
  systemCertificates: true,
};

/** Combines the editor's settings with the environment variables. A variable applies only if its setting is empty. */
export function resolveNetworkSettings(editor: EditorNetwork, environment: Environment): NetworkSettings {
  const { proxyAuthorization, proxyStrictSSL: strictCertificates, systemCertificates } = editor;
  return {
    proxies: editor.proxySupport === 'off' ? {} : resolveProxies(editor.proxy.trim(), environment),
    noProxy: editor.noProxy.length > 0 ? editor.noProxy : parseList(readVariable(environment, 'no_proxy')),
    ...(proxyAuthorization !== '' && { proxyAuthorization }),
    strictCertificates,
    systemCertificates,
  };
}

function resolveProxies(setting: string, environment: Environment): NetworkSettings['proxies'] {
  if (setting !== '') return { http: setting, https: setting };
  const [forHttp, forHttps, forAll] = ['http_proxy', 'https_proxy', 'all_proxy'].map((name) =>
    readVariable(environment, name),
  );
  const http = forHttp ?? forAll;
  const https = forHttps ?? forAll ?? forHttp;
  return { ...(http !== undefined && { http }), ...(https !== undefined && { https }) };
}

function readVariable(environment: Environment, name: string): string | undefined {
  return [environment[name], environment[name.toUpperCase()]].map((value) => value?.trim()).find(Boolean);
}

function parseList(text: string | undefined): readonly string[] {
  return (text ?? '').split(/[\s,]+/).filter((entry) => entry !== '');
}
