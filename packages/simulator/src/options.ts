import { parseArgs } from 'node:util'

export interface Options {
  readonly firstSeed: number
  readonly lastSeed: number
  readonly stepsMax: number
  readonly isVerbose: boolean
  /** Ends at the first failing seed. */
  readonly stopsAtFailure: boolean
  /** Every n-th seed runs Fastify too; 0 for none. */
  readonly completeEvery: number
  readonly isLong: boolean
  readonly mutation: string | undefined
  readonly runsMutations: boolean
  readonly showsHelp: boolean
}

export class OptionError extends Error {}

export const help = `npm run sim -- [options]

Simulates a cluster for each seed. A seed always gives the same history; a failing seed prints the command that replays it.

  --seed N          one seed
  --seeds A..B      the seeds from A to B (default: 1..100)
  --long            more servers, up to 90 seconds of load instead of up to 8
  --steps N         ends a seed after this number of steps
  --complete N      every n-th seed sends its requests through Fastify (default: 100; 0 for none)
  --first           ends at the first failing seed
  --verbose         prints the history of the failing seeds, or of a single seed
  --mutation NAME   takes a safeguard out of the server
  --mutations       shows that the simulation finds each of these faults
`

export function readOptions(args: readonly string[]): Options {
  const values = parse(args)
  const [firstSeed, lastSeed] = readSeeds(values.seed ?? values.seeds ?? '1..100')
  return {
    firstSeed,
    lastSeed,
    stepsMax: readCount('--steps', values.steps ?? '1000000'),
    isVerbose: values.verbose ?? false,
    stopsAtFailure: values.first ?? false,
    completeEvery: readCount('--complete', values.complete ?? '100'),
    isLong: values.long ?? false,
    mutation: values.mutation,
    runsMutations: values.mutations ?? false,
    showsHelp: values.help ?? false,
  }
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const options = {
    seed: text,
    seeds: text,
    steps: text,
    complete: text,
    mutation: text,
    mutations: flag,
    long: flag,
    first: flag,
    verbose: flag,
    help: flag,
  }
  try {
    return parseArgs({ args: [...args], options }).values
  } catch (error) {
    throw new OptionError(`${(error as Error).message}\n${help}`)
  }
}

function readSeeds(text: string): [number, number] {
  const match = /^(\d+)(?:\.\.(\d+))?$/.exec(text)
  const [first, last] = [Number(match?.[1]), Number(match?.[2] ?? match?.[1])]
  if (!match || last < first || last > 0xffffffff) throw new OptionError(`Invalid seeds ${text}. Give a number or a range such as 1..1000.`)
  return [first, last]
}

function readCount(option: string, text: string): number {
  if (!/^\d{1,12}$/.test(text)) throw new OptionError(`Invalid value of ${option}: ${text}. Give a whole number.`)
  return Number(text)
}
