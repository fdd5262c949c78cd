import { statfsSync } from 'node:fs';

/** File systems of networks, by the numbers that Linux has for them. */
const remoteTypes: ReadonlySet<number> = new Set([
  0x6969, // NFS
  0x517b, // SMB
  0xff534d42, // CIFS
  0xfe534d42, // SMB 2
  0x65735546, // FUSE: sshfs and the like
  0x01021997, // 9P
  0x0bd00bd0, // Lustre
  0x47504653, // GPFS
  0x00c36400, // Ceph
  0x19830326, // BeeGFS
  0x5346414f, // AFS
]);

/** Whether this is the type, as the system tells it, of a file system that other machines write to as well. */
export function isRemoteType(type: number): boolean {
  return remoteTypes.has(type >>> 0);
}

/** Whether a folder lies on such a file system; where that cannot be told, it does not. */
export function isRemoteFolder(folder: string): boolean {
  try {
    return isRemoteType(statfsSync(folder).type);
  } catch {
    return false;
  }
}
