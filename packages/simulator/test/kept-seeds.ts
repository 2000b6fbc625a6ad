export interface KeptSeed {
  readonly args: readonly string[]
  readonly problem: string
}

/** Seeds that failed once. What they cover may change with the simulator, but they cost little. */
export const keptSeeds: readonly KeptSeed[] = [
  { args: ['--seed', '73'], problem: 'an evaluation that ended before the last cause was read' },
  { args: ['--long', '--seed', '18'], problem: 'a crashed run that started late and went over the limit of its deployment' },
  { args: ['--long', '--seed', '19'], problem: 'a pending run whose worker seemed to be online' },
]
