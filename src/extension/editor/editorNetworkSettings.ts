import { workspace } from 'vscode';
import { resolveNetworkSettings, type NetworkSettings } from '../../core/model/networkSettings.ts';

/** Reads the editor's `http.*` settings. Uses environment variables if the proxy or its exceptions are not set. */
export function readNetworkSettings(): NetworkSettings {
  const http = workspace.getConfiguration('http');
  const getText = (key: string, fallback = ''): string => {
    const value = http.get<unknown>(key);
    return typeof value === 'string' ? value : fallback;
  };
  const noProxy = http.get<unknown>('noProxy');
  const editor = {
    proxy: getText('proxy'),
    noProxy: Array.isArray(noProxy) ? noProxy.filter((entry) => typeof entry === 'string') : [],
    proxyAuthorization: getText('proxyAuthorization'),
    proxySupport: getText('proxySupport', 'override'),
    proxyStrictSSL: http.get<unknown>('proxyStrictSSL') !== false,
    systemCertificates: http.get<unknown>('systemCertificates') !== false,
  };
  return resolveNetworkSettings(editor, process.env);
}
