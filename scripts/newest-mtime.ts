import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** The latest modification time of files and folders, recursively. */
export function newestMtimeMs(paths: readonly string[]): number {
  let latest = 0
  for (const path of paths) {
    const found = statSync(path)
    latest = Math.max(latest, found.mtimeMs)
    if (found.isDirectory()) latest = Math.max(latest, newestMtimeMs(readdirSync(path).map((name) => join(path, name))))
  }
  return latest
}
