import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { allMutations } from './all-mutations.ts'
import type { Mutation } from './mutation.ts'

/** Runs each mutation in a process of its own until a seed fails. Returns the exit code. */
export async function runMutations(mutations = allMutations): Promise<number> {
  let missed = 0
  for (const mutation of mutations) {
    const { isFound, line } = await findMutation(mutation)
    if (!isFound) missed += 1
    process.stdout.write(`${isFound ? 'found' : 'MISSED'} ${mutation.name}: ${line}\n`)
  }
  process.stdout.write(`${mutations.length - missed} of ${mutations.length} mutations found\n`)
  return missed > 0 ? 1 : 0
}

export interface MutationResult {
  readonly isFound: boolean
  /** The first failing seed, or the last line of the output. */
  readonly line: string
}

/** A mutation counts as found if one of its invariants fails. */
export async function findMutation({ name, seedsMax, invariants, isLong }: Mutation): Promise<MutationResult> {
  const script = fileURLToPath(new URL('../../../../scripts/sim.ts', import.meta.url))
  const args = ['--mutation', name, '--seeds', `1..${seedsMax}`, '--complete', '0', '--first', ...(isLong ? ['--long'] : [])]
  const child = spawn(process.execPath, [script, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  await new Promise((resolve) => child.once('close', resolve))
  const failure = /^seed \d+, step \d+: ([^:]+):.*$/m.exec(output)
  if (failure) return { isFound: invariants.includes(failure[1] as string), line: failure[0].slice(0, 300) }
  return { isFound: false, line: output.trim().split('\n').at(-1) ?? '' }
}
