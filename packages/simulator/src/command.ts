import { runMutations } from './mutations/run-mutations.ts'
import { help, type Options } from './options.ts'
import { type SeedResult, simulate } from './simulation.ts'
import { openSharedDatabase } from './storage/shared-database.ts'

/** Returns the exit code. */
export async function runCommand(options: Options): Promise<number> {
  if (options.showsHelp) {
    process.stdout.write(help)
    return 0
  }
  return options.runsMutations ? runMutations() : runSeeds(options)
}

async function runSeeds(options: Options): Promise<number> {
  const { firstSeed, lastSeed, stepsMax, isVerbose, completeEvery, isLong } = options
  const shared = await openSharedDatabase()
  const total = { seeds: 0, failing: 0, steps: 0, virtualSeconds: 0 }
  let hash = ''
  for (let seed = firstSeed; seed <= lastSeed; seed += 1) {
    const result = await simulate(seed, shared, { stepsMax, keepsLines: isVerbose, completeEvery, isLong })
    total.seeds += 1
    total.steps += result.steps
    total.virtualSeconds += result.virtualSeconds
    hash = combine(hash, result.hash)
    if (isVerbose && (result.violation || firstSeed === lastSeed)) process.stdout.write(`${result.lines.join('\n')}\n`)
    if (!result.violation) continue
    total.failing += 1
    report(result, options)
    if (options.stopsAtFailure) break
  }
  const { seeds, failing, steps, virtualSeconds } = total
  process.stdout.write(`${seeds} seeds, ${failing} failing, ${steps} steps, ${Math.round(virtualSeconds)} virtual seconds, hash ${hash}\n`)
  return failing > 0 ? 1 : 0
}

/** The hash of several seeds is the exclusive or of theirs. */
const combine = (one: string, other: string): string =>
  one === '' ? other : (BigInt(`0x${one}`) ^ BigInt(`0x${other}`)).toString(16).padStart(16, '0')

function report({ seed, steps, violation }: SeedResult, { completeEvery, mutation, isLong }: Options): void {
  const flags = [
    `--seed ${seed}`,
    ...(isLong ? ['--long'] : []),
    ...(completeEvery === 100 ? [] : [`--complete ${completeEvery}`]),
    ...(mutation ? [`--mutation ${mutation}`] : []),
  ]
  process.stdout.write(
    `seed ${seed}, step ${steps}: ${violation?.invariant}: ${violation?.message}\n  replay: npm run sim -- ${flags.join(' ')} --verbose\n`,
  )
}
