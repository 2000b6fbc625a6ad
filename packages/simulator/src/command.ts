import { parseArgs } from 'node:util'
import { simulate } from './simulation.ts'
import { openSharedDatabase } from './storage/shared-database.ts'

const help = `npm run sim -- [options]
  --seed N        runs one seed
  --seeds A..B    runs the seeds from A to B
  --steps N       ends a seed after this number of steps
  --verbose       prints the history of a failing seed, or of the only seed
`

export async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      seeds: { type: 'string' },
      steps: { type: 'string' },
      verbose: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) {
    process.stdout.write(help)
    return 0
  }
  const [first, last] = readRange(values.seed ?? values.seeds ?? '1..100')
  const stepsMax = values.steps === undefined ? 1_000_000 : Number(values.steps)
  const shared = await openSharedDatabase()
  const started = process.hrtime.bigint()
  let steps = 0
  let virtualSeconds = 0
  let failures = 0
  let hash = ''
  for (let seed = first; seed <= last; seed += 1) {
    const result = await simulate(seed, shared, { stepsMax, keepsLines: values.verbose ?? false, completeEvery: 0 })
    steps += result.steps
    virtualSeconds += result.virtualSeconds
    hash = result.hash
    if (values.verbose && (result.violation || first === last)) process.stdout.write(`${result.lines.join('\n')}\n`)
    if (!result.violation) continue
    failures += 1
    const { invariant, message } = result.violation
    process.stdout.write(`seed ${seed} fails at step ${result.steps}: ${invariant}: ${message}\n  replay: npm run sim -- --seed ${seed} --verbose\n`)
  }
  const seconds = Number(process.hrtime.bigint() - started) / 1e9
  process.stderr.write(`${seconds.toFixed(1)} s\n`)
  process.stdout.write(`seeds ${first}..${last}: ${failures} failing, ${steps} steps, ${virtualSeconds.toFixed(0)} virtual seconds, hash ${hash}\n`)
  return failures > 0 ? 1 : 0
}

function readRange(text: string): [number, number] {
  const [first = 1, last = first] = text.split('..').map(Number)
  if (!Number.isSafeInteger(first) || !Number.isSafeInteger(last)) throw new Error(`Not a seed or a range of seeds: ${text}`)
  return [first, last]
}
