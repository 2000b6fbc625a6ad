import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Results, Section, SectionName } from '../../packages/bench/src/results.ts'
import { repositoryRoot } from '../repository.ts'

const resultsPath = 'docs/benchmarks/results.json'

/** The committed results; empty before the first measurement. */
export function readResults(root = repositoryRoot): Results {
  const path = join(root, resultsPath)
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Results) : { format: 1, sections: {} }
}

/** Replaces one section and keeps the others. */
export function withSection(results: Results, name: SectionName, section: Section, isProvisional: boolean): Results {
  const { is_provisional: _, ...rest } = results
  return { ...rest, ...(isProvisional && { is_provisional: true }), sections: { ...results.sections, [name]: section } }
}

export function writeResults(results: Results, root = repositoryRoot): void {
  const path = join(root, resultsPath)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`)
  // The style of the repository, which its check enforces.
  execFileSync(join(root, 'node_modules', '.bin', 'biome'), ['format', '--write', path], { cwd: root, stdio: 'ignore' })
}
