import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type FileGenerator, generators } from './generators.ts'
import { repositoryRoot } from './repository.ts'

export interface Drift {
  path: string
  /** Undefined for a file that no generator writes. */
  expected?: string
  reason: string
}

/** Generated files that differ from the output of their generator. */
export async function findDrift(root: string, list: readonly FileGenerator[]): Promise<Drift[]> {
  const found: Drift[] = []
  for (const { name, make, ownedFolder: owns } of list) {
    const wanted = await make()
    for (const [path, text] of Object.entries(wanted)) {
      const current = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined
      if (current !== text)
        found.push({ path, expected: text, reason: `${path}: ${current === undefined ? 'missing' : describeDifference(current, text)} (${name})` })
    }
    const present = owns !== undefined && existsSync(join(root, owns)) ? readdirSync(join(root, owns), { recursive: true, withFileTypes: true }) : []
    for (const entry of present.filter((file) => file.isFile())) {
      const path = join(entry.parentPath, entry.name).slice(root.length + 1)
      if (!Object.hasOwn(wanted, path)) found.push({ path, reason: `${path}: left over (${name})` })
    }
  }
  return found
}

export function applyDrift(root: string, drift: readonly Drift[]): void {
  for (const { path, expected: wanted } of drift) {
    const place = join(root, path)
    if (wanted === undefined) {
      rmSync(place)
    } else {
      mkdirSync(dirname(place), { recursive: true })
      writeFileSync(place, wanted)
    }
  }
}

function describeDifference(current: string, wanted: string): string {
  const [now, then] = [current.split('\n'), wanted.split('\n')]
  const line = then.findIndex((text, i) => text !== now[i])
  const place = line === -1 ? then.length : line
  return `differs from line ${place + 1}, which should be ${JSON.stringify(then[place] ?? 'the end')}`
}

if (import.meta.main) {
  const drift = await findDrift(repositoryRoot, generators)
  applyDrift(repositoryRoot, drift)
  for (const { path, expected: wanted } of drift) console.log(`${wanted === undefined ? 'removed' : 'wrote'} ${path}`)
  if (drift.length === 0) console.log('all generated files are up to date')
}
