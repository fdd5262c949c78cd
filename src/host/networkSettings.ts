import { workspace } from 'vscode';
import { networkSettings, type NetworkSettings } from '../core/model/networkSettings.ts';

/** How the editor reaches the network now: its `http.*` settings, and the environment where they are empty. */
export function readNetworkSettings(): NetworkSettings {
  const http = workspace.getConfiguration('http');
  const text = (key: string, fallback = ''): string => {
    const value = http.get<unknown>(key);
    return typeof value === 'string' ? value : fallback;
  };
  const noProxy = http.get<unknown>('noProxy');
  const editor = {
    proxy: text('proxy'),
    noProxy: Array.isArray(noProxy) ? noProxy.filter((entry) => typeof entry === 'string') : [],
    proxyAuthorization: text('proxyAuthorization'),
    proxySupport: text('proxySupport', 'override'),
    proxyStrictSSL: http.get<unknown>('proxyStrictSSL') !== false,
    systemCertificates: http.get<unknown>('systemCertificates') !== false,
  };
  return networkSettings(editor, process.env);
}
