import { chmodSync, statSync } from 'node:fs'

const ownerOnly = 0o600
const others = 0o007

/** Whether users outside of the owner's group have access. A group was given access on purpose. False for an absent file. */
export function othersCanRead(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false })
  return found !== undefined && process.platform !== 'win32' && (found.mode & others) !== 0
}

export const restrictFile = (path: string): void => chmodSync(path, ownerOnly)
