/** Something that runs code in the simulation: one start of a server, a worker, a client, or the database. */
export class Machine {
  readonly name: string
  /** Virtual time of its start. Its monotonic clock counts from there. */
  readonly startedAt: number
  isAlive = true
  /** Nothing of this machine runs before this time. */
  frozenUntil = 0
  /** Microseconds by which its wall clock is ahead of the true time. */
  wallOffset = 0

  constructor(name: string, startedAt: number) {
    this.name = name
    this.startedAt = startedAt
  }
}
