export interface KeptSeed {
  readonly args: readonly string[]
  readonly problem: string
}

/** Seeds that failed once. What they cover may change with the simulator, but they cost little. */
export const keptSeeds: readonly KeptSeed[] = [
  { args: ['--seed', '73'], problem: 'an evaluation that ended before the last cause was read' },
  { args: ['--long', '--seed', '8'], problem: 'a statement of a broken transaction that was answered before the one that broke it' },
]
