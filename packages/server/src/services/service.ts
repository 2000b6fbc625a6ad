import type { Config } from '../config.ts'
import type { ServerContext } from '../storage/server-context.ts'

/** Something that runs in the background: a bounded pass, over and over. The loop ticks and logs; tests call the pass. */
export interface Service {
  readonly name: string
  enabled(config: Config): boolean
  everySeconds(config: Config): number
  /** Topics of the bus: a commit that touches one of them calls for a pass at once. */
  readonly wakeOn?: readonly string[]
  /** One pass; what it did, by name. The loop tells of it only when a number is not zero. */
  runOnce(context: ServerContext, signal: AbortSignal): Promise<Readonly<Record<string, number>>>
}
