import type { OpenConnections } from '../../core/connections/openConnections.ts';
import { workspace } from 'vscode';
import { resolveNetworkSettings, type NetworkSettings } from '../../core/model/networkSettings.ts';
import { getLoginName } from '../../core/util/userIdentity.ts';
import { getForeignServiceName, getLocalServiceName } from '../words/serviceNames.ts';
import { localConnectionId } from './machine.ts';
import type { Settings } from './settings.ts';

interface ConnectionNameSources {
  readonly settings: Settings;
  readonly sessions: OpenConnections;
}

/** Returns the name of a connection, even one removed while open; empty for an unknown ID. */
export function getConnectionName({ settings, sessions }: ConnectionNameSources, id: string): string {
  if (id === localConnectionId) return getLocalServiceName();
  const foreign = getForeignServiceName(id);
  if (foreign !== undefined) return foreign;
  const saved = settings.connections.find((connection) => connection.id === id);
  return saved?.name ?? sessions.get(id)?.connection.name ?? '';
}

/**
 * Returns the `orcid` value for a connection's requests: the user's ORCID iD, if set. Otherwise, returns the login name
 * for the local service, which accepts any text, or an empty string for other services (D19: ORCID iD format).
 */
export function getUserId({ orcid }: Pick<Settings, 'orcid'>, connectionId: string): string {
  return orcid || (connectionId === localConnectionId ? getLoginName() : '');
}

/** Facts about the extension, as declared in its manifest. */
export interface ExtensionFacts {
  /** `publisher.name`. */
  readonly id: string;
  readonly version: string;
  /** IDs of the extension's settings. */
  readonly settingIds: readonly string[];
}

interface Manifest {
  readonly publisher: string;
  readonly name: string;
  readonly version: string;
  readonly contributes: { readonly configuration: { readonly properties: object } };
}

/** Reads the facts from the manifest that the editor provides. */
export function readExtensionFacts(manifest: unknown): ExtensionFacts {
  const { publisher, name, version, contributes } = manifest as Manifest;
  return { id: `${publisher}.${name}`, version, settingIds: Object.keys(contributes.configuration.properties) };
}

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
