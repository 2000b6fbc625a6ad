/** A slot of a global limit that a client holds, by the true time. */
export interface HeldSlot {
  readonly limit: string
  readonly leaseId: string
  /** The client may count on the slot until then. */
  until: number
}

/** What clients know because a server acknowledged it. The checks compare it with the database. */
export class Ledger {
  /** Ids of flow runs that were created. */
  readonly flowRuns = new Set<string>()
  /** Ids of states that were accepted, with their runs. */
  readonly states = new Map<string, string>()
  /** Ids of events that were accepted. */
  readonly events = new Set<string>()
  readonly variables = new Map<string, string>()
  readonly logs = new Set<string>()
  /** Final states of task runs whose events were all accepted, in whatever order. */
  readonly taskRuns = new Map<string, string>()
  readonly heldSlots = new Set<HeldSlot>()
  /** Flow runs whose process was killed. */
  readonly killedRuns = new Set<string>()
  /** Positions of events as each subscriber received them. */
  readonly received: number[][] = []
}
